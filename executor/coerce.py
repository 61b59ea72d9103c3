"""Lossless, schema-driven repair of arguments; every change is reported.

A value that is valid already is never changed, text in a text field stays text, and nothing is guessed: `"10"` becomes 10
where only a number is allowed, `{..}` becomes `[{..}]` where only a list is. Coercing twice is coercing once.

3.0 is 3 to JSON Schema but a float to Python: where an integer is declared it becomes an int, which is no change to report.
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
from apps.sdk.schemas.searching import search
from apps.sdk.strict_json import load_nested
from apps.sdk.walks import children

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
    repaired = coercion.repair(value, schema, path, 0)
    return Coerced(repaired, tuple(coercion.notes[:_MAX_NOTES]))


@dataclass(slots=True)
class _Coercion:
    validator: Validator
    root: JsonObject
    nodes_left: list[int] = field(default_factory=lambda: [_MAX_NODES])
    notes: list[str] = field(default_factory=list)

    def repair(self, value: Json, schema: Json, path: str, depth: int) -> Json:
        schema = follow(schema, self.root)
        self.nodes_left[0] -= 1
        if depth > _MAX_DEPTH or self.nodes_left[0] < 0 or not isinstance(schema, dict):
            return value
        if self.fits(value, schema):
            return self.use_integers(value, schema, depth)
        value = self.retype(value, schema, path, depth)
        if isinstance(value, dict):
            value = self.repair_object(value, schema, path, depth)
        elif isinstance(value, list):
            value = [
                self.repair(item, _find_item_schema(index, schema), join_path(path, index), depth + 1)
                for index, item in enumerate(value)
            ]
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
            single = [trial.repair(value, _find_item_schema(0, schema), join_path(path, 0), depth + 1)]
            if self.fits(single, schema):
                self.notes.extend(trial.notes)
                return self.note(single, f"{path or 'the value'}: one value was read as a list of one")
        return value

    def repair_object(self, value: JsonObject, schema: JsonObject, path: str, depth: int) -> JsonObject:
        declared, required = properties_of(schema, self.root), required_of(schema, self.root)
        result: JsonObject = {}
        for key, item in value.items():
            where = join_path(path, key)
            if item is None and key in declared and key not in required and not self.fits(None, declared[key]):
                self.note(None, f"{where}: null was read as left out")
                continue
            result[key] = item
            for part in _find_field_schemas(key, schema, declared):
                result[key] = self.repair(result[key], part, where, depth + 1)
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

    def use_integers(self, value: Json, schema: Json, depth: int) -> Json:
        """The valid `value` with 3 for 3.0 where the schema declares an integer and no other number."""
        schema = follow(schema, self.root)
        if depth > _MAX_DEPTH or not isinstance(schema, dict) or not _holds_whole_float(value):
            return value
        if isinstance(value, float) and "integer" in (wanted := wanted_types(schema)) and "number" not in wanted:
            return int(value)
        if isinstance(value, dict):
            declared = properties_of(schema, self.root)
            parts = {key: _find_field_schemas(key, schema, declared) for key in value}
            value = {key: self.use_all_integers(item, parts[key], depth + 1) for key, item in value.items()}
        elif isinstance(value, list):
            value = [self.use_integers(item, _find_item_schema(index, schema), depth + 1) for index, item in enumerate(value)]
        value = self.use_all_integers(value, _subschemas(schema, "allOf"), depth + 1)
        for keyword in ("anyOf", "oneOf"):
            fitting = [part for part in _subschemas(schema, keyword) if self.fits(value, part)]
            found = {canonical_json(read): read for part in fitting for read in [self.use_integers(value, part, depth + 1)]}
            value = next(iter(found.values())) if len(found) == 1 else value
        return value

    def use_all_integers(self, value: Json, schemas: Iterable[Json], depth: int) -> Json:
        for schema in schemas:
            value = self.use_integers(value, schema, depth)
        return value

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


def _find_field_schemas(key: str, schema: JsonObject, declared: JsonObject) -> list[Json]:
    """What the schema says of one field: its own declaration, the patterns of its name, else what it says of all others."""
    named = [declared[key]] if key in declared else []
    named += [part for pattern, part in schema.get("patternProperties", {}).items() if search(pattern, key)]
    return named or ([schema["additionalProperties"]] if "additionalProperties" in schema else [])


def _find_item_schema(index: int, schema: JsonObject) -> Json:
    """What the schema says of one item; anything goes where it says nothing."""
    first = schema.get("prefixItems", [])
    return first[index] if index < len(first) else schema.get("items", True)


def _holds_whole_float(value: Json) -> bool:
    if isinstance(value, dict | list):
        return any(map(_holds_whole_float, children(value)))
    return isinstance(value, float) and value.is_integer()
