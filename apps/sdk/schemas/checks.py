"""Whether a JSON Schema (draft 2020-12) can be used as it stands: well formed, self-contained, and sure to end."""

from __future__ import annotations

import functools
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from apps.sdk.jsontypes import Json, JsonObject, JsonPath
from apps.sdk.kinds import JSON_TYPES, show
from apps.sdk.near_names import suggest
from apps.sdk.schemas.forms import is_plain
from apps.sdk.schemas.patterns import may_explode
from apps.sdk.schemas.references import resolve_reference
from apps.sdk.schemas.walks import IN_PLACE, SCHEMA_KEYWORDS, list_parts
from apps.sdk.truncation import shorten

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

MAX_EXPANSION = 10_000
"""Schemas that one value is compared with, all references followed; a value takes about 10 µs for each."""

MAX_REASON = 300
"""Characters; the library quotes the whole wrong value."""


@dataclass(frozen=True, slots=True)
class SchemaProblem:
    """Why a schema cannot be used; `path` leads to the keyword, `suggestion` says what may be meant."""

    reason: str
    path: JsonPath = ()
    suggestion: str | None = None

    def __str__(self) -> str:
        return self.reason


class _Unusable(Exception):
    """The reason is the message; it is about what `path` leads to in `node`."""

    def __init__(self, reason: str, node: JsonObject, *path: str) -> None:
        super().__init__(reason)
        self.node = node
        self.path = path


def check_schema(schema: Json) -> SchemaProblem | None:
    """Why `schema` cannot be used, or None. References must be local (`#/...`), lead somewhere and never back to themselves."""
    try:
        schemas, roots = _find_schemas(schema)
        if any("$ref" in node or "$dynamicRef" in node for node in schemas):
            _check_references(schema, schemas)
            _check_expansion(schema, schemas)
        if (problem := _check_forms(schema, roots)) is None:
            _check_patterns(schemas)
    except RecursionError:
        return SchemaProblem("the schema is nested too deeply")
    except _Unusable as unusable:
        return SchemaProblem(str(unusable), (*_find_path(schema, unusable.node), *unusable.path))
    return problem


def _find_path(root: Json, wanted: Json) -> JsonPath:
    """The path of the very object `wanted` in `root`."""
    waiting: list[tuple[Json, JsonPath]] = [(root, ())]
    while waiting:
        node, path = waiting.pop()
        if node is wanted:
            return path
        entries = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
        waiting.extend((child, (*path, key)) for key, child in entries if isinstance(child, dict | list))
    return ()


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
                waiting.extend(list_parts(node, SCHEMA_KEYWORDS))
                starts.extend(_follow_once(root, node))
    return list(found.values()), roots


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
    referring = [node for node in schemas if isinstance(node.get("$ref"), str)]
    for node in referring:
        reference = node["$ref"]
        if reference != "#" and not reference.startswith("#/"):
            raise _Unusable(f"the $ref {reference[:100]!r} is not local: only `#/...` is allowed", node, "$ref")
        if not isinstance(_look_up(root, reference), dict | bool):
            raise _Unusable(f"the $ref {reference[:100]!r} leads to no schema", node, "$ref")
    for node in schemas:
        if isinstance(node.get("$dynamicRef"), str):
            raise _Unusable("$dynamicRef is not supported", node, "$dynamicRef")
        if referring and isinstance(node.get("$id"), str):
            raise _Unusable("$id beside $ref is not supported: it changes what the $ref means", node, "$id")


def _check_expansion(root: Json, schemas: list[JsonObject]) -> None:
    """Refuse references that lead back to themselves with the same value, and those that multiply."""
    sizes: dict[int, int] = {}
    under_way: dict[int, JsonObject] = {}

    def expand(node: JsonObject) -> int:
        if id(node) in under_way:
            looping = next(item for item in reversed(under_way.values()) if isinstance(item.get("$ref"), str))
            raise _Unusable(f"the $ref {looping['$ref'][:100]!r} leads back to itself", looping, "$ref")
        if id(node) not in sizes:
            under_way[id(node)] = node
            sizes[id(node)] = 1 + sum(expand(part) for part in (*list_parts(node, IN_PLACE), *_follow_once(root, node)))
            del under_way[id(node)]
        if sizes[id(node)] > MAX_EXPANSION:
            keyword = next((key for key in node if key == "$ref" or key in IN_PLACE), "$ref")
            raise _Unusable(f"its references make more than {MAX_EXPANSION:,} schemas for one value", node, keyword)
        return sizes[id(node)]

    for schema in schemas:
        expand(schema)


def _check_forms(root: Json, starts: list[Json]) -> SchemaProblem | None:
    for start in starts:
        if is_plain(start):
            continue
        from jsonschema.exceptions import best_match  # noqa: PLC0415 - costs a third of a second, and few schemas come this far

        if (error := best_match(_metaschema().iter_errors(start))) is not None:
            return _explain(error, _find_path(root, start))
    return None


def _explain(error: ValidationError, start: JsonPath) -> SchemaProblem:
    """The metaschema's error in words; a type that is none is said as what it must be."""
    path = (*start, *error.absolute_path)
    value: Json = error.instance
    if "type" in list(error.absolute_schema_path)[:-1] and error.validator in {"anyOf", "enum"} and not isinstance(value, list):
        types = ", ".join(sorted(JSON_TYPES))
        advice = suggest(value, JSON_TYPES) if isinstance(value, str) else None
        return SchemaProblem(f"'type' must be one of {types}, not {show(value)}", path, advice)
    place = "/".join(map(str, error.absolute_path))
    reason = f"not valid JSON Schema{f' at {place}' if place else ''}: {error.message}"
    return SchemaProblem(shorten(reason, MAX_REASON), path)


@functools.cache
def _metaschema() -> Draft202012Validator:
    from jsonschema import Draft202012Validator  # noqa: PLC0415

    return Draft202012Validator(Draft202012Validator.META_SCHEMA)


def _check_patterns(schemas: list[JsonObject]) -> None:
    for node in schemas:
        alternatives = node.get("patternProperties")
        named = alternatives if isinstance(alternatives, dict) else ()
        places = [("pattern",), *(("patternProperties", pattern) for pattern in named)]
        for pattern, place in zip((node.get("pattern"), *named), places, strict=True):
            try:
                reason = _check_pattern(pattern) if isinstance(pattern, str) else None
            except (re.error, OverflowError) as error:
                reason = f"is no regular expression: {error}"
            if reason:
                raise _Unusable(f"the pattern {pattern[:100]!r} {reason}", node, *place)


@functools.lru_cache(maxsize=4096)
def _check_pattern(pattern: str) -> str | None:
    re.compile(pattern)
    if may_explode(pattern):
        return "may take exponential time: a repeat in it holds parts that can split the same text in many ways"
    return None
