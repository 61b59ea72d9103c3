"""Cutting a result to a size at the boundaries of rows, with a word about what was left out."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import orjson

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.schemas.faults import join_path
from apps.sdk.truncation import shorten

_MAX_NOTES = 5
_MIN_TEXT = 40
_MIN_SHARE = 16
_ROUNDS = 6
_NARROWING = re.compile(
    r"limit|count|(max|num)_?results|page(_?size)?|per_page|offset|cursor|top(_k)?|size|rows|first|filters?|fields|columns|"
    r"start|end|since|until|from|to|date_(from|to)",
    re.IGNORECASE,
)
"""Arguments by which skills usually let one ask for less."""

_EXPANSION = 3


@dataclass(frozen=True, slots=True)
class Cut:
    """What is left, how many rows are not in it, and notes for the model."""

    value: Json
    rows_left_out: int = 0
    notes: tuple[str, ...] = ()


def cut_to_size(value: Json, limit: int, measure: Callable[[Json], int]) -> Cut:
    """The most of `value` whose `measure` is at most `limit` bytes, as whole rows where there are rows.

    Budgets are spent in bytes of JSON, which is quick to count; what they come to is measured, and the budget corrected.
    """
    total = json_size(value)
    if total <= _EXPANSION * limit and measure(value) <= limit:
        return Cut(value)
    budget, best = min(total, limit), Cut(None, notes=("The result is too large to show.",))
    for _ in range(_ROUNDS):
        cut = _spend(value, budget) if budget < total else Cut(value)
        size = measure(cut.value)
        if size <= limit:
            best = cut
            if size > 0.75 * limit or budget >= total:
                break
        budget = max(16, int(budget * min(3.0, 0.95 * limit / max(1, size))))
    return best


def _spend(value: Json, budget: int) -> Cut:
    knife = _Knife()
    kept = knife.divide(value, budget, "")
    more = len(knife.notes) - _MAX_NOTES
    notes = (*knife.notes[:_MAX_NOTES], f"{more} more places were shortened.") if more > 0 else tuple(knife.notes)
    return Cut(kept, knife.rows, notes)


@dataclass(slots=True)
class _Knife:
    rows: int = 0
    notes: list[str] = field(default_factory=list)

    def cut(self, value: Json, budget: int, path: str) -> Json:
        return value if json_size(value) <= budget else self.divide(value, budget, path)

    def divide(self, value: Json, budget: int, path: str) -> Json:
        """What is left of a value that is over its budget."""
        if isinstance(value, list):
            return self.cut_list(value, budget, path)
        if isinstance(value, dict):
            return self.cut_object(value, budget, path)
        return self.cut_text(value, budget, path) if isinstance(value, str) else value

    def cut_list(self, rows: list[Json], budget: int, path: str) -> list[Json]:
        kept: list[Json] = []
        left = budget
        for row in rows:
            left -= json_size(row) + 1
            if left < 0:
                break
            kept.append(row)
        if not kept:
            kept = [self.cut(rows[0], budget, join_path(path, 0))]
        if len(kept) < len(rows):
            out = len(rows) - len(kept)
            self.rows += out
            self.notes.append(f"{path or 'The result'}: {out} of {len(rows)} rows are left out here.")
        return kept

    def cut_object(self, value: JsonObject, budget: int, path: str) -> JsonObject:
        sizes = {key: json_size(item) for key, item in value.items()}
        names = sum(len(key.encode("utf-8", "replace")) + 4 for key in value)
        share = share_budget(list(sizes.values()), budget - names)
        if share < _MIN_SHARE:
            return self.drop_fields(value, budget, path)
        return {
            key: item if sizes[key] <= share else self.cut(item, max(_MIN_TEXT, share), join_path(path, key))
            for key, item in value.items()
        }

    def drop_fields(self, value: JsonObject, budget: int, path: str) -> JsonObject:
        """An object of very many fields is cut like a list."""
        kept: JsonObject = {}
        left = budget
        for key, item in value.items():
            left -= json_size(key) + json_size(item) + 2
            if left < 0:
                break
            kept[key] = item
        self.notes.append(f"{path or 'The result'}: {len(value) - len(kept)} of {len(value)} fields are left out here.")
        return kept

    def cut_text(self, text: str, budget: int, path: str) -> str:
        kept = text.encode("utf-8", "replace")[: max(_MIN_TEXT, budget - 4)].decode("utf-8", "ignore")
        left_out = len(text) - len(kept)
        if left_out <= 0:
            return text
        self.notes.append(f"{path or 'The result'}: {left_out} of {len(text)} characters are left out here.")
        return f"{kept}…"


def share_budget(sizes: Sequence[int], budget: int) -> int:
    """The most that each may have so that all fit: small ones leave their rest to the large (water filling)."""
    left = budget
    for count, size in zip(range(len(sizes), 0, -1), sorted(sizes), strict=True):
        if size * count > left:
            return max(0, left // count)
        left -= size
    return max(sizes, default=0)


def json_size(value: Json) -> int:
    """Bytes of compact JSON."""
    try:
        return len(orjson.dumps(value))
    except orjson.JSONEncodeError:  # an integer beyond 64 bits
        return len(json.dumps(value, separators=(",", ":")))


def advise_less(names: Sequence[str]) -> str:
    """How to ask for fewer, by the skill's own argument names where it has fitting ones."""
    fitting = [name for name in names if _NARROWING.fullmatch(name)]
    if not fitting:
        return "Ask for less to see the rest: narrower arguments, one question at a time."
    return f"Ask for fewer to see the rest, e.g. with {', '.join(f'`{shorten(name, 40)}`' for name in fitting[:3])}."
