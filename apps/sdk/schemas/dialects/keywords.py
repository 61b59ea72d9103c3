"""The keywords of one schema object of draft 2020-12, read leniently: what is malformed says nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.schemas.dialects.listing import deduplicate_values, join_values
from apps.sdk.schemas.dialects.shapes import EVERY_TYPE, KINDS, LIMITS, type_of

_TYPES: Mapping[str, frozenset[str]] = MappingProxyType({**KINDS, "integer": frozenset({"integer"}), "null": frozenset({"null"})})
_IMPLYING: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "object": (
            *("properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties"),
            *("maxProperties", "dependentRequired", "dependentSchemas", "unevaluatedProperties"),
        ),
        "array": ("items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains"),
        "string": ("pattern", "minLength", "maxLength", "contentEncoding", "contentMediaType"),
        "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    }
)
_TEXTS = frozenset({"pattern", "format", "contentEncoding", "contentMediaType"})
_BOUNDS = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"})


def read_types(raw: JsonObject) -> frozenset[str]:
    """The types that `type` names, else those that the other keywords are about, else all."""
    return _list_types(raw) or _imply_types(raw)


def names_types(raw: JsonObject) -> bool:
    """Whether `type` says what a value may be."""
    return bool(_list_types(raw))


def _list_types(raw: JsonObject) -> frozenset[str]:
    named = raw.get("type")
    names = named if isinstance(named, list) else [named]
    return frozenset[str]().union(*(_TYPES[name] for name in names if isinstance(name, str) and name in _TYPES))


def _imply_types(raw: JsonObject) -> frozenset[str]:
    values = read_values(raw)
    if values is not None:
        return frozenset(type_of(value) for value in values)
    implied = (KINDS[kind] for kind, keys in _IMPLYING.items() if any(raw.get(key) is not None for key in keys))
    return frozenset[str]().union(*implied) or EVERY_TYPE


def read_values(raw: JsonObject) -> tuple[Json, ...] | None:
    """The values of `enum` and `const`; None when any value will do."""
    values = raw.get("enum")
    listed = deduplicate_values(list(filter(_is_json, values))) if isinstance(values, list) else None
    return listed if "const" not in raw else join_values(tuple(filter(_is_json, (raw["const"],))), listed)


def read_limits(raw: JsonObject) -> dict[str, Json]:
    """The limits and annotations that mean something, in a fixed order."""
    limits: dict[str, Json] = {}
    for keyword in dict.fromkeys(key for keys in LIMITS.values() for key in keys):
        value = raw.get(keyword)
        if _is_limit(keyword, value):
            limits[keyword] = value
    if raw.get("default") is not None and _is_json(raw["default"]):
        limits["default"] = raw["default"]
    examples = raw.get("examples", [raw["example"]] if raw.get("example") is not None else None)
    if isinstance(examples, list) and examples and _is_json(examples):
        limits["examples"] = examples
    return limits


def _is_limit(keyword: str, value: Json) -> bool:
    if keyword in _TEXTS:
        return isinstance(value, str) and bool(value)
    if keyword == "uniqueItems":
        return value is True
    if isinstance(value, bool) or not isinstance(value, int | float) or not _is_json(value):
        return False
    if keyword in _BOUNDS:
        return True
    return value > 0 if keyword == "multipleOf" else isinstance(value, int) and value >= 0


def _is_json(value: Json) -> bool:
    """Whether JSON can hold the value: it has no number that is none, and no infinite one."""
    try:
        json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError):
        return False
    return True


def read_named(raw: JsonObject, keyword: str) -> dict[str, Json]:
    """The schemas by name under a keyword."""
    value = raw.get(keyword)
    named: dict[str, Json] = value if isinstance(value, dict) else {}
    return {name: part for name, part in named.items() if isinstance(part, dict | bool) and isinstance(name, str)}


def read_list(raw: JsonObject, keyword: str) -> list[Json]:
    """The schemas in the list under a keyword."""
    value = raw.get(keyword)
    return [part for part in value if isinstance(part, dict | bool)] if isinstance(value, list) else []


def read_required(raw: JsonObject) -> tuple[str, ...]:
    """The names that must be given."""
    value = raw.get("required")
    return tuple(dict.fromkeys(name for name in value if isinstance(name, str))) if isinstance(value, list) else ()


def read_dependent_names(raw: JsonObject) -> dict[str, list[str]]:
    """What other fields each field asks for when it is given."""
    given = raw.get("dependentRequired")
    names: JsonObject = given if isinstance(given, dict) else {}
    return {name: [str(item) for item in value] for name, value in names.items() if isinstance(value, list)}
