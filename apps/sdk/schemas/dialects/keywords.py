"""The keywords of one schema object, whatever its draft, read leniently: what is malformed says nothing."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.schemas.dialects.shapes import EVERY_TYPE, KINDS, LIMITS, deduplicate_values, type_of

_TYPES: Mapping[str, frozenset[str]] = MappingProxyType({**KINDS, "integer": frozenset({"integer"}), "null": frozenset({"null"})})
_IMPLYING: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "object": (
            *("properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties"),
            *("maxProperties", "dependencies", "dependentRequired", "dependentSchemas", "unevaluatedProperties"),
        ),
        "array": ("items", "prefixItems", "additionalItems", "minItems", "maxItems", "uniqueItems", "contains"),
        "string": ("pattern", "minLength", "maxLength", "contentEncoding", "contentMediaType"),
        "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    }
)
_TEXTS = frozenset({"pattern", "format", "contentEncoding", "contentMediaType"})
_BOUNDS = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"})


def read_types(raw: JsonObject) -> frozenset[str]:
    """The types that `type` names, else those that the other keywords are about, else all. OpenAPI's `nullable` adds null."""
    named = raw.get("type")
    names = named if isinstance(named, list) else [named]
    found = frozenset[str]().union(*(_TYPES[name] for name in names if isinstance(name, str) and name in _TYPES))
    if not found:
        found = _imply_types(raw)
    return found | {"null"} if raw.get("nullable") is True else found


def _imply_types(raw: JsonObject) -> frozenset[str]:
    values = read_values(raw)
    if values is not None:
        return frozenset(type_of(value) for value in values)
    implied = (KINDS[kind] for kind, keys in _IMPLYING.items() if any(raw.get(key) is not None for key in keys))
    return frozenset[str]().union(*implied) or EVERY_TYPE


def read_values(raw: JsonObject) -> tuple[Json, ...] | None:
    """The values of `enum` or `const`; None when any value will do."""
    if "const" in raw:
        return (raw["const"],)
    values = raw.get("enum")
    return deduplicate_values(values) if isinstance(values, list) else None


def read_limits(raw: JsonObject) -> dict[str, Json]:
    """The limits and annotations that mean something, in a fixed order; draft 4's boolean bounds become numbers."""
    limits: dict[str, Json] = {}
    for keyword in dict.fromkeys(key for keys in LIMITS.values() for key in keys):
        value = raw.get(keyword)
        if _is_limit(keyword, value):
            limits[keyword] = value
    for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if raw.get(exclusive) is True and bound in limits:
            limits[exclusive] = limits.pop(bound)
    if raw.get("default") is not None:
        limits["default"] = raw["default"]
    examples = raw.get("examples", [raw["example"]] if raw.get("example") is not None else None)
    if isinstance(examples, list) and examples:
        limits["examples"] = examples
    return limits


def _is_limit(keyword: str, value: Json) -> bool:
    if keyword in _TEXTS:
        return isinstance(value, str) and bool(value)
    if keyword == "uniqueItems":
        return value is True
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return False
    if keyword in _BOUNDS:
        return True
    return value > 0 if keyword == "multipleOf" else isinstance(value, int) and value >= 0


def read_named(raw: JsonObject, keyword: str) -> dict[str, Json]:
    """The schemas by name under a keyword."""
    value = raw.get(keyword)
    named: dict[str, Json] = value if isinstance(value, dict) else {}
    return {name: part for name, part in named.items() if isinstance(part, dict | bool) and isinstance(name, str)}


def read_list(raw: JsonObject, keyword: str) -> list[Json]:
    """The schemas in the list under a keyword."""
    value = raw.get(keyword)
    return [part for part in value if isinstance(part, dict | bool)] if isinstance(value, list) else []


def read_required(raw: JsonObject, properties: Mapping[str, Json]) -> tuple[str, ...]:
    """The names that must be given; draft 3 said it in each property."""
    value = raw.get("required")
    names = [name for name in value if isinstance(name, str)] if isinstance(value, list) else []
    marked = [name for name, part in properties.items() if isinstance(part, dict) and part.get("required") is True]
    return tuple(dict.fromkeys((*names, *marked)))


def read_sequence(raw: JsonObject) -> tuple[list[Json], Json]:
    """The schemas of the first items, and that of the others, None when it is not said; older drafts had a list in `items`."""
    items = raw.get("items")
    if isinstance(items, list):
        rest = raw.get("additionalItems")
        return read_list(raw, "items"), rest if isinstance(rest, dict | bool) else None
    return read_list(raw, "prefixItems"), items if isinstance(items, dict | bool) else None


def split_dependencies(raw: JsonObject) -> tuple[dict[str, list[str]], dict[str, Json]]:
    """What fields ask for when they are given: other fields, and schemas; `dependencies` of older drafts held both."""
    old = raw.get("dependencies")
    dependencies: dict[str, Json] = old if isinstance(old, dict) else {}
    given = raw.get("dependentRequired")
    names = {**(given if isinstance(given, dict) else {}), **dependencies}
    fields = {name: [str(item) for item in value] for name, value in names.items() if isinstance(value, list)}
    schemas = {name: value for name, value in dependencies.items() if isinstance(value, dict | bool)}
    return fields, {**schemas, **read_named(raw, "dependentSchemas")}
