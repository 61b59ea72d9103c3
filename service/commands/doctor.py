"""`shortlist doctor`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, TypeAlias

import typer

from apps.sdk.shown import spell_out
from preprocessor.name_patterns import NameIndex
from preprocessor.toolsets import NO_TOOLSETS, Toolsets, list_unknown_members
from service.commands.local import open_locally
from service.commands.running import CommandFailed
from service.store.peek import describe_database
from service.toolsets_file import ToolsetsError, load_toolsets

if TYPE_CHECKING:
    from apps.sdk.catalog import Catalog
    from service.settings import Settings

Verdict: TypeAlias = tuple[bool, str]
"""Whether a part is fine, and a line about it."""


async def examine(settings: Settings) -> int:
    """Print what was looked at, a line each; 1 when something must be mended."""
    healthy = True
    async for fine, line in examine_parts(settings):
        healthy &= fine
        typer.echo(spell_out(f"{'ok  ' if fine else 'MEND'} {line}"))
    return 0 if healthy else 1


async def examine_parts(settings: Settings) -> AsyncIterator[Verdict]:
    """One part after the other; one that is broken does not hide the next."""
    unknown = settings.find_unknown_variables()
    yield not unknown, f"settings: no such variable: {', '.join(unknown)}" if unknown else "settings: every variable is known"
    yield examine_instructions(settings)
    toolsets, verdict = examine_toolsets(settings)
    yield verdict
    verdicts: list[Verdict] = []
    try:
        async with open_locally(settings) as services:
            verdicts += examine_apps(services.catalog)
            verdicts += examine_members(toolsets, services.catalog) if settings.has_own_toolsets else ()
            state = describe_database(settings.database_url)
            if state is None:
                await services.store.open()
            verdicts.append((True, f"store: {state or 'it opens and is at its newest schema'}"))
    except CommandFailed as error:
        verdicts.append((False, str(error)))
    for verdict in (*verdicts, *examine_models(settings)):
        yield verdict
    yield True, "retrieval: lexical only, no embeddings"


def examine_instructions(settings: Settings) -> Verdict:
    """Whether the base instructions can be used, and whether the models' rules fit them."""
    from service.instructions import InstructionsError, check_rules, load_instructions  # noqa: PLC0415 - only doctor needs them
    from service.settings import SettingsMismatch  # noqa: PLC0415

    try:
        check_rules(settings, load_instructions(settings.base_instructions))
    except (InstructionsError, SettingsMismatch) as error:
        return False, str(error)
    return True, f"base instructions: {settings.base_instructions.name}"


def examine_toolsets(settings: Settings) -> tuple[Toolsets, Verdict]:
    """The toolsets and overlays, none when their file cannot be used, and whether it can."""
    try:
        toolsets = load_toolsets(settings.toolsets)
    except ToolsetsError as error:
        return NO_TOOLSETS, (False, f"toolsets: {error}")
    counts = f"toolsets: {len(toolsets.sets)}, overlays: {len(toolsets.overlays)}"
    return toolsets, (True, f"toolsets: {settings.toolsets.name}, {counts}")


def examine_members(toolsets: Toolsets, catalog: Catalog) -> Iterator[Verdict]:
    """The skills that toolsets and overlays name in vain; nothing breaks by it, since apps come and go."""
    yield from ((True, f"toolsets: warning: {reason}") for reason in list_unknown_members(toolsets, NameIndex(catalog.skills)))


def examine_apps(catalog: Catalog) -> Iterator[Verdict]:
    """The catalog, then each error in it."""
    errors = [finding for finding in catalog.findings if finding.severity == "error"]
    yield not errors, f"apps: {len(catalog.apps)} with {len(catalog.skills)} skills, errors: {len(errors)}"
    for finding in errors:
        yield False, str(finding)


def examine_models(settings: Settings) -> Iterator[Verdict]:
    """Each model that may be asked: its name, and whether there is a key for it."""
    names = settings.model_names
    if not names:
        yield True, "models: none configured, offline stand-ins answer"
    for name in names:
        if "/" not in name:
            yield False, f"models: {name} says no provider; write provider/model, for example openai/gpt-5"
        elif missing := settings.misses_key(name):
            yield False, f"models: {name} has no key; set SHORTLIST_MODEL_API_KEY or export {missing}"
        else:
            yield True, f"models: {name}{f' at {settings.model_api_base}' if settings.model_api_base else ''}"
