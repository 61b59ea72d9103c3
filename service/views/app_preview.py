"""What the models would see of one app, and whether the ranking would find its skills. `shortlist preview` shows it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from apps.sdk.catalog import App, Catalog, SkillSpec
from apps.sdk.jsontypes import JsonObject
from apps.sdk.results.model_copy import write_for_model
from apps.sdk.schemas.dialects.records import Lost, Refused
from apps.sdk.schemas.dialects.tool_schemas import ToolSchemas
from apps.sdk.tokens import estimate_definition, estimate_tokens
from preprocessor.example_ranks import ExampleRank, rank_examples
from preprocessor.prompt import Candidates, list_lines
from preprocessor.tools import build_definition


@dataclass(frozen=True, slots=True)
class TextPreview:
    """A text that a model is sent, and about how many tokens it costs."""

    text: str
    tokens: int


@dataclass(frozen=True, slots=True)
class OutputPreview:
    """`output_example` as the model would read it, what that costs, and what compact JSON of the same fields would."""

    toon: str
    tokens: int
    json_tokens: int


@dataclass(frozen=True, slots=True)
class ToolPreview:
    """A tool as it is sent, and its result. `off` says why it is not available as the settings are, or cannot be sent.

    `lost` are the meanings that the definition tells in words at best, since the models' family takes no keyword for them.
    """

    name: str
    definition: JsonObject
    lost: tuple[str, ...]
    tokens: int
    output: OutputPreview | None
    off: str | None


@dataclass(frozen=True, slots=True)
class SetAside:
    """What cannot be used, why, and where."""

    id: str
    reason: str
    place: str


@dataclass(frozen=True, slots=True)
class ExamplesPreview:
    """Every example, ranked by an index without it among all `skills` of the catalog; `first` of them find their skill first."""

    ranks: tuple[ExampleRank, ...]
    first: int
    above_floor: int
    floor: float
    skills: int


@dataclass(frozen=True, slots=True)
class AppPreview:
    """`lines` are those of the preselection prompt, `findings` the number of each severity."""

    id: str
    name: str
    lines: tuple[TextPreview, ...]
    instructions: tuple[TextPreview, ...]
    tools: tuple[ToolPreview, ...]
    set_aside: tuple[SetAside, ...]
    findings: Mapping[str, int]
    examples: ExamplesPreview


def preview_app(catalog: Catalog, app: App, off: Mapping[str, str], *, schemas: ToolSchemas, floor: float) -> AppPreview:
    """The preview of an app of the catalog; `off` has the reasons of skills that are not available, by name."""
    candidates = Candidates(
        tuple(skill.tool_name for skill in app.skills),
        tuple(mode.id for mode in app.focus_modes),
        tuple(memory.id for memory in app.memories),
    )
    return AppPreview(
        id=app.id,
        name=app.name,
        lines=tuple(_price(line) for lines in list_lines(catalog, candidates).values() for line in lines),
        instructions=tuple(_price(instruction.text) for instruction in app.instructions),
        tools=tuple(_preview_tool(skill, off.get(skill.tool_name), schemas) for skill in app.skills),
        set_aside=tuple(SetAside(item.id, item.reason, str(item.position)) for item in app.quarantined),
        findings=dict(Counter(finding.severity for finding in app.findings)),
        examples=_preview_examples(catalog, app, floor),
    )


def _price(text: str) -> TextPreview:
    return TextPreview(text, estimate_tokens(text))


def _preview_tool(skill: SkillSpec, off: str | None, schemas: ToolSchemas) -> ToolPreview:
    tool, adapted = build_definition(skill, schemas), schemas.find(skill)
    lost = () if isinstance(adapted, Refused) else tuple(_describe_loss(loss) for loss in adapted.lost)
    output = None
    if skill.output_example is not None:
        text = write_for_model(skill.output_example, skill.exclude_fields)
        output = OutputPreview(text.toon, text.tokens, text.json_tokens)
    if isinstance(tool, Refused):
        return ToolPreview(skill.tool_name, {}, lost, 0, output, off or f"its schema cannot be sent: {tool.reason}")
    return ToolPreview(skill.tool_name, tool.to_wire(), lost, estimate_definition(tool), output, off)


def _describe_loss(loss: Lost) -> str:
    place = "/".join(map(str, loss.path)) or "the root"
    return f"{place}: {loss.keyword}: {loss.meaning}{'' if loss.told else ' (not told)'}"


def _preview_examples(catalog: Catalog, app: App, floor: float) -> ExamplesPreview:
    ranks = tuple(rank_examples(catalog, app.skills, floor)) if any(skill.examples for skill in app.skills) else ()
    return ExamplesPreview(
        ranks=ranks,
        first=sum(rank.is_first for rank in ranks),
        above_floor=sum(rank.above_floor for rank in ranks),
        floor=floor,
        skills=len(catalog.skills),
    )
