"""Whether a JSON Schema (draft 2020-12) can be used as it stands: well formed, self-contained, and sure to end."""

from __future__ import annotations

import functools
import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.patterns import may_explode
from apps.sdk.schemas import resolve_reference

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

MAX_EXPANSION = 10_000
"""Schemas that one value is compared with, all references followed; a value takes about 10 µs for each."""

_TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})
_MAX_REASON = 300

_IN_PLACE = frozenset({"not", "if", "then", "else", "allOf", "anyOf", "oneOf", "dependentSchemas"})
"""Keywords whose schemas apply to the same value as the schema that they stand in."""
_SCHEMA_KEYWORDS = _IN_PLACE | frozenset(
    {"properties", "patternProperties", "additionalProperties", "propertyNames", "unevaluatedProperties", "dependencies"}
    | {"items", "prefixItems", "contains", "unevaluatedItems", "contentSchema", "$defs", "definitions"}
)
_BY_NAME = frozenset({"properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions"})


class _Unusable(Exception):
    """The reason is the message."""


def check_schema(schema: Json) -> str | None:
    """Why `schema` cannot be used, or None. References must be local (`#/...`), lead somewhere and never back to themselves."""
    try:
        schemas, roots = _find_schemas(schema)
        if any("$ref" in node or "$dynamicRef" in node for node in schemas):
            _check_references(schema, schemas)
            _check_expansion(schema, schemas)
        return next(filter(None, map(_check_form, roots)), None) or _check_patterns(schemas)
    except RecursionError:
        return "the schema is nested too deeply"
    except _Unusable as reason:
        return str(reason)


def _find_schemas(root: Json) -> tuple[list[JsonObject], list[Json]]:
    """Every object schema in `root`, each once, and the places where they start: `root`, and what only a reference leads to.

    What stands in `default`, `const`, `enum` and `examples` is data.
    """
    found: dict[int, JsonObject] = {}
    roots: list[Json] = []
    starts: deque[Json] = deque([root])
    while starts:
        start = starts.popleft()
        if id(start) in found:
            continue
        roots.append(start)
        waiting = [start]
        while waiting:
            node = waiting.pop()
            if isinstance(node, dict) and id(node) not in found:
                found[id(node)] = node
                waiting.extend(_list_parts(node, _SCHEMA_KEYWORDS))
                starts.extend(_follow_once(root, node))
    return list(found.values()), roots


def _list_parts(node: JsonObject, keywords: frozenset[str]) -> Iterator[JsonObject]:
    """The object schemas that stand in `node` under `keywords`: alone, in a list or by name."""
    for key, value in node.items():
        if key in keywords:
            parts = value if isinstance(value, list) else [value]
            if key in _BY_NAME:
                parts = list(value.values()) if isinstance(value, dict) else []
            yield from (part for part in parts if isinstance(part, dict))


def _follow_once(root: Json, node: JsonObject) -> Iterator[JsonObject]:
    """The object schema that the `$ref` of `node` names, if any."""
    target = _look_up(root, node["$ref"]) if isinstance(node.get("$ref"), str) else None
    return iter([target] if isinstance(target, dict) else [])


def _look_up(root: Json, reference: str) -> Json:
    try:
        return resolve_reference(root, reference)
    except LookupError:
        return None


def _check_references(root: Json, schemas: list[JsonObject]) -> None:
    references = [node["$ref"] for node in schemas if isinstance(node.get("$ref"), str)]
    for reference in references:
        if reference != "#" and not reference.startswith("#/"):
            raise _Unusable(f"the $ref {reference[:100]!r} is not local: only `#/...` is allowed")
        if not isinstance(_look_up(root, reference), dict | bool):
            raise _Unusable(f"the $ref {reference[:100]!r} leads to no schema")
    if any(isinstance(node.get("$dynamicRef"), str) for node in schemas):
        raise _Unusable("$dynamicRef is not supported")
    if references and any(isinstance(node.get("$id"), str) for node in schemas):
        raise _Unusable("$id beside $ref is not supported: it changes what the $ref means")


