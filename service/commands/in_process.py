"""The whole service inside one command, for `ask` and `doctor`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from apps.sdk.chat import ModelError
from apps.sdk.loader import AppsDirectoryMissing
from service.commands.running import CommandFailed
from service.config_file import ConfigError
from service.http.problems import Problem
from service.logs import configure_logging
from service.services import Services
from service.settings import Settings, SettingsMismatch
from service.store.errors import StoreError
from service.wiring import open_services


@asynccontextmanager
async def open_for_command(settings: Settings) -> AsyncIterator[Services]:
    """The services; logs go to standard error from warnings on. Raises `CommandFailed` for what somebody can mend."""
    configure_logging("warning" if settings.log_level == "info" else settings.log_level, json=settings.log_json)
    try:
        async with open_services(settings) as services:
            yield services
    except Problem as problem:
        raise CommandFailed(f"{problem.kind.title}: {problem.detail}") from problem
    except (ConfigError, AppsDirectoryMissing, StoreError, SettingsMismatch, ModelError) as error:
        raise CommandFailed(str(error)) from error
