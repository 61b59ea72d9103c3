"""Whether a value fits the schema that it stands in, told by hand where that is easy: the validator is slow to import."""

from __future__ import annotations

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.kinds import json_type
from apps.sdk.schemas.equality import make_comparable
from apps.sdk.schemas.parameters import compile_validator

_SILENT = frozenset({"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment", "format"})
_OF_LISTS = frozenset({"items", "minItems", "maxItems", "uniqueItems"})
_OF_OBJECTS = frozenset({"properties", "required", "additionalProperties", "minProperties", "maxProperties"})
_OF_EMPTY_LISTS = frozenset({"minItems"})
_OF_EMPTY_OBJECTS = frozenset({"required", "minProperties"})
_BY_HAND = frozenset({"type", "enum", "minimum", "maximum"})


def fits(value: Json, schema: JsonObject, root: JsonObject) -> bool:
    """Whether `value` is valid under `schema`, a part of the checked schema `root`."""
    telling = schema.keys() - _SILENT - (_OF_LISTS - _name_telling(value)) - (_OF_OBJECTS - _name_telling(value))
    if telling <= _BY_HAND:
        return _is_of_type(value, schema) and _is_listed(value, schema) and _is_in_range(value, schema)
    return bool(compile_validator(root).evolve(schema=schema).is_valid(value))


def _name_telling(value: Json) -> frozenset[str]:
    """The keywords of containers that say something about `value`."""
    if isinstance(value, list):
        return _OF_LISTS if value else _OF_EMPTY_LISTS
    if isinstance(value, dict):
        return _OF_OBJECTS if value else _OF_EMPTY_OBJECTS
    return frozenset()


def _is_of_type(value: Json, schema: JsonObject) -> bool:
    wanted = schema.get("type")
    if wanted is None:
        return True
    types = set(wanted) if isinstance(wanted, list) else {wanted}
    kind = json_type(value)
    is_whole = kind == "number" and value.is_integer() and "integer" in types
    return kind in types or (kind == "integer" and "number" in types) or is_whole


def _is_listed(value: Json, schema: JsonObject) -> bool:
    if "enum" not in schema:
        return True
    wanted = make_comparable(value)
    return any(make_comparable(item) == wanted for item in schema["enum"])


def _is_in_range(value: Json, schema: JsonObject) -> bool:
    if json_type(value) not in {"integer", "number"}:
        return True
    return bool(schema.get("minimum", value) <= value <= schema.get("maximum", value))
