"""Whether a JSON Schema (draft 2020-12) can be used as it stands: well formed, self-contained, and sure to end."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import unquote

from apps.sdk.jsontypes import Json, JsonObject

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

_TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})
_IN_PLACE_LISTS = ("allOf", "anyOf", "oneOf")
_IN_PLACE_SCHEMAS = ("not", "if", "then", "else")
_MAX_REASON = 300


def check_schema(schema: Json) -> str | None:
    """Why `schema` cannot be used, or None. References must be local (`#/...`), lead somewhere and never back to themselves."""
    try:
        return _check_references(schema) or _check_form(schema) or _check_patterns(schema)
    except RecursionError:
        return "the schema is nested too deeply"


def resolve_reference(root: Json, reference: str) -> Json:
    """What `#` or `#/a/json/pointer` names in `root`; raises `LookupError` when that is nothing."""
    node = root
    for step in unquote(reference.removeprefix("#")).split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        try:
            node = node[int(key)] if isinstance(node, list) else node[key]
        except (TypeError, ValueError):
            raise LookupError(reference) from None
    return node


def _check_references(schema: Json) -> str | None:
    nodes = list(_walk(schema))
    references = [node for node in nodes if isinstance(node.get("$ref"), str)]
    for node in references:
        reference = node["$ref"]
        if reference != "#" and not reference.startswith("#/"):
            return f"the $ref {reference[:100]!r} is not local: only `#/...` is allowed"
        if not isinstance(_look_up(schema, reference), dict | bool):
            return f"the $ref {reference[:100]!r} leads to no schema"
    if any(isinstance(node.get("$dynamicRef"), str) for node in nodes):
        return "$dynamicRef is not supported"
    if references and any(isinstance(node.get("$id"), str) for node in nodes):
        return "$id beside $ref is not supported: it changes what the $ref means"
    looping = next((node for node in references if _leads_back(schema, node)), None)
    return f"the $ref {looping['$ref'][:100]!r} leads back to itself" if looping else None


def _look_up(root: Json, reference: str) -> Json:
    try:
        return resolve_reference(root, reference)
    except LookupError:
        return None


def _leads_back(root: Json, start: JsonObject) -> bool:
    """Whether validating one value against `start` would come to `start` again with the same value."""
    seen: set[int] = set()
    waiting = list(_in_place(root, start))
    while waiting:
        node = waiting.pop()
        if node is start:
            return True
        if id(node) not in seen:
            seen.add(id(node))
            waiting.extend(_in_place(root, node))
    return False


def _in_place(root: Json, node: JsonObject) -> Iterator[JsonObject]:
    """The schemas that apply to the same value as `node` does."""
    found: list[Json] = [node.get(key) for key in _IN_PLACE_SCHEMAS]
    for key in _IN_PLACE_LISTS:
        found.extend(node[key] if isinstance(node.get(key), list) else [])
    dependent = node.get("dependentSchemas")
    found.extend(dependent.values() if isinstance(dependent, dict) else [])
    if isinstance(node.get("$ref"), str):
        found.append(_look_up(root, node["$ref"]))
    return (schema for schema in found if isinstance(schema, dict))


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


def _check_patterns(schema: Json) -> str | None:
    for node in _walk(schema):
        alternatives = node.get("patternProperties")
        patterns = [node.get("pattern"), *(alternatives if isinstance(alternatives, dict) else ())]
        for pattern in patterns:
            try:
                re.compile(pattern) if isinstance(pattern, str) else None
            except (re.error, OverflowError) as error:
                return f"the pattern {pattern[:100]!r} is no regular expression: {error}"
    return None


def _walk(value: Json) -> Iterator[JsonObject]:
    """Every object in `value`."""
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            yield node
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)


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
    | dict.fromkeys(_IN_PLACE_LISTS, _are_schemas)
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
