"""What the commands share: on whose behalf they run, the intent that was typed, and mistakes told in one line."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from pydantic import ValidationError
from pydantic_core import from_json

from apps.sdk.jsontypes import Json
from apps.sdk.shown import spell_out
from preprocessor.intent import TOOLSET_NAMES, Intent
from preprocessor.toolsets import OVERLAYS
from service.commands.failures import CommandFailed, UsageError, tell_failure
from service.field_names import phrase_error
from service.toolsets_file import ToolsetsError, load_toolsets
from service.turns.request import Caller

if TYPE_CHECKING:
    from service.settings import Settings

__all__ = ["LOCAL", "CommandFailed", "UsageError", "read_intent", "tell_failure"]

LOCAL = Caller(tenant="default", user="local", source="chat")
"""On whose behalf the command line runs."""

SWITCHES = frozenset({"enabled", "tools", *OVERLAYS})
WORDS = MappingProxyType(
    {"on": True, "yes": True, "true": True, "1": True, "off": False, "no": False, "false": False, "0": False}
)
"""What a person types for a boolean."""

_MAX_FAULTS = 10


def read_intent(text: str | None, settings: Settings) -> Intent:
    """The intent from a command line's JSON; words such as "on" and "no" do for true and false there.

    Raises `UsageError`, and `CommandFailed` when the toolsets that it may name cannot be read.
    """
    if text is None:
        return Intent()
    try:
        toolsets = load_toolsets(settings.toolsets)
    except ToolsetsError as error:
        raise CommandFailed(str(error)) from error
    try:
        return Intent.model_validate(coerce_switches(from_json(text)), context={TOOLSET_NAMES: toolsets.names})
    except ValidationError as error:
        faults = "; ".join(
            f"{'.'.join(map(str, fault['loc'])) or 'intent'}: {phrase_error(fault, Intent)}"
            for fault in error.errors()[:_MAX_FAULTS]
        )
        raise UsageError(f"--intent: {spell_out(faults)}") from None
    except ValueError as error:
        raise UsageError(f"--intent: it is no JSON: {error}") from None


def coerce_switches(given: Json) -> Json:
    """The same with booleans where a switch holds a word for one; any other value stays for the model to judge."""
    if isinstance(given, dict):
        return {key: _coerce(value) if key in SWITCHES else value for key, value in given.items()}
    return _coerce(given)


def _coerce(value: Json) -> Json:
    return WORDS.get(value.strip().lower(), value) if isinstance(value, str) else value
