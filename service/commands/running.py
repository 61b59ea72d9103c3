"""What the commands share: on whose behalf they run, and mistakes told in one line."""

from __future__ import annotations

import sys

from pydantic import ValidationError

from preprocessor.intent import Intent
from service.turns.request import Caller

LOCAL = Caller(tenant="default", user="local", source="chat")
"""On whose behalf the command line runs."""


class UsageError(Exception):
    """What was typed cannot be used; its text is the line to show."""


class CommandFailed(Exception):
    """The command cannot do its work for a reason that somebody can mend; its text is the line to show."""


def read_intent(text: str | None) -> Intent:
    """The intent from a command line's JSON. Raises `UsageError`."""
    if text is None:
        return Intent()
    try:
        return Intent.model_validate_json(text)
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, fault['loc'])) or 'intent'}: {fault['msg']}" for fault in error.errors())
        raise UsageError(f"--intent: {faults}") from None


def tell_failure(error: UsageError | CommandFailed) -> int:
    """Show it on standard error; the exit code."""
    print(error, file=sys.stderr)  # noqa: T201 - the command line's own output
    return 2 if isinstance(error, UsageError) else 1
