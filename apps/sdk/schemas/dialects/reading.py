"""A JSON Schema (draft 2020-12) as a shape: references inlined, combinators joined, what has no place in it told in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.schemas.dialects.joining import (
    EXACTLY_ONE,
    are_disjoint,
    intersect,
    intersect_all,
    make_union,
    merge_objects,
    unite,
)
from apps.sdk.schemas.dialects.keywords import (
    names_types,
    read_dependent_names,
    read_limits,
    read_list,
    read_named,
    read_required,
    read_types,
    read_values,
)
from apps.sdk.schemas.dialects.listing import keep_fitting
from apps.sdk.schemas.dialects.notation import show, word_shape
from apps.sdk.schemas.dialects.shapes import ANYTHING, NOTHING, Additional, Shape, type_of
from apps.sdk.schemas.references import resolve_reference

MAX_REPEATS = 2
"""How often a schema that refers to itself is written out inside itself; below that it is an open value, told in words."""
MAX_SHAPES = 5_000
"""Schemas that one schema may become when its references are written out."""
MAX_LEVELS = 60
"""Schemas inside each other; far above what any provider takes."""

Reading: TypeAlias = Callable[[Json], Shape]


class TooLarge(Exception):
    """The schema grows to more than can be sent."""


def read_schema(schema: Json) -> Shape:
    """The shape of a schema, its recursion cut as late as its size allows. Raises `TooLarge`."""
    for repeats in range(MAX_REPEATS, 0, -1):
        try:
            return _Reader(schema, repeats).read(schema, (), 0)
        except TooLarge:
            continue
    return _Reader(schema, 0).read(schema, (), 0)


class _Reader:
    def __init__(self, root: Json, repeats: int) -> None:
        self._root = root
        self._repeats = repeats
        self._count = 0

    def read(self, raw: Json, trail: tuple[str, ...], level: int) -> Shape:
        """The shape of `raw`, which was reached over the references of `trail`."""
        self._count += 1
        if self._count > MAX_SHAPES:
            raise TooLarge(f"with its references written out it has more than {MAX_SHAPES:,} schemas")
        if not isinstance(raw, dict):
            return NOTHING if raw is False else ANYTHING
        if level > MAX_LEVELS:
            return replace(ANYTHING, notes=("nested too deeply to be told",))
        shape = intersect_all([self._read_own(raw, trail, level), *self._read_parts(raw, trail, level)])
        for keyword in ("anyOf", "oneOf"):
            shape = self._restrict(shape, raw, keyword, trail, level)
        shape = self._add_conditions(shape, raw, trail, level)
        return self._close(shape, raw, trail, level)

    def _close(self, shape: Shape, raw: JsonObject, trail: tuple[str, ...], level: int) -> Shape:
        """The shape with what may be beside the fields and items that some keyword names."""
        others = raw.get("unevaluatedProperties")
        if others is False and shape.additional is None and not shape.union:
            return replace(shape, additional=False)
        notes = [
            f"{what} that nothing else names: {word_shape(self.read(part, trail, level + 1))}"
            for what, part in (("fields", others), ("items", raw.get("unevaluatedItems")))
            if _says_something(part)
        ]
        return replace(shape, notes=(*shape.notes, *notes)) if notes else shape

    def _read_own(self, raw: JsonObject, trail: tuple[str, ...], level: int) -> Shape:
        """What the keywords say that stand in `raw` itself."""
        types, values = read_types(raw), read_values(raw)
        if raw.get("not") is True or raw.get("not") == {}:
            types = frozenset()
        limits = read_limits(raw)
        values = keep_fitting(values, limits)
        named = values is not None or not types or names_types(raw)
        items, description = raw.get("items"), raw.get("description")
        return Shape(
            named=named,
            types=types if values is None else types & {type_of(value) for value in values},
            description=description if isinstance(description, str) else "",
            enum=None if values is None else tuple(value for value in values if type_of(value) in types),
            limits=limits,
            properties={name: self.read(part, trail, level + 1) for name, part in read_named(raw, "properties").items()},
            patterns={name: self.read(part, trail, level + 1) for name, part in read_named(raw, "patternProperties").items()},
            required=read_required(raw),
            additional=self._read_additional(raw.get("additionalProperties"), trail, level),
            items=self.read(items, trail, level + 1) if isinstance(items, dict | bool) else None,
            prefix=tuple(self.read(part, trail, level + 1) for part in read_list(raw, "prefixItems")),
        )

    def _read_additional(self, raw: Json, trail: tuple[str, ...], level: int) -> Additional:
        if isinstance(raw, bool) or not isinstance(raw, dict):
            return raw if isinstance(raw, bool) else None
        shape = self.read(raw, trail, level + 1)
        return True if shape == ANYTHING else shape

    def _read_parts(self, raw: JsonObject, trail: tuple[str, ...], level: int) -> Iterator[Shape]:
        """What must be fulfilled besides: the target of `$ref`, each part of `allOf`."""
        if isinstance(raw.get("$ref"), str):
            yield self._follow(raw["$ref"], trail, level)
        if isinstance(raw.get("$dynamicRef"), str):
            yield replace(ANYTHING, notes=("its form is defined elsewhere",))
        for part in read_list(raw, "allOf"):
            yield self.read(part, trail, level + 1)

    def _follow(self, reference: str, trail: tuple[str, ...], level: int) -> Shape:
        try:
            target = resolve_reference(self._root, reference) if reference.startswith("#") else None
        except LookupError:
            target = None
        if not isinstance(target, dict | bool):
            return replace(ANYTHING, notes=("its form is defined elsewhere",))
        if trail.count(reference) > self._repeats:
            return _cut(target)
        return self.read(target, (*trail, reference), level + 1)

    def _restrict(self, shape: Shape, raw: JsonObject, keyword: str, trail: tuple[str, ...], level: int) -> Shape:
        """The shape with the alternatives under `keyword`."""
        parts = [self.read(part, trail, level + 1) for part in read_list(raw, keyword)]
        if not parts:
            return shape
        told = (EXACTLY_ONE,) if keyword == "oneOf" and not are_disjoint(parts) else ()
        whole = make_union(ANYTHING, [alternative for part in parts for alternative in part.union or (part,)])
        if all(part.is_anything and not part.notes for part in parts):
            return replace(shape, notes=(*shape.notes, *told))
        joined = intersect(shape, whole)
        branches = joined.union
        if _are_values(branches) and not told:
            return _keep_texts(joined, unite(branches))
        are_objects = branches and not shape.union and all(branch.types == {"object"} for branch in branches)
        if are_objects and shape.properties and all(part.properties.keys() <= shape.properties.keys() for part in parts):
            return _keep_texts(joined, merge_objects(branches, exclusive=keyword == "oneOf"))
        return replace(joined, notes=(*joined.notes, *told))

    def _add_conditions(self, shape: Shape, raw: JsonObject, trail: tuple[str, ...], level: int) -> Shape:
        """The shape with the conditions in words; fields that only a condition declares can be given too."""
        told = _Conditions(lambda part: self.read(part, trail, level + 1), raw)
        notes = list(told.tell())
        if not notes:
            return shape
        fields = {
            name: part
            for other in told.adding
            for name, part in other.properties.items()
            if name not in shape.properties and not part.is_impossible
        }
        if shape.union or not shape.types & {"object"} or shape.additional is False:
            fields = {}
        return replace(shape, notes=(*shape.notes, *notes), properties={**shape.properties, **fields})


class _Conditions:
    """The keywords that no provider reads in full, in words. `adding` = the schemas that may hold for the same object."""

    def __init__(self, read: Reading, raw: JsonObject) -> None:
        self._read = read
        self._raw = raw
        self.adding: list[Shape] = []

    def tell(self) -> Iterator[str]:
        raw = self._raw
        if isinstance(raw.get("not"), dict):
            yield f"not {self._word(raw['not'])}"
        yield from self._tell_condition()
        yield from (f"with {name} also {', '.join(names)}" for name, names in read_dependent_names(raw).items() if names)
        schemas = read_named(raw, "dependentSchemas")
        yield from (f"with {name} also {self._add(part)}" for name, part in schemas.items() if _says_something(part))
        if _says_something(raw.get("propertyNames")):
            yield f"names of fields: {self._word(raw['propertyNames'])}"
        if isinstance(raw.get("contains"), dict | bool) and (raw.get("minContains") != 0 or "maxContains" in raw):
            yield f"must hold {self._count_contained()}: {self._word(raw['contains'])}"

    def _tell_condition(self) -> Iterator[str]:
        condition = self._raw.get("if")
        if not isinstance(condition, dict | bool):
            return
        for keyword, when in (("then", "if"), ("else", "if not")):
            part = self._raw.get(keyword)
            if _says_something(part):
                yield f"{when} {self._word(condition)} then {self._add(part)}"

    def _count_contained(self) -> str:
        least, most = self._raw.get("minContains", 1), self._raw.get("maxContains")
        return f"{show(least)} or more of" if most is None else f"{show(least)} to {show(most)} of"

    def _word(self, part: Json) -> str:
        return word_shape(self._read(part))

    def _add(self, part: Json) -> str:
        shape = self._read(part)
        self.adding.append(shape)
        return word_shape(shape)


def _says_something(part: Json) -> bool:
    """Whether the schema is one that may refuse a value."""
    return part is False or (isinstance(part, dict) and bool(part))


def _cut(target: Json) -> Shape:
    """An open value in place of a schema that goes on for ever."""
    if not isinstance(target, dict):
        return ANYTHING
    types = read_types(target)
    names = ", ".join(list(read_named(target, "properties"))[:20])
    same = f"of the same form again{f', with the fields {names}' if names else ''}"
    return Shape(types, names_types(target), notes=(same,))


def _are_values(branches: Sequence[Shape]) -> bool:
    return len(branches) > 1 and all(branch.enum is not None and not branch.union for branch in branches)


def _keep_texts(outer: Shape, inner: Shape) -> Shape:
    """`inner` under the description, notes and default of `outer`."""
    notes = tuple(dict.fromkeys((*outer.notes, *inner.notes)))
    limits = {key: value for key, value in outer.limits.items() if key in {"default", "examples"}}
    return replace(inner, description=outer.description or inner.description, notes=notes, limits={**inner.limits, **limits})
