"""Whether a JSON Schema is well formed, told by hand for the common vocabulary.

That takes a dozen microseconds, where the metaschema takes three milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from apps.sdk.jsontypes import Json
from apps.sdk.kinds import JSON_TYPES
from apps.sdk.schemas.vocabulary import KEYWORDS


def is_plain(schema: Json) -> bool:
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
    return isinstance(value, str) and value in JSON_TYPES


def _is_list(value: Json) -> bool:
    return isinstance(value, list)


def _are_names(value: Json) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value) and len(set(value)) == len(value)


def _are_schemas(value: Json) -> bool:
    return isinstance(value, list) and bool(value) and all(map(is_plain, value))


def _are_named_schemas(value: Json) -> bool:
    return isinstance(value, dict) and all(map(is_plain, value.values()))


_Check: TypeAlias = Callable[[Json], bool]
_PLAIN: Mapping[str, _Check] = MappingProxyType(
    {"type": _is_type, "required": _are_names, "items": is_plain, "additionalProperties": is_plain, "not": is_plain}
    | dict.fromkeys(("title", "description", "format", "pattern", "$comment", "$ref"), _is_text)
    | dict.fromkeys(("default", "const"), _is_json)
    | dict.fromkeys(("enum", "examples"), _is_list)
    | dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _is_number)
    | dict.fromkeys(("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"), _is_count)
    | dict.fromkeys(("uniqueItems", "deprecated", "readOnly", "writeOnly"), _is_flag)
    | dict.fromkeys(("properties", "$defs", "definitions"), _are_named_schemas)
    | dict.fromkeys(("allOf", "anyOf", "oneOf"), _are_schemas)
)
_OTHER_KEYWORDS = KEYWORDS - _PLAIN.keys()
"""Those whose values only the metaschema can judge."""
