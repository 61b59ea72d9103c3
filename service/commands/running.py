"""What the commands share: on whose behalf they run, the intent that was typed, and mistakes told in one line."""

from __future__ import annotations

from pydantic import ValidationError

from apps.sdk.shown import spell_out
from preprocessor.intent import Intent
from service.commands.failures import CommandFailed, UsageError, tell_failure
from service.field_names import phrase_error
from service.turns.request import Caller

__all__ = ["LOCAL", "CommandFailed", "UsageError", "read_intent", "tell_failure"]

LOCAL = Caller(tenant="default", user="local", source="chat")
"""On whose behalf the command line runs."""

_MAX_FAULTS = 10


def read_intent(text: str | None) -> Intent:
    """The intent from a command line's JSON. Raises `UsageError`."""
    if text is None:
        return Intent()
    try:
        return Intent.model_validate_json(text)
    except ValidationError as error:
        faults = "; ".join(
            f"{'.'.join(map(str, fault['loc'])) or 'intent'}: {phrase_error(fault, Intent)}"
            for fault in error.errors()[:_MAX_FAULTS]
        )
        raise UsageError(f"--intent: {spell_out(faults)}") from None
