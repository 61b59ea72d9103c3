"""Lossless, schema-driven repair of arguments; every change is reported.

A value that is valid already is never changed, text in a text field stays text, and nothing is guessed: `"10"` becomes 10
where only a number is allowed, `{..}` becomes `[{..}]` where only a list is. Coercing twice is coercing once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

from apps.sdk.hashing import canonical_json
from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.kinds import json_type
from apps.sdk.schemas.faults import describe, join_path
from apps.sdk.schemas.references import follow, properties_of, required_of, wanted_types
from executor.arguments import load_nested

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

_MAX_DEPTH = 12
_MAX_NODES = 2_000
_MAX_NOTES = 10
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,30})(?:\.[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,3})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Coerced:
    """The value and what was changed in it, in words."""

    value: Json
    notes: tuple[str, ...]


def coerce(value: Json, validator: Validator, root: JsonObject, path: str = "") -> Coerced:
    """Repair `value` for the schema of `validator`; `root` is the whole schema, for references. What cannot be repaired stays."""
    schema = validator.schema
    if not isinstance(schema, dict):
        return Coerced(value, ())
    coercion = _Coercion(validator, root)
    changed = coercion.repair(value, schema, path, 0)
    return Coerced(_use_integers(changed, schema, root, 0), tuple(coercion.notes[:_MAX_NOTES]))


@dataclass(slots=True)
class _Coercion:
    validator: Validator
    root: JsonObject
    nodes_left: list[int] = field(default_factory=lambda: [_MAX_NODES])
    notes: list[str] = field(default_factory=list)

    def repair(self, value: Json, schema: Json, path: str, depth: int) -> Json:
        schema = follow(schema, self.root)
        self.nodes_left[0] -= 1
        if depth > _MAX_DEPTH or self.nodes_left[0] < 0 or not isinstance(schema, dict) or self.fits(value, schema):
            return value
        value = self.retype(value, schema, path, depth)
        if isinstance(value, dict):
            value = self.repair_object(value, schema, path, depth)
        elif isinstance(value, list) and "items" in schema:
            value = [self.repair(item, schema["items"], join_path(path, i), depth + 1) for i, item in enumerate(value)]
        for part in _subschemas(schema, "allOf"):
            value = self.repair(value, part, path, depth + 1)
        return self.choose(value, [*_subschemas(schema, "anyOf"), *_subschemas(schema, "oneOf")], schema, path, depth)

    def fits(self, value: Json, schema: Json) -> bool:
        return self.validator.evolve(schema=schema).is_valid(value)

    def retype(self, value: Json, schema: JsonObject, path: str, depth: int) -> Json:
        """`value` as the one type that the schema wants, when that loses nothing."""
        wanted = wanted_types(schema)
        if not wanted or json_type(value) in wanted:
            return value
        if isinstance(value, str) and (read := _read_text(value, wanted)) is not None:
            return self.note(read.value, f"{path or 'the value'}: the text {describe(value)} was read as {json_type(read.value)}")
        if wanted <= {"string", "null"} and json_type(value) == "integer" and self.fits(str(value), schema):
            return self.note(str(value), f"{path or 'the value'}: the number {describe(value)} was read as text")
        if "array" in wanted and value is not None:
            trial = _Coercion(self.validator, self.root, self.nodes_left)
            single = [trial.repair(value, schema.get("items", True), join_path(path, 0), depth + 1)]
            if self.fits(single, schema):
                self.notes.extend(trial.notes)
                return self.note(single, f"{path or 'the value'}: one value was read as a list of one")
        return value

    def repair_object(self, value: JsonObject, schema: JsonObject, path: str, depth: int) -> JsonObject:
        declared, required = properties_of(schema, self.root), required_of(schema, self.root)
        others = schema.get("additionalProperties")
        result: JsonObject = {}
        for key, item in value.items():
            subschema = declared.get(key, others)
            where = join_path(path, key)
            if item is None and key in declared and key not in required and not self.fits(None, subschema):
                self.note(None, f"{where}: null was read as left out")
            else:
                result[key] = item if subschema is None else self.repair(item, subschema, where, depth + 1)
        return result

    def choose(self, value: Json, branches: list[Json], schema: JsonObject, path: str, depth: int) -> Json:
        """The repaired value when the alternatives allow exactly one."""
        if not branches or self.fits(value, schema):
            return value
        found: dict[str, tuple[Json, list[str]]] = {}
        for branch in branches:
            trial = _Coercion(self.validator, self.root, self.nodes_left)
            candidate = trial.repair(value, branch, path, depth + 1)
            if self.fits(candidate, schema):
                found.setdefault(canonical_json(candidate), (candidate, trial.notes))
        if len(found) != 1:
            return value
        ((candidate, notes),) = found.values()
        self.notes.extend(notes)
        return candidate

    def note(self, value: Json, text: str) -> Json:
        self.notes.append(f"{text}.")
        return value


def _subschemas(schema: JsonObject, keyword: str) -> Iterable[Json]:
    parts = schema.get(keyword)
    return parts if isinstance(parts, list) else ()


def _read_text(text: str, wanted: frozenset[str]) -> Coerced | None:
    """The scalar, list or object that `text` spells, when it is of a wanted type."""
    word = text.strip()
    if word.casefold() in {"true", "false"}:
        return Coerced(word.casefold() == "true", ()) if "boolean" in wanted else None
    if word == "null":
        return Coerced(None, ()) if "null" in wanted else None
    if wanted & {"integer", "number"} and (number := _read_number(word)) is not None:
        return Coerced(number, ()) if isinstance(number, int) or "number" in wanted else None
    if not word.startswith(("[", "{")):
        return None
    try:
        value = load_nested(word)
    except ValueError:
        return None
    return Coerced(value, ()) if json_type(value) in wanted else None


def _read_number(word: str) -> int | float | None:
    """The number that `word` spells in JSON's grammar, if a float holds it exactly as written."""
    if not _NUMBER.fullmatch(word):
        return None
    try:
        exact = Decimal(word)
        if exact == exact.to_integral_value() and exact.adjusted() < 30:
            return int(exact)
        number = float(exact)
        return number if Decimal(repr(number)) == exact else None
    except (InvalidOperation, OverflowError):
        return None


def _use_integers(value: Json, schema: Json, root: JsonObject, depth: int) -> Json:
    """3.0 is an integer to JSON Schema but not to Python: the same number, as int, where an integer is declared."""
    schema = follow(schema, root)
    if depth > _MAX_DEPTH or not isinstance(schema, dict):
        return value
    if isinstance(value, float):
        wanted = wanted_types(schema)
        return int(value) if "integer" in wanted and wanted <= {"integer", "null"} and value.is_integer() else value
    if isinstance(value, dict):
        declared = properties_of(schema, root)
        return {key: _use_integers(item, declared.get(key, True), root, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_use_integers(item, schema.get("items", True), root, depth + 1) for item in value]
    return value
