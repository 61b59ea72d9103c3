"""What a JSON Schema allows, apart from how it is written: types, values, fields, items, alternatives.

A shape holds no references and no `allOf`. Numbers are two types here, `integer` and `number` (those with a fraction), so that
types are plain sets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TypeAlias

from apps.sdk.jsontypes import Json
from apps.sdk.kinds import json_type

KINDS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "object": frozenset({"object"}),
        "array": frozenset({"array"}),
        "string": frozenset({"string"}),
        "number": frozenset({"number", "integer"}),
        "boolean": frozenset({"boolean"}),
    }
)
"""The kinds of values but null, in the order in which alternatives are written."""
EVERY_TYPE = frozenset({"object", "array", "string", "number", "integer", "boolean", "null"})
NUMBER_FORMATS = frozenset({"int32", "int64", "float", "double", "decimal"})
ANNOTATIONS = ("default", "examples")
LIMITS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "object": ("minProperties", "maxProperties"),
        "array": ("minItems", "maxItems", "uniqueItems"),
        "string": ("minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType"),
        "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "format"),
        "boolean": (),
    }
)
"""The keywords that narrow values of a kind by one number or text."""

Additional: TypeAlias = "Shape | bool | None"


@dataclass(frozen=True, slots=True)
class Shape:
    """`notes` are meanings that no field here holds, in words. With a `union` a value must fit one of its shapes, each whole.

    `enum` None = any value; `additional` None = not said, which allows other fields. `named` = the schema says its types or
    values; else `types` are those that its other keywords are about, which is what its author has in mind, though others fit.
    """

    types: frozenset[str] = EVERY_TYPE
    named: bool = False
    description: str = ""
    notes: tuple[str, ...] = ()
    enum: tuple[Json, ...] | None = None
    limits: Mapping[str, Json] = field(default_factory=dict)
    properties: Mapping[str, Shape] = field(default_factory=dict)
    patterns: Mapping[str, Shape] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    additional: Additional = None
    items: Shape | None = None
    prefix: tuple[Shape, ...] = ()
    union: tuple[Shape, ...] = ()

    @property
    def is_impossible(self) -> bool:
        """Whether certainly no value fits."""
        return not self.types or self.enum == ()

    @property
    def is_anything(self) -> bool:
        """Whether every value fits, as far as the fields here say."""
        says_nothing = not (self.properties or self.patterns or self.required or self.additional is False or self.union)
        free = self.items is None and not self.prefix and not (self.limits.keys() - set(ANNOTATIONS))
        return says_nothing and free and self.enum is None and self.types | {"null"} == EVERY_TYPE


ANYTHING = Shape()
NOTHING = Shape(types=frozenset(), named=True)


def type_of(value: Json) -> str:
    """The type of a value in a shape: a number without a fraction is an integer, however it is written."""
    return "integer" if isinstance(value, float) and value.is_integer() else json_type(value)


def kind_of(value: Json) -> str:
    """The kind of a value: its type, but for the two types of numbers, which are one kind."""
    found = type_of(value)
    return "number" if found == "integer" else found


def strip_texts(shape: Shape) -> Shape:
    """The shape without what is said about it: description, notes, default and examples."""
    limits = {key: value for key, value in shape.limits.items() if key not in ANNOTATIONS}
    return replace(shape, description="", notes=(), limits=limits)


def narrow(shape: Shape, kind: str) -> Shape:
    """What of the shape, which has no union, is about values of one kind."""
    types = shape.types & KINDS[kind]
    kept = {*LIMITS[kind], *ANNOTATIONS}
    values = None if shape.enum is None else tuple(value for value in shape.enum if type_of(value) in types)
    return Shape(
        types=types,
        named=True,
        description=shape.description,
        notes=shape.notes,
        enum=None if kind == "boolean" and values and len(values) == 2 else values,
        limits={key: value for key, value in shape.limits.items() if key in kept and _is_about(kind, key, value)},
        properties=shape.properties if kind == "object" else {},
        patterns=shape.patterns if kind == "object" else {},
        required=shape.required if kind == "object" else (),
        additional=shape.additional if kind == "object" else None,
        items=shape.items if kind == "array" else None,
        prefix=shape.prefix if kind == "array" else (),
    )


def _is_about(kind: str, keyword: str, value: Json) -> bool:
    """Whether a `format` is one of the kind's; other keywords are."""
    return keyword != "format" or (value in NUMBER_FORMATS) == (kind == "number")


def deduplicate(shapes: Sequence[Shape]) -> tuple[Shape, ...]:
    """The shapes, each once, in their order."""
    found: dict[str, Shape] = {}
    for shape in shapes:
        found.setdefault(repr(shape), shape)
    return tuple(found.values())


def accepts_null(shape: Shape) -> bool:
    """Whether null fits."""
    if shape.union:
        return any(accepts_null(part) for part in shape.union)
    return "null" in shape.types and (shape.enum is None or None in shape.enum)


def is_open(shape: Shape) -> bool:
    """Whether every value fits, by the shape itself or by one of its alternatives."""
    return shape.is_anything or any(is_open(part) for part in shape.union)


def add_null(shape: Shape) -> Shape:
    """The shape with null as one more value."""
    if accepts_null(shape) or is_open(shape):
        return shape
    if shape.union:
        return replace(shape, types=shape.types | {"null"}, union=(*shape.union, replace(NOTHING, types=frozenset({"null"}))))
    return replace(shape, types=shape.types | {"null"}, enum=None if shape.enum is None else (*shape.enum, None))