def _check_expansion(root: Json, schemas: list[JsonObject]) -> None:
    """Refuse references that lead back to themselves with the same value, and those that multiply."""
    sizes: dict[int, int] = {}
    under_way: dict[int, JsonObject] = {}

    def expand(node: JsonObject) -> int:
        if id(node) in under_way:
            reference = next(item["$ref"] for item in reversed(under_way.values()) if isinstance(item.get("$ref"), str))
            raise _Unusable(f"the $ref {reference[:100]!r} leads back to itself")
        if id(node) not in sizes:
            under_way[id(node)] = node
            sizes[id(node)] = 1 + sum(expand(part) for part in (*_list_parts(node, _IN_PLACE), *_follow_once(root, node)))
            del under_way[id(node)]
        if sizes[id(node)] > MAX_EXPANSION:
            raise _Unusable(f"its references make more than {MAX_EXPANSION:,} schemas for one value")
        return sizes[id(node)]

    for schema in schemas:
        expand(schema)


def _check_form(schema: Json) -> str | None:
    if _is_plain(schema):
        return None
    from jsonschema.exceptions import best_match  # noqa: PLC0415 - costs a third of a second, and few schemas come this far

    error = best_match(_metaschema().iter_errors(schema))
    if error is None:
        return None
    place = "/".join(map(str, error.absolute_path))
    return f"not valid JSON Schema{f' at {place}' if place else ''}: {error.message}"[:_MAX_REASON]


@functools.cache
def _metaschema() -> Draft202012Validator:
    from jsonschema import Draft202012Validator  # noqa: PLC0415

    return Draft202012Validator(Draft202012Validator.META_SCHEMA)


def _check_patterns(schemas: list[JsonObject]) -> str | None:
    for node in schemas:
        alternatives = node.get("patternProperties")
        patterns = [node.get("pattern"), *(alternatives if isinstance(alternatives, dict) else ())]
        for pattern in patterns:
            try:
                reason = _check_pattern(pattern) if isinstance(pattern, str) else None
            except (re.error, OverflowError) as error:
                reason = f"is no regular expression: {error}"
            if reason:
                return f"the pattern {pattern[:100]!r} {reason}"
    return None


@functools.lru_cache(maxsize=4096)
def _check_pattern(pattern: str) -> str | None:
    re.compile(pattern)
    if may_explode(pattern):
        return "may take exponential time: a repeat in it holds parts that can split the same text in many ways"
    return None


# The common vocabulary, checked by hand: a dozen microseconds instead of the metaschema's three milliseconds per schema.


def _is_plain(schema: Json) -> bool:
    """Whether `schema` is certainly valid; False means that only the metaschema can tell."""
    if not isinstance(schema, dict):
        return isinstance(schema, bool)
    return all(_PLAIN[key](value) if key in _PLAIN else key not in _OTHER_KEYWORDS for key, value in schema.items())


def _is_text(value: Json) -> bool:
    return isinstance(value, str)


def _is_flag(value: Json) -> bool:
    return isinstance(value, bool)


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_count(value: Json) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_json(value: Json) -> bool:
    return value is None or isinstance(value, str | bool | int | float | list | dict)


def _is_type(value: Json) -> bool:
    return isinstance(value, str) and value in _TYPES


def _is_list(value: Json) -> bool:
    return isinstance(value, list)


def _are_names(value: Json) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value) and len(set(value)) == len(value)


def _are_schemas(value: Json) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_plain, value))


def _are_named_schemas(value: Json) -> bool:
    return isinstance(value, dict) and all(map(_is_plain, value.values()))


_Check: TypeAlias = Callable[[Json], bool]
_PLAIN: Mapping[str, _Check] = MappingProxyType(
    {"type": _is_type, "required": _are_names, "items": _is_plain, "additionalProperties": _is_plain, "not": _is_plain}
    | dict.fromkeys(("title", "description", "format", "pattern", "$comment", "$ref"), _is_text)
    | dict.fromkeys(("default", "const"), _is_json)
    | dict.fromkeys(("enum", "examples"), _is_list)
    | dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _is_number)
    | dict.fromkeys(("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"), _is_count)
    | dict.fromkeys(("uniqueItems", "deprecated", "readOnly", "writeOnly"), _is_flag)
    | dict.fromkeys(("properties", "$defs", "definitions"), _are_named_schemas)
    | dict.fromkeys(("allOf", "anyOf", "oneOf"), _are_schemas)
)
_OTHER_KEYWORDS = frozenset(
    {
        "$anchor",
        "$dynamicAnchor",
        "$dynamicRef",
        "$id",
        "$recursiveAnchor",
        "$recursiveRef",
        "$schema",
        "$vocabulary",
        "contains",
        "contentEncoding",
        "contentMediaType",
        "contentSchema",
        "dependencies",
        "dependentRequired",
        "dependentSchemas",
        "else",
        "if",
        "maxContains",
        "minContains",
        "multipleOf",
        "patternProperties",
        "prefixItems",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)
