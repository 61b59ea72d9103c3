"""A call's result as the model reads it (TOON) and as the caller gets it (JSON).

The whole message is one TOON document: our own keys stand at the start of lines, a skill's data is indented under them, and
line breaks in it are escaped. So no text of a result can pass for an outcome, another call or a message.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from apps.sdk.catalog import SkillSpec
from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.results.blocks import holds_blocks
from apps.sdk.results.characters import clean_characters
from apps.sdk.results.conversion import to_json
from apps.sdk.results.model_copy import copy_for_model
from apps.sdk.results.paths import exclude_fields
from apps.sdk.results.toon import encode, encode_items
from apps.sdk.schemas.parameters import request_items
from apps.sdk.schemas.references import properties_of
from apps.sdk.truncation import replace_surrogates
from apps.sdk.walks import map_strings
from executor.blocks import render_blocks
from executor.cut import Cut, advise_less, cut_to_size, json_size, share_budget
from executor.policy import Limits
from executor.results import CallResult, EntryResult

_REQUEST_BYTES = 1_000
_EXPANSION = 3
_ROUNDS = 4


@dataclass(frozen=True, slots=True)
class Rendered:
    """A tool message's content: TOON text, or content blocks where a skill returned such."""

    content: str | list[JsonObject]
    rows_left_out: int = 0
    characters_removed: int = 0


@dataclass(frozen=True, slots=True)
class _Draft:
    """The message, encoded; `remarkable` when it says more than the data."""

    text: str
    remarkable: bool
    rows_left_out: int
    characters_removed: int

    @property
    def size(self) -> int:
        return len(self.text.encode())


def render_result(result: CallResult, skill: SkillSpec | None, limits: Limits) -> Rendered:
    """The tool message for one call, at most `limits.result_bytes_for_llm` bytes.

    Images do not count, and outcomes, ids and errors are never left out. Takes up to some tenths of a second for results of
    megabytes: run it in a thread where that matters.
    """
    excluded = skill.exclude_fields if skill is not None else ()
    copies = [exclude_fields(entry.data, excluded) if entry.succeeded else None for entry in result.entries]
    blocks = [copy if holds_blocks(copy) else None for copy in copies]
    plain = [None if block else copy for copy, block in zip(copies, blocks, strict=True)]
    draft = _fit(result, plain, blocks, skill, limits.result_bytes_for_llm)
    if not any(blocks):
        return Rendered(draft.text, draft.rows_left_out, draft.characters_removed)
    alone = len(blocks) == 1 and not draft.remarkable
    content, removed = render_blocks(
        None if alone else draft.text,
        [(entry.id, block) for entry, block in zip(result.entries, blocks, strict=True) if block],
        limits.result_bytes_for_llm,
    )
    return Rendered(content, draft.rows_left_out, draft.characters_removed + removed)


def full_json(result: CallResult) -> JsonObject:
    """Everything about a call, for the caller; JSON whatever a skill or a model wrote."""
    head = {
        "call_id": result.call_id,
        "tool": result.name,
        "outcome": result.outcome,
        "batched": result.batched,
        "notes": list(result.notes),
        "error": result.error.to_json() if result.error else None,
    }
    return {**map_strings(head, replace_surrogates), "results": [_full_entry(entry) for entry in result.entries]}


def _full_entry(entry: EntryResult) -> JsonObject:
    fields = {
        "id": entry.id,
        "status": entry.status,
        "request": entry.request,
        "data": None,
        "note": entry.note,
        "notes": list(entry.notes),
        "error": entry.error.to_json() if entry.error else None,
        "seconds": round(entry.seconds, 6),
    }
    clean: JsonObject = map_strings(fields, replace_surrogates)
    return {**clean, "request": to_json(clean["request"], max_bytes=sys.maxsize), "data": entry.data}


