"""What is sent: which tools, in which order, why, and which app instructions belong to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from apps.sdk.catalog import Catalog
from apps.sdk.chat import Message, ToolDefinition
from apps.sdk.contract import Contract
from preprocessor.expand import Expansion
from preprocessor.settings import PreprocessSettings
from preprocessor.tools import build_definition
from preprocessor.validate import MAX_NAME_LENGTH, repair_name

ExposureSource: TypeAlias = Literal["resident", "history", "preselected", "follow_up"]


@dataclass(frozen=True, slots=True)
class AppInstruction:
    """A part of the system prompt; `categories` are the author's labels, carried along for whoever reads the trace."""

    app_id: str
    text: str
    categories: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Exposure:
    """The tools of this turn, in the order in which they are sent; `sources` says of each why it is sent.

    With no `tools` neither `tools` nor `tool_choice` goes on the wire. The contract's skills are all that are available.
    """

    tools: tuple[ToolDefinition, ...]
    sources: Mapping[str, ExposureSource]
    app_instructions: tuple[AppInstruction, ...]
    contract: Contract

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
) -> Exposure:
    """Residents in expansion order, then what the history called, then what was preselected, then their follow-ups.

    `preselected` and `history_skills` keep the order given; what is not available is passed over, so neither can widen the
    expansion. At most `tools_max` tools.
    """
    settings = settings or PreprocessSettings()
    sources = _order(catalog, expansion, preselected, history_skills, settings)
    shown = [catalog.skills[name] for name in sources]
    return Exposure(
        tools=tuple(build_definition(skill, settings.requests_per_call) for skill in shown),
        sources=sources,
        app_instructions=_list_instructions(catalog, frozenset(skill.app_id for skill in shown)),
        contract=Contract(catalog.digest, {name: catalog.skills[name] for name in expansion.available}, frozenset(sources)),
    )


def find_called_skills(messages: Iterable[Message], names: Sequence[str], most: int) -> tuple[str, ...]:
    """The skills called in `messages` that are among `names`, in order of their first call; the `most` called last."""
    known = dict.fromkeys(names)
    called: dict[str, None] = {}
    written = (call.name for message in messages for call in message.tool_calls)
    for text in list(dict.fromkeys(reversed(list(written))))[:most]:
        name = text if text in known else repair_name(text[:MAX_NAME_LENGTH], known)
        if name is not None:
            called[name] = None
    return tuple(reversed(called))


def _order(
    catalog: Catalog,
    expansion: Expansion,
    preselected: Iterable[str],
    history_skills: Iterable[str],
    settings: PreprocessSettings,
) -> dict[str, ExposureSource]:
    available = frozenset(expansion.available)
    picks = frozenset(expansion.picks[: settings.resident_picks])
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
    return dict(list(sources.items())[: settings.tools_max])


def _list_instructions(catalog: Catalog, app_ids: frozenset[str]) -> tuple[AppInstruction, ...]:
    """All instructions of the apps with a skill that is really sent, with and without categories."""
    apps = (app for app in catalog.apps if app.id in app_ids)
    return tuple(AppInstruction(app.id, item.text, item.categories) for app in apps for item in app.instructions)
