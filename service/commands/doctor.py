"""`shortlist doctor`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import typer

from service.commands.local import open_locally

if TYPE_CHECKING:
    from service.settings import Settings


async def examine(settings: Settings) -> int:
    """Print what was looked at, a line each; 1 when something must be mended."""
    healthy = True
    async for fine, line in examine_parts(settings):
        healthy &= fine
        typer.echo(f"{'ok  ' if fine else 'MEND'} {line}")
    return 0 if healthy else 1


async def examine_parts(settings: Settings) -> AsyncIterator[tuple[bool, str]]:
    """Whether each part is fine, and a line about it. Raises `CommandFailed` when the apps or the store cannot be opened."""
    unknown = settings.find_unknown_variables()
    yield not unknown, f"settings: no such variable: {', '.join(unknown)}" if unknown else "settings: every variable is known"
    yield examine_instructions(settings)
    async with open_locally(settings) as services:
        errors = [finding for finding in services.catalog.findings if finding.severity == "error"]
        yield not errors, f"apps: {len(services.catalog.apps)} with {len(services.catalog.skills)} skills, {len(errors)} errors"
        for finding in errors:
            yield False, str(finding)
        await services.store.open()
        yield True, "store: it opens and is at its newest schema"
    yield True, f"models: {describe_models(settings)}"
    yield True, "retrieval: lexical only"


def examine_instructions(settings: Settings) -> tuple[bool, str]:
    """Whether the base instructions can be used, and whether the models' rules fit them."""
    from service.instructions import InstructionsError, load_instructions  # noqa: PLC0415 - only doctor needs them
    from service.models.choice import check_rules  # noqa: PLC0415
    from service.settings import SettingsMismatch  # noqa: PLC0415

    try:
        check_rules(settings, load_instructions(settings.base_instructions).preselection.extra)
    except (InstructionsError, SettingsMismatch) as error:
        return False, str(error)
    return True, f"base instructions: {settings.base_instructions.name}"


def describe_models(settings: Settings) -> str:
    """Which models are asked, and where their key comes from."""
    if not settings.uses_models:
        return "none configured, offline stand-ins answer"
    names = ", ".join(
        dict.fromkeys((*settings.main_models, *([settings.preselection_model] if settings.preselection_model else [])))
    )
    key = "SHORTLIST_MODEL_API_KEY" if settings.model_api_key else "the provider's own variable"
    return f"{names}; key from {key}{f'; server {settings.model_api_base}' if settings.model_api_base else ''}"