def _fit(result: CallResult, copies: Sequence[Json], blocks: Sequence[Json], skill: SkillSpec | None, limit: int) -> _Draft:
    """The whole message if it fits; else each entry gets a fair share, less and less until it does."""
    sizes = [json_size(copy) for copy in copies]
    if sum(sizes) <= _EXPANSION * limit:
        draft = _draft(result, [Cut(copy) for copy in copies], blocks, skill)
        if draft.size <= limit:
            return draft
    budget = limit - _draft(result, [Cut(None) for _ in copies], blocks, skill).size
    for _ in range(_ROUNDS):
        share = share_budget(sizes, budget)
        cuts = [cut_to_size(copy, max(share, 0), _measure_nested) for copy in copies]
        draft = _draft(result, cuts, blocks, skill)
        if draft.size <= limit:
            return draft
        budget -= draft.size - limit + 64
    return _draft(result, [_give_up(copy) for copy in copies], blocks, skill)


def _give_up(copy: Json) -> Cut:
    rows = len(copy) if isinstance(copy, list) else 0
    return Cut(None, rows, ("The result is too large to show.",)) if copy is not None else Cut(None)


def _measure_nested(value: Json) -> int:
    """Bytes of a value where it will stand: cleaned, aligned and indented."""
    return len(encode_items("results", [{"id": 1, "data": copy_for_model(value).value}]).encode())


def _draft(result: CallResult, cuts: Sequence[Cut], blocks: Sequence[Json], skill: SkillSpec | None) -> _Draft:
    shaped = [copy_for_model(cut.value) for cut in cuts]
    rows = sum(cut.rows_left_out for cut in cuts)
    entries = [
        _describe_entry(entry, copy.value, cut.notes, has_blocks=bool(block))
        for entry, copy, cut, block in zip(result.entries, shaped, cuts, blocks, strict=True)
    ]
    notes = list(result.notes)
    if any(cut.notes for cut in cuts):
        notes.append(advise_less(_argument_names(skill)))
    head, parts, removed = _assemble(result, entries, notes)
    remarkable = any(part.keys() - {"tool", "outcome", "id", "status", "data"} for part in (head, *entries))
    return _Draft(_write(head, parts), remarkable, rows, removed + sum(copy.removed for copy in shaped))


def _assemble(result: CallResult, entries: list[JsonObject], notes: list[str]) -> tuple[JsonObject, list[JsonObject], int]:
    """The message's head and the list of results, cleaned; a skill without `requests` has its one result in the head."""
    head: JsonObject = {"tool": result.name, "outcome": result.outcome}
    if result.error is not None:
        head["error"] = result.error.to_json()
    if notes:
        head["notes"] = notes
    if not result.batched and entries:
        hidden = {"id", "status"} if entries[0]["status"] in {"ok", "error"} else {"id"}
        all_notes = [*notes, *entries[0].get("notes", [])]
        head |= {key: value for key, value in entries[0].items() if key not in hidden}
        head |= {"notes": all_notes} if all_notes else {}
        entries = []
    cleaned, parts = clean_characters(head), [clean_characters(entry) for entry in entries]
    return cleaned.value, [part.value for part in parts], cleaned.removed + sum(part.removed for part in parts)


def _write(head: JsonObject, results: list[JsonObject]) -> str:
    """Results are a table when they are many and all went well, else a list, where an error can be read."""
    if not results:
        return encode(head)
    if len(results) > 1 and not any("error" in entry for entry in results):
        return encode({**head, "results": results})
    return f"{encode(head)}\n{encode_items('results', results)}"


def _describe_entry(entry: EntryResult, data: Json, cut_notes: Sequence[str], *, has_blocks: bool) -> JsonObject:
    fields: JsonObject = {"id": entry.id, "status": entry.status}
    if entry.error is not None:
        if entry.status == "error":
            fields["request"] = cut_to_size(entry.request, _REQUEST_BYTES, json_size).value
        fields["error"] = entry.error.to_json()
    notes = [*entry.notes, *([entry.note] if entry.note else []), *cut_notes]
    if len(notes) == 1:
        fields["note"] = notes[0]
    elif notes:
        fields["notes"] = notes
    if has_blocks:
        fields["data"] = "(content blocks below)"
    elif entry.error is None:
        fields["data"] = data
    return fields


def _argument_names(skill: SkillSpec | None) -> list[str]:
    if skill is None:
        return []
    items = request_items(skill.parameters)
    return list(properties_of(items or skill.parameters, skill.parameters))
