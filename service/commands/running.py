"""What the commands share: services opened for one command, and mistakes told in one line."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pydantic import ValidationError

from apps.sdk.loader import AppsDirectoryMissing
from preprocessor.intent import Intent
from service.callers import Caller
from service.instructions import InstructionsError
from service.logs import configure_logging
from service.problems import Problem
from service.services import Services
from service.settings import Settings
from service.store.errors import StoreError
from service.wiring import open_services

LOCAL = Caller(tenant="default", user="local", source="chat")
"""On whose behalf the command line runs."""


class UsageError(Exception):
    """What was typed cannot be used; its text is the line to show."""


@asynccontextmanager
async def open_for_command(settings: Settings) -> AsyncIterator[Services]:
    """The services; logs go to standard error from warnings on."""
    configure_logging("warning" if settings.log_level == "info" else settings.log_level, json=settings.log_json)
    async with open_services(settings) as services:
        yield services


def read_intent(text: str | None) -> Intent:
    """The intent from a command line's JSON. Raises `UsageError`."""
    if text is None:
        return Intent()
    try:
        return Intent.model_validate_json(text)
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, fault['loc'])) or 'intent'}: {fault['msg']}" for fault in error.errors())
        raise UsageError(f"--intent: {faults}") from None


def tell_failure(error: Exception) -> int:
    """Show a failure that somebody can mend; the exit code. Anything else is raised again."""
    match error:
        case UsageError():
            code, text = 2, str(error)
        case Problem():
            code, text = 1, f"{error.kind.title}: {error.detail}"
        case InstructionsError() | AppsDirectoryMissing() | StoreError():
            code, text = 1, str(error)
        case _:
            raise error
    print(text, file=sys.stderr)  # noqa: T201 - the command line's own output
    return code
