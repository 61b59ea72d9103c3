"""JSON text before DuckDB reads it: one object a line, with a word on what was done."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from .contents import MAX_COLUMNS
from .problems import Problem

if TYPE_CHECKING:
    from apps.sdk.jsontypes import Json, JsonObject

_HINT: Final = 'Give an array of objects, [{"a": 1}, {"a": 2}], or one object a line.'
_LARGEST: Final = 2**63


@dataclass(slots=True)
class _Integers:
    """Reads integers; those over 64 bits stay text, since DuckDB would round them."""

    large: int = 0

    def read(self, digits: str) -> Json:
        value = int(digits) if len(digits) < 30 else _LARGEST
        if -_LARGEST <= value < _LARGEST:
            return value
        self.large += 1
        return digits


@dataclass(frozen=True, slots=True)
class Document:
    """Rows as lines of JSON."""

    text: str
    notes: tuple[str, ...]


def read_document(text: str) -> Document:
    """Arrays of objects, objects one a line, a single object, an object that holds one such array, arrays of plain values."""
    integers = _Integers()
    found = _parse(text.removeprefix("\ufeff").strip(), integers)
    rows, notes = _find_rows(found)
    if not any(rows):
        raise Problem("The JSON holds no rows.", _HINT)
    keys = {key for row in rows for key in row}
    if len(keys) > MAX_COLUMNS:
        raise Problem(f"The rows have {len(keys)} different keys; at most {MAX_COLUMNS} make a table (limit columns).", _HINT)
    if integers.large:
        notes = (*notes, f"{integers.large} integers over 64 bits are text; cast them with ::HUGEINT.")
    return Document("\n".join(json.dumps(row) for row in rows) + "\n", notes)


def _parse(text: str, integers: _Integers) -> Json:
    try:
        return json.loads(text, parse_int=integers.read)
    except RecursionError:
        raise Problem("The JSON nests too deeply.", _HINT) from None
    except ValueError as error:
        lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
        if len(lines) > 1 and _is_object(lines[0][1]):
            return [_parse_line(number, line, integers) for number, line in lines]
        raise Problem(f"The content is no valid JSON: {error}.", _HINT) from None


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _parse_line(number: int, line: str, integers: _Integers) -> Json:
    try:
        return json.loads(line, parse_int=integers.read)
    except (ValueError, RecursionError):
        raise Problem(f"Line {number} of the content is no valid JSON.", _HINT) from None


def _find_rows(found: Json) -> tuple[list[JsonObject], tuple[str, ...]]:
    notes: tuple[str, ...] = ()
    if isinstance(found, dict):
        arrays = [key for key, value in found.items() if isinstance(value, list) and value and _are_objects(value)]
        if len(arrays) != 1:
            return [found], notes
        notes = (f"The rows are those of the array {arrays[0]!r}.",) if len(found) > 1 else ()
        found = found[arrays[0]]
    if not isinstance(found, list):
        raise Problem("The JSON is a single value, not rows.", _HINT)
    rows = [row for row in found if row is not None]
    if _are_objects(rows):
        return rows, notes
    if any(isinstance(row, dict) for row in rows):
        raise Problem("The JSON array mixes objects and other values.", _HINT)
    return [{"value": row} for row in rows], notes


def _are_objects(values: list[Json]) -> bool:
    return all(isinstance(value, dict) for value in values)
