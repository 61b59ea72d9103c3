"""Shapes and limits in a few words, for descriptions: `{city: string, days?: integer}`, `at least 1`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType

from apps.sdk.jsontypes import Json
from apps.sdk.schemas.dialects.shapes import KINDS, Shape
from apps.sdk.truncation import shorten

MAX_CHARACTERS = 300
"""Of one shape in words; what is longer says less than its start."""
_MAX_LEVELS = 3
_MAX_VALUES = 30
_MAX_FIELDS = 20
_LIMITS: Mapping[str, str] = MappingProxyType(
    {
        "minimum": "at least {}",
        "maximum": "at most {}",
        "exclusiveMinimum": "more than {}",
        "exclusiveMaximum": "less than {}",
        "multipleOf": "a multiple of {}",
        "minLength": "at least {} characters",
        "maxLength": "at most {} characters",
        "minItems": "at least {} items",
        "maxItems": "at most {} items",
        "minProperties": "at least {} fields",
        "maxProperties": "at most {} fields",
        "pattern": "must match the regular expression {}",
        "format": "format: {}",
        "contentEncoding": "encoded as {}",
        "contentMediaType": "content of type {}",
        "default": "default: {}",
        "examples": "for example {}",
    }
)


def word_limit(keyword: str, value: Json) -> str:
    """A limit or an annotation in words."""
    if keyword == "uniqueItems":
        return "no item twice"
    if keyword == "examples":
        return _LIMITS[keyword].format(", ".join(show(item) for item in value[:3]))
    shown = value if isinstance(value, str) and keyword != "default" else show(value)
    return _LIMITS[keyword].format(shorten(shown, MAX_CHARACTERS))


def show(value: Json) -> str:
    """A value as JSON, shortened."""
    return shorten(json.dumps(value, ensure_ascii=False), MAX_CHARACTERS)


def word_values(values: tuple[Json, ...]) -> str:
    """The allowed values, as many as fit."""
    more = f" | ... ({len(values)} values)" if len(values) > _MAX_VALUES else ""
    return shorten(" | ".join(show(value) for value in values[:_MAX_VALUES]) + more, MAX_CHARACTERS)


def word_shape(shape: Shape) -> str:
    """The shape in the notation of typed languages."""
    return shorten(_word(shape, _MAX_LEVELS), MAX_CHARACTERS)


def _word(shape: Shape, levels: int) -> str:
    if shape.is_impossible:
        return "nothing"
    if shape.union:
        return " | ".join(dict.fromkeys(_word(part, levels) for part in shape.union))
    if shape.enum is not None:
        return word_values(shape.enum)
    if shape.is_anything:
        return "any"
    kinds = [_word_kind(shape, kind, levels) for kind, types in KINDS.items() if shape.types & types]
    return " | ".join([*kinds, *(["null"] if "null" in shape.types else [])])


def _word_kind(shape: Shape, kind: str, levels: int) -> str:
    if kind == "object":
        return _word_object(shape, levels)
    if kind == "array":
        return _word_array(shape, levels)
    name = "integer" if kind == "number" and "number" not in shape.types else kind
    limits = [word_limit(key, shape.limits[key]) for key in shape.limits if key not in {"default", "examples"}]
    return f"{name} ({', '.join(limits)})" if limits and levels == _MAX_LEVELS else name


def _word_object(shape: Shape, levels: int) -> str:
    names = dict.fromkeys((*shape.properties, *shape.required))
    if not names and isinstance(shape.additional, Shape) and levels:
        return f"{{[name]: {_word(shape.additional, levels - 1)}}}"
    if not names or levels == 0:
        return "object"
    fields = [_word_field(shape, name, levels - 1) for name in list(names)[:_MAX_FIELDS]]
    return f"{{{', '.join([*fields, *(['...'] if len(names) > _MAX_FIELDS else [])])}}}"


def _word_field(shape: Shape, name: str, levels: int) -> str:
    inner = shape.properties.get(name)
    mark = "" if name in shape.required else "?"
    return f"{name}{mark}" if inner is None or inner.is_anything else f"{name}{mark}: {_word(inner, levels)}"


def _word_array(shape: Shape, levels: int) -> str:
    if levels == 0 or (shape.items is None and not shape.prefix):
        return "array"
    if shape.prefix:
        rest = [] if shape.items is None or shape.items.is_impossible else [f"...{_word(shape.items, levels - 1)}"]
        return f"[{', '.join([*(_word(part, levels - 1) for part in shape.prefix), *rest])}]"
    assert shape.items is not None
    inner = _word(shape.items, levels - 1)
    return f"({inner})[]" if " " in inner and not inner.startswith("{") else f"{inner}[]"
