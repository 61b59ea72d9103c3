"""`shortlist preview`."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from apps.sdk.catalog import App, Catalog
from apps.sdk.loader import add_app, load_one_app
from apps.sdk.loading.app import MANIFEST
from apps.sdk.near_names import SEVERAL, find_near
from apps.sdk.schemas.dialects.tool_schemas import ToolSchemas
from apps.sdk.shown import spell_out
from apps.sdk.truncation import shorten
from preprocessor.example_ranks import ExampleRank
from preprocessor.intent import Intent
from service.commands.failures import UsageError
from service.commands.local import open_locally
from service.commands.output import print_lines
from service.commands.running import LOCAL
from service.views.app_preview import AppPreview, ExamplesPreview, TextPreview, ToolPreview, preview_app

if TYPE_CHECKING:
    from service.settings import Settings


async def preview_once(settings: Settings, wanted: str, *, as_json: bool) -> int:
    """Print what the models would see of the app, by id or by folder. Raises `UsageError` when there is none."""
    async with open_locally(settings) as services:
        app = find_app(services.catalog, wanted)
        catalog = add_app(services.catalog, app)
        expansion = await dataclasses.replace(services, catalog=catalog).expand(LOCAL, Intent())
        preview = preview_app(
            catalog,
            app,
            {drop.name: drop.reason for drop in expansion.dropped},
            schemas=ToolSchemas(settings.profile, settings.requests_per_call),
            floor=settings.preselection_floor,
        )
    print_lines([json.dumps(dataclasses.asdict(preview), indent=2, ensure_ascii=False)] if as_json else show_preview(preview))
    return 0


def find_app(catalog: Catalog, wanted: str) -> App:
    """The app of that id, or the one in that folder, which need not be among the settings'. Raises `UsageError`."""
    if wanted in catalog.by_app:
        return catalog.by_app[wanted]
    folder = Path(wanted)
    if os.path.isfile(folder / MANIFEST):  # noqa: PTH113 - of a name that no file can have it says no
        known = (app for app in catalog.apps if app.path.resolve() == folder.resolve())
        return next(known, None) or load_one_app(folder)
    close = ", ".join(find_near(wanted, catalog.by_app, SEVERAL))
    hint = f"close: {close}" if close else f"there are: {', '.join(catalog.by_app) or 'none'}"
    name = shorten(spell_out(wanted), 200)
    raise UsageError(f"there is no app {name}, and no folder of that name with an {MANIFEST}; {hint}")


def show_preview(preview: AppPreview) -> Iterator[str]:
    """The preview in lines; texts of authors are printed as they are, control characters spelled out."""
    counts = ", ".join(f"{severity}: {count}" for severity, count in preview.findings.items()) or "none"
    yield spell_out(f"{preview.id}: {preview.name}; findings: {counts}")
    yield from (spell_out(f"set aside: {item.id}: {item.place}: {item.reason}") for item in preview.set_aside)
    yield from _show_texts("the shortlisting model reads", preview.lines)
    yield from _show_texts("the main model reads, once a skill of the app is sent", preview.instructions)
    for tool in preview.tools:
        yield from _show_tool(tool)
    yield from _show_examples(preview.examples)


def _show_texts(heading: str, texts: tuple[TextPreview, ...]) -> Iterator[str]:
    if texts:
        yield ""
        yield f"{heading}, about {_count(sum(text.tokens for text in texts))}:"
        yield from (f"{text.tokens:>6}  {_flatten(text.text)}" for text in texts)


def _show_tool(tool: ToolPreview) -> Iterator[str]:
    yield ""
    yield f"{tool.name}, about {_count(tool.tokens)}{f'; not available: {_flatten(tool.off)}' if tool.off else ''}:"
    yield f"        {_flatten(json.dumps(tool.definition, ensure_ascii=False, separators=(',', ':')))}"
    if tool.lost:
        yield "    what the models' family takes no keyword for, told in words where it can be:"
        yield from (f"        {_flatten(line)}" for line in tool.lost)
    if tool.output:
        yield f"    its output_example, {_count(tool.output.tokens)} as TOON, {tool.output.json_tokens} as compact JSON:"
        yield from (f"        {spell_out(line)}" for line in tool.output.toon.split("\n"))


def _show_examples(examples: ExamplesPreview) -> Iterator[str]:
    total = len(examples.ranks)
    yield ""
    if not total:
        yield "examples: there are none"
        return
    yield f"each example as a message, to an index without it, among {examples.skills} skills; floor {examples.floor:g}:"
    yield from (_flatten(_describe_rank(rank)) for rank in examples.ranks)
    yield f"examples: {examples.first} of {total} rank their skill first, {examples.above_floor} of {total} are above the floor"


def _describe_rank(rank: ExampleRank) -> str:
    verdict = "first " if rank.is_first else "behind" if rank.score else "lost  "
    ahead = f"; {rank.ahead} is ahead by {rank.ahead_by:.2f}" if rank.ahead else ""
    low = "" if rank.above_floor else "; not above the floor"
    return f"  {verdict}  {rank.score:.2f}  {rank.skill}: {rank.example}{ahead}{low}"


def _count(tokens: int) -> str:
    return f"{tokens} token" if tokens == 1 else f"{tokens} tokens"


def _flatten(text: str) -> str:
    return spell_out(" ".join(text.splitlines()))
