"""What the cheap model is asked: the list of what there is, the recent messages, one forced function call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from apps.sdk.catalog import MAX_HINT, Catalog
from apps.sdk.chat import ChatRequest, Message, ToolDefinition
from apps.sdk.jsontypes import JsonObject
from apps.sdk.schemas.dialects.adapting import adapt
from apps.sdk.schemas.dialects.profiles import Profile
from apps.sdk.schemas.dialects.records import Refused
from apps.sdk.schemas.dialects.restoring import Plan
from apps.sdk.truncation import shorten, shorten_middle
from preprocessor.settings import PreprocessSettings

SKILLS = "relevant_app_skills"
FOCUS_MODES = "relevant_app_focus_modes"
MEMORIES = "relevant_app_settings_and_memories"
NEEDS = "needs"
FIELDS = (SKILLS, FOCUS_MODES, MEMORIES, NEEDS)
MAX_NEEDS = 5
MAX_NEED = 120
"""Characters of one need."""
MAX_MESSAGE = 4_000
"""Characters of a message that the model is shown; the head and the tail of a longer one stay."""


@dataclass(frozen=True, slots=True)
class PreselectionTexts:
    """The words of the preselection call. `headings` and `fields` have an entry for each of `FIELDS` (needs: no heading).

    `extra` are further properties of the function, by name: JSON Schemas. `left_out` marks a cut in a shortened message,
    `no_text` stands for a message that has none.
    """

    system: str
    function: str
    description: str
    headings: Mapping[str, str]
    fields: Mapping[str, str]
    left_out: str
    no_text: str
    extra: Mapping[str, JsonObject]


@dataclass(frozen=True, slots=True)
class Candidates:
    """What the model may pick from, each group in catalog order."""

    skills: tuple[str, ...] = ()
    focus_modes: tuple[str, ...] = ()
    memories: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.skills or self.focus_modes or self.memories)


def build_request(
    catalog: Catalog, candidates: Candidates, messages: Sequence[Message], texts: PreselectionTexts, settings: PreprocessSettings
) -> ChatRequest | None:
    """The call, or None when no user message is there to shortlist for.

    The system message and the function depend on the candidates alone, so they are the same bytes for every message.
    """
    recent = select_messages(messages, texts, settings.history_messages)
    if not recent:
        return None
    function = build_function(candidates, texts)
    system = Message("system", build_list(catalog, candidates, texts))
    return ChatRequest((system, *recent), (function,), function.name, settings.max_output_tokens)


def build_list(catalog: Catalog, candidates: Candidates, texts: PreselectionTexts) -> str:
    """The instructions, then every candidate with its hint, a line each; a group that is empty is left out."""
    groups = list_lines(catalog, candidates)
    blocks = ("\n".join((texts.headings[field].strip(), *lines)) for field, lines in groups.items() if lines)
    return "\n\n".join((texts.system.strip(), *blocks))


def list_lines(catalog: Catalog, candidates: Candidates) -> dict[str, list[str]]:
    """By field: the line of each candidate, one line whatever line breaks its author wrote."""
    return {
        SKILLS: [_write_line(name, catalog.skills[name].hint) for name in candidates.skills],
        FOCUS_MODES: [_write_line(mode_id, catalog.focus_modes[mode_id].hint) for mode_id in candidates.focus_modes],
        MEMORIES: [_write_line(memory_id, catalog.memories[memory_id].description) for memory_id in candidates.memories],
    }


def _write_line(name: str, hint: str) -> str:
    return f"- {name}: {' '.join(hint.split())[:MAX_HINT]}"


def build_function(candidates: Candidates, texts: PreselectionTexts) -> ToolDefinition:
    """The one function: closed lists of ids, the needs, the extra fields; all required."""
    groups = {SKILLS: candidates.skills, FOCUS_MODES: candidates.focus_modes, MEMORIES: candidates.memories}
    need: JsonObject = {"type": "string", "maxLength": MAX_NEED}
    properties: JsonObject = {
        NEEDS: {"type": "array", "items": need, "maxItems": MAX_NEEDS, "description": texts.fields[NEEDS]},
        **{
            field: {"type": "array", "items": {"type": "string", "enum": list(ids)}, "description": texts.fields[field]}
            for field, ids in groups.items()
            if ids
        },
        **texts.extra,
    }
    parameters = {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
    return ToolDefinition(texts.function, texts.description, parameters)


def adapt_function(function: ToolDefinition, profile: Profile) -> tuple[ToolDefinition, Plan | None]:
    """The function as the model's family takes it, and what to undo in its arguments; unchanged where it cannot be adapted."""
    adapted = adapt(function.parameters, profile)
    if isinstance(adapted, Refused):
        return function, None
    root = f"\n{adapted.description}" if adapted.description else ""
    shown = shorten(f"{function.description}{root}", profile.max_tool_description)
    return ToolDefinition(function.name, shown, adapted.schema, strict=profile.all_required), adapted.plan


def select_messages(messages: Sequence[Message], texts: PreselectionTexts, most: int) -> tuple[Message, ...]:
    """The last `most` messages of user and assistant, as text alone, shortened; the first and the last are the user's.

    Tool calls and results are left out: the model would take them for its own. Neighbours of one role become one message,
    which some providers insist on.
    """
    spoken = [message for message in messages if message.role == "user" or (message.role == "assistant" and message.text.strip())]
    while spoken and spoken[-1].role != "user":
        spoken.pop()
    recent = spoken[-max(1, most) :]
    while recent and recent[0].role != "user":
        recent.pop(0)
    return _merge_neighbours(Message(item.role, _shorten(item.text, texts)) for item in recent)


def _merge_neighbours(messages: Iterable[Message]) -> tuple[Message, ...]:
    merged: list[Message] = []
    for message in messages:
        if merged and merged[-1].role == message.role:
            merged[-1] = Message(message.role, f"{merged[-1].text}\n\n{message.text}")
        else:
            merged.append(message)
    return tuple(merged)


def _shorten(text: str, texts: PreselectionTexts) -> str:
    return shorten_middle(text, MAX_MESSAGE, texts.left_out) if text.strip() else texts.no_text
