"""`shortlist expand`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, get_args

import typer

from apps.sdk.shown import spell_out
from apps.sdk.skill import Source
from preprocessor.expand import Expansion
from service.commands.local import open_locally
from service.commands.running import LOCAL, UsageError, read_intent
from service.turns.request import Caller

if TYPE_CHECKING:
    from service.settings import Settings


async def expand_once(settings: Settings, intent: str | None, source: str, *, as_json: bool) -> int:
    """Print what is available and why the rest is not."""
    wanted, caller = read_intent(intent, settings), read_source(source)
    async with open_locally(settings) as services:
        expansion = await services.expand(caller, wanted)
    if as_json:
        from service.views.preparation import describe_expansion  # noqa: PLC0415 - costs half a second with what it imports

        typer.echo(json.dumps(describe_expansion(expansion).model_dump(mode="json"), indent=2, ensure_ascii=False))
    else:
        show_expansion(expansion)
    return 0


def read_source(text: str) -> Caller:
    """The local caller, as from `text`. Raises `UsageError`."""
    for source in get_args(Source):
        if source == text:
            return Caller(LOCAL.tenant, LOCAL.user, source)
    raise UsageError(f"--source: one of {', '.join(get_args(Source))}")


def show_expansion(expansion: Expansion) -> None:
    """One line per name, then what each pattern matched and what is worth a second look."""
    sent = {**dict.fromkeys(expansion.picks, "picked"), **dict.fromkeys(expansion.overlays, "switched on")}
    for name in expansion.available:
        typer.echo(f"{name}  ({sent[name]})" if name in sent else name)
    for drop in expansion.dropped:
        typer.echo(spell_out(f"- {drop.name}: {drop.reason}"))
    for name in expansion.unknown:
        typer.echo(spell_out(f"? {name}: there is no such skill"))
    for match in expansion.matches:
        typer.echo(spell_out(f"= {match.key}: {match.pattern}: {', '.join(match.names) or 'nothing'}"))
    if expansion.missing_standard:
        typer.echo(f"! missing of the standard set: {', '.join(expansion.missing_standard)}")
    for warning in expansion.warnings:
        typer.echo(spell_out(f"! {warning}"))
