"""What is sent: which tools, in which order, why, and which app instructions belong to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal, TypeAlias

from apps.sdk.catalog import Catalog
from apps.sdk.chat import Message, ToolDefinition
from apps.sdk.contract import Contract, make_contract
from apps.sdk.names import resolve_name
from apps.sdk.schemas.dialects.records import Refused
from apps.sdk.schemas.dialects.tool_schemas import ToolSchemas
from preprocessor.expand import Expansion
from preprocessor.settings import PreprocessSettings
from preprocessor.tools import build_definition
from preprocessor.toolsets import NO_TOOLSETS, Toolsets

ExposureSource: TypeAlias = Literal["resident", "history", "preselected", "follow_up"]
MAX_REPAIRED = 32
"""Names in a history, not in the catalog, that are compared with every available skill."""


@dataclass(frozen=True, slots=True)
class AppInstruction:
    """A part of the system prompt; `categories` are the author's labels, carried along for whoever reads the trace."""

    app_id: str
    text: str
    categories: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Exposure:
    """The tools of this turn, in the order in which they are sent; `sources` says of each why it is sent.

    With no `tools` neither `tools` nor `tool_choice` goes on the wire. The contract's skills are all that are available, but
    for the `refused`, with the reason: their schemas cannot be written for the models that are asked.
    """

    tools: tuple[ToolDefinition, ...]
    sources: Mapping[str, ExposureSource]
    app_instructions: tuple[AppInstruction, ...]
    contract: Contract
    refused: Mapping[str, str] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(tool.name for tool in self.tools)

    @property
    def instructions(self) -> tuple[str, ...]:
        """The instructions' texts, in catalog order."""
        return tuple(instruction.text for instruction in self.app_instructions)


def expose(
    catalog: Catalog,
    expansion: Expansion,
    preselected: Sequence[str],
    history_skills: Sequence[str] = (),
    settings: PreprocessSettings | None = None,
    *,
    schemas: ToolSchemas | None = None,
    toolsets: Toolsets = NO_TOOLSETS,
) -> Exposure:
    """Residents, what the history called, what was preselected, and their follow-ups; of too many, in that order, `tools_max`.

    Sent are the residents first, then all others, both in expansion order: the same set is the same bytes, whatever each is
    sent for. What is not available is passed over, so that nothing widens the expansion. The skill of an overlay of `toolsets`
    carries what providers have in its place.
    """
    settings = settings or PreprocessSettings()
    schemas = schemas or ToolSchemas(requests_per_call=settings.requests_per_call)
    sources = _order(catalog, expansion, preselected, history_skills, settings)
    built = {name: build_definition(catalog.skills[name], schemas) for name in sources}
    builtins = {item.skill: item.builtins for item in toolsets.overlays.values() if item.skill in expansion.overlays}
    tools = tuple(
        replace(tool, builtins=builtins[name]) if name in builtins else tool
        for name, tool in built.items()
        if isinstance(tool, ToolDefinition)
    )
    refused = {name: tool.reason for name, tool in built.items() if isinstance(tool, Refused)}
    return Exposure(
        tools=tools,
        sources=MappingProxyType({tool.name: sources[tool.name] for tool in tools}),
        app_instructions=_list_instructions(catalog, frozenset(catalog.skills[tool.name].app_id for tool in tools)),
        contract=make_contract(catalog, (name for name in expansion.available if name not in refused), schemas),
        refused=MappingProxyType(refused),
    )


def find_called_skills(messages: Iterable[Message], catalog: Catalog, available: Sequence[str], most: int) -> tuple[str, ...]:
    """The `most` available skills that `messages` called last, in the order of those calls; a few misspelt names are repaired."""
    latest = list(dict.fromkeys(reversed([call.name for message in messages for call in message.tool_calls])))
    misspelt = [text for text in latest if text not in catalog.known_names][:MAX_REPAIRED]
    meant = {**{text: resolve_name(text, available).name for text in misspelt}, **dict(zip(available, available, strict=True))}
    called = dict.fromkeys(name for text in latest if (name := meant.get(text)))
    return tuple(reversed(list(called)[:most]))


def _order(
    catalog: Catalog,
    expansion: Expansion,
    preselected: Iterable[str],
    history_skills: Iterable[str],
    settings: PreprocessSettings,
) -> dict[str, ExposureSource]:
    available = frozenset(expansion.available)
    picks = frozenset((*expansion.picks[: settings.resident_picks], *expansion.overlays))
    groups: tuple[tuple[ExposureSource, Iterable[str]], ...] = (
        ("resident", (name for name in expansion.available if name in picks or catalog.skills[name].resident)),
        ("history", history_skills),
        ("preselected", preselected),
    )
    sources: dict[str, ExposureSource] = {}
    for source, names in groups:
        for name in names:
            if name in available:
                sources.setdefault(name, source)
    for follow_up in [follow_up for name in sources for follow_up in catalog.skills[name].follow_ups]:
        if follow_up in available:
            sources.setdefault(follow_up, "follow_up")
    chosen = dict(list(sources.items())[: settings.tools_max])
    residents = (name for name, source in chosen.items() if source == "resident")
    return {name: chosen[name] for name in (*residents, *expansion.available) if name in chosen}


def _list_instructions(catalog: Catalog, app_ids: frozenset[str]) -> tuple[AppInstruction, ...]:
    """All instructions of the apps with a skill that is really sent, with and without categories."""
    apps = (app for app in catalog.apps if app.id in app_ids)
    return tuple(AppInstruction(app.id, item.text, item.categories) for app in apps for item in app.instructions)
