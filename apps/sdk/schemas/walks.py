"""The schemas inside a JSON Schema (draft 2020-12). What stands in `default`, `const`, `enum` and `examples` is data."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from apps.sdk.jsontypes import Json, JsonObject, JsonPath

IN_PLACE = frozenset({"not", "if", "then", "else", "allOf", "anyOf", "oneOf", "dependentSchemas"})
"""Keywords whose schemas apply to the same value as the schema that they stand in."""
SCHEMA_KEYWORDS = IN_PLACE | frozenset(
    {"properties", "patternProperties", "additionalProperties", "propertyNames", "unevaluatedProperties", "dependencies"}
    | {"items", "prefixItems", "contains", "unevaluatedItems", "contentSchema", "$defs", "definitions"}
)
_BY_NAME = frozenset({"properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions"})


def list_parts(node: JsonObject, keywords: frozenset[str]) -> Iterator[JsonObject]:
    """The object schemas that stand in `node` under `keywords`: alone, in a list or by name."""
    return (part for _, part in _place_parts(node, keywords))


def walk_schemas(root: JsonObject) -> Iterator[tuple[JsonPath, JsonObject]]:
    """Every object schema in `root` with its path, each once."""
    seen: set[int] = set()
    waiting: list[tuple[JsonPath, JsonObject]] = [((), root)]
    while waiting:
        path, node = waiting.pop()
        if id(node) not in seen:
            seen.add(id(node))
            yield path, node
            waiting.extend([((*path, *step), part) for step, part in _place_parts(node, SCHEMA_KEYWORDS)])


def map_parts(node: JsonObject, change: Callable[[JsonPath, JsonObject], Json]) -> JsonObject:
    """A copy of `node` with each object schema in it changed; `change` is told its path in `node`."""
    mapped = dict(node)
    for key in [key for key in node if key in SCHEMA_KEYWORDS]:
        value = node[key]
        if isinstance(value, list):
            mapped[key] = [change((key, index), part) if isinstance(part, dict) else part for index, part in enumerate(value)]
        elif isinstance(value, dict) and key in _BY_NAME:
            mapped[key] = {name: change((key, name), part) if isinstance(part, dict) else part for name, part in value.items()}
        elif isinstance(value, dict):
            mapped[key] = change((key,), value)
    return mapped


def _place_parts(node: JsonObject, keywords: frozenset[str]) -> list[tuple[JsonPath, JsonObject]]:
    parts: list[tuple[JsonPath, JsonObject]] = []
    for key in [key for key in node if key in keywords]:
        value = node[key]
        if key in _BY_NAME:
            entries = value.items() if isinstance(value, dict) else ()
            parts += [((key, name), part) for name, part in entries if isinstance(part, dict)]
        elif isinstance(value, list):
            parts += [((key, index), part) for index, part in enumerate(value) if isinstance(part, dict)]
        elif isinstance(value, dict):
            parts.append(((key,), value))
    return parts
