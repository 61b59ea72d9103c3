"""`shortlist doctor`."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import typer

from apps.sdk.schemas.dialects.tool_schemas import ToolSchemas
from apps.sdk.shown import spell_out
from preprocessor.name_patterns import NameIndex
from preprocessor.tools import find_refused
from preprocessor.toolsets import NO_TOOLSETS, Toolsets, list_unknown_members
from service.access.addresses import is_loopback_only
from service.access.anonymous import choose_anonymous
from service.access.keys import SCOPES, AccessKey
from service.commands.local import open_locally
from service.commands.running import CommandFailed
from service.store.peek import describe_database
from service.toolsets_file import ToolsetsError, load_toolsets

if TYPE_CHECKING:
    from apps.sdk.catalog import Catalog
    from service.settings import Settings

Mark: TypeAlias = Literal["ok", "WARN", "MEND"]
Verdict: TypeAlias = tuple[Mark, str]
"""What a part is like, and a line about it. `WARN`: it works as it was set, which may not be what was meant."""

MAKE_KEY: Final = "make one with `shortlist keys add NAME --scope admin`"


async def examine(settings: Settings) -> int:
    """Print what was looked at, a line each; 1 when something must be mended."""
    healthy = True
    async for mark, line in examine_parts(settings):
        healthy &= mark != "MEND"
        typer.echo(spell_out(f"{mark:4} {line}"))
    return 0 if healthy else 1


async def examine_parts(settings: Settings) -> AsyncIterator[Verdict]:
    """One part after the other; one that is broken does not hide the next."""
    unknown = settings.find_unknown_variables()
    if unknown:
        yield "MEND", f"settings: no such variable: {', '.join(unknown)}"
    else:
        yield "ok", "settings: every variable is known"
    yield examine_instructions(settings)
    toolsets, verdict = examine_toolsets(settings)
    yield verdict
    verdicts: list[Verdict] = []
    try:
        async with open_locally(settings) as services:
            verdicts += examine_apps(services.catalog)
            verdicts += examine_members(toolsets, services.catalog) if settings.has_own_toolsets else ()
            verdicts += examine_schemas(services.catalog, settings)
            state = describe_database(settings.database_url)
            if state is None:
                await services.store.open()
            verdicts.append(("ok", f"store: {state or 'it opens and is at its newest schema'}"))
            verdicts.append(await examine_keys(settings, (*settings.fixed_keys, *await services.store.read_keys())))
    except CommandFailed as error:
        verdicts.append(("MEND", str(error)))
    for verdict in (*verdicts, *examine_models(settings)):
        yield verdict
    yield "ok", "retrieval: lexical only, no embeddings"


async def examine_keys(settings: Settings, keys: Sequence[AccessKey]) -> Verdict:
    """Whether requests need a key where the service would listen, and how many there are of each scope."""
    try:
        anonymous = await choose_anonymous(settings)
        local = await is_loopback_only(settings.host)
    except OSError:
        return "MEND", f"keys: SHORTLIST_HOST={settings.host} leads nowhere"
    scopes = Counter(key.scope for key in keys)
    there = f"active: {', '.join(f'{scope} {scopes[scope]}' for scope in SCOPES)}"
    if anonymous == "nobody":
        if not keys:
            return "MEND", f"keys: every request would need one and there is none, so the service would not start; {MAKE_KEY}"
        return "ok", f"keys: every request needs one; {there}"
    if local:
        return "ok", f"keys: none is needed, since only this machine reaches {settings.host}; {there}"
    return "WARN", f"keys: whoever reaches {settings.host} may do everything without one (SHORTLIST_ALLOW_ANONYMOUS); {MAKE_KEY}"


def examine_instructions(settings: Settings) -> Verdict:
    """Whether the base instructions can be used, and whether the models' rules fit them."""
    from service.instructions import InstructionsError, check_rules, load_instructions  # noqa: PLC0415 - only doctor needs them
    from service.settings import SettingsMismatch  # noqa: PLC0415

    try:
        check_rules(settings, load_instructions(settings.base_instructions))
    except (InstructionsError, SettingsMismatch) as error:
        return "MEND", str(error)
    return "ok", f"base instructions: {settings.base_instructions.name}"


def examine_toolsets(settings: Settings) -> tuple[Toolsets, Verdict]:
    """The toolsets and overlays, none when their file cannot be used, and whether it can."""
    try:
        toolsets = load_toolsets(settings.toolsets)
    except ToolsetsError as error:
        return NO_TOOLSETS, ("MEND", f"toolsets: {error}")
    counts = f"toolsets: {len(toolsets.sets)}, overlays: {len(toolsets.overlays)}"
    return toolsets, ("ok", f"toolsets: {settings.toolsets.name}, {counts}")


def examine_members(toolsets: Toolsets, catalog: Catalog) -> Iterator[Verdict]:
    """The skills that toolsets and overlays name in vain; nothing breaks by it, since apps come and go."""
    yield from (("WARN", f"toolsets: {reason}") for reason in list_unknown_members(toolsets, NameIndex(catalog.skills)))


def examine_apps(catalog: Catalog) -> Iterator[Verdict]:
    """The catalog, then each error in it."""
    errors = [finding for finding in catalog.findings if finding.severity == "error"]
    yield "MEND" if errors else "ok", f"apps: {len(catalog.apps)} with {len(catalog.skills)} skills, errors: {len(errors)}"
    for finding in errors:
        yield "MEND", str(finding)


def examine_schemas(catalog: Catalog, settings: Settings) -> Iterator[Verdict]:
    """Each skill that the configured models cannot be sent."""
    for name, reason in find_refused(catalog, ToolSchemas(settings.profile, settings.requests_per_call)).items():
        yield "MEND", f"apps: {name} cannot be sent to the models (schemas: {settings.profile.name}): {reason}"


def examine_models(settings: Settings) -> Iterator[Verdict]:
    """Each model that may be asked: its name, and whether there is a key for it."""
    names = settings.model_names
    if not names:
        yield "ok", "models: none configured, offline stand-ins answer"
    for name in names:
        if "/" not in name:
            yield "MEND", f"models: {name} says no provider; write provider/model, for example openai/gpt-5"
        elif missing := settings.misses_key(name):
            yield "MEND", f"models: {name} has no key; set SHORTLIST_MODEL_API_KEY or export {missing}"
        else:
            yield "ok", f"models: {name}{f' at {settings.model_api_base}' if settings.model_api_base else ''}"
