"""Two shapes as one: what fits both, and what fits at least one of several objects."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace

from apps.sdk.jsontypes import Json
from apps.sdk.schemas.dialects.listing import deduplicate_values, join_values, keep_fitting
from apps.sdk.schemas.dialects.notation import show, word_limit, word_shape
from apps.sdk.schemas.dialects.shapes import ANNOTATIONS, ANYTHING, NOTHING, Additional, Shape, deduplicate, strip_texts

MAX_ALTERNATIVES = 16
"""Shapes that two unions may make together; what goes over it is told in words."""
EXACTLY_ONE = "must fit exactly one of the alternatives"
MAX_COMPARED = 64
"""Alternatives of one `oneOf` that are compared with each other."""
_LOWER = frozenset({"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"})
_UPPER = frozenset({"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"})


def intersect(shape: Shape, other: Shape) -> Shape:
    """What fits both; of two descriptions or defaults the first one's counts."""
    if shape.union or other.union:
        return _cross(shape, other)
    limits, notes = _join_limits(shape, other)
    types, named = _join_types(shape, other)
    return Shape(
        types=types,
        named=named,
        description=shape.description or other.description,
        notes=tuple(dict.fromkeys((*shape.notes, *other.notes, *notes))),
        enum=keep_fitting(join_values(shape.enum, other.enum), limits),
        limits=limits,
        properties=_join_properties(shape, other),
        patterns={**other.patterns, **shape.patterns},
        required=tuple(dict.fromkeys((*shape.required, *other.required))),
        additional=_join_additional(shape.additional, other.additional),
        items=_join_items(shape.items, other.items),
        prefix=_join_prefixes(shape, other),
    )


def intersect_all(shapes: Sequence[Shape]) -> Shape:
    """What fits every one; by halves, so that thousands of parts do not each copy what came before."""
    if len(shapes) == 1:
        return shapes[0]
    middle = len(shapes) // 2
    return intersect(intersect_all(shapes[:middle]), intersect_all(shapes[middle:]))


def _join_types(shape: Shape, other: Shape) -> tuple[frozenset[str], bool]:
    """Types that a schema names count, and only where neither does those that are meant."""
    if shape.named != other.named:
        return shape.types if shape.named else other.types, True
    common = shape.types & other.types
    return common if shape.named or common else shape.types | other.types, shape.named


def _cross(shape: Shape, other: Shape) -> Shape:
    """Each alternative of the one with each of the other."""
    mine, theirs = shape.union or (strip_texts(shape),), other.union or (strip_texts(other),)
    if len(mine) * len(theirs) > MAX_ALTERNATIVES and shape.union and other.union:
        return replace(shape, notes=(*shape.notes, f"must also fit {word_shape(strip_texts(other))}"))
    outer = replace(shape, description=shape.description or other.description, notes=(*shape.notes, *other.notes))
    return make_union(outer, [intersect(left, right) for left in mine for right in theirs])


def make_union(outer: Shape, branches: Sequence[Shape]) -> Shape:
    """One of `branches`, under the texts of `outer`."""
    possible = deduplicate([branch for branch in branches if not branch.is_impossible])
    if not possible:
        return replace(NOTHING, description=outer.description)
    limits = {key: value for key, value in outer.limits.items() if key in {"default", "examples"}}
    if len(possible) == 1:
        (branch,) = possible
        notes = tuple(dict.fromkeys((*outer.notes, *branch.notes)))
        description = outer.description or branch.description
        return replace(branch, description=description, notes=notes, limits={**branch.limits, **limits})
    types = frozenset().union(*(branch.types for branch in possible))
    named = all(branch.named for branch in possible)
    return Shape(types, named, description=outer.description, notes=outer.notes, limits=limits, union=possible)


def are_disjoint(shapes: Sequence[Shape]) -> bool:
    """Whether certainly no value fits two of the shapes; of very many that is not looked into."""
    if len(shapes) > MAX_COMPARED:
        return False
    return all(_fits_nothing(intersect(one, other)) for one, other in itertools.combinations(shapes, 2))


def _fits_nothing(shape: Shape) -> bool:
    if shape.union:
        return all(map(_fits_nothing, shape.union))
    if shape.types == {"object"}:
        return any(_fits_nothing(_find_field(shape, name)) for name in shape.required)
    return shape.is_impossible


def _join_limits(shape: Shape, other: Shape) -> tuple[Mapping[str, Json], list[str]]:
    joined, notes = dict(shape.limits), []
    for key, value in other.limits.items():
        if key not in joined or key in {"default", "examples"}:
            joined.setdefault(key, value)
        elif key in _LOWER:
            joined[key] = max(joined[key], value)
        elif key in _UPPER:
            joined[key] = min(joined[key], value)
        elif joined[key] != value:
            notes.append(word_limit(key, value))
    return joined, notes


def _join_properties(shape: Shape, other: Shape) -> Mapping[str, Shape]:
    names = dict.fromkeys((*shape.properties, *other.properties))
    return {name: intersect(_find_field(shape, name), _find_field(other, name)) for name in names}


def _find_field(shape: Shape, name: str) -> Shape:
    """What the shape wants of a field, declared or not."""
    if name in shape.properties:
        return shape.properties[name]
    if shape.patterns or shape.additional is None or shape.additional is True:
        return ANYTHING
    return shape.additional if isinstance(shape.additional, Shape) else NOTHING


def _join_additional(first: Additional, second: Additional) -> Additional:
    if isinstance(first, Shape) and isinstance(second, Shape):
        return intersect(first, second)
    if first is False or second is False:
        return False
    return next((item for item in (first, second) if isinstance(item, Shape)), None)


def _join_items(first: Shape | None, second: Shape | None) -> Shape | None:
    return intersect(first, second) if first and second else first or second


def _join_prefixes(shape: Shape, other: Shape) -> tuple[Shape, ...]:
    count = max(len(shape.prefix), len(other.prefix))
    return tuple(intersect(_find_item(shape, index), _find_item(other, index)) for index in range(count))


def _find_item(shape: Shape, index: int) -> Shape:
    return shape.prefix[index] if index < len(shape.prefix) else shape.items or ANYTHING


def unite(shapes: Sequence[Shape]) -> Shape:
    """What fits at least one; values are put into one list where shapes are nothing but values."""
    possible = deduplicate([shape for shape in shapes if not shape.is_impossible])
    if not possible:
        return NOTHING
    if len(possible) > 1 and all(_is_values_only(shape) for shape in possible):
        values = deduplicate_values([value for shape in possible for value in shape.enum or ()])
        told = [f"{show(shape.enum[0])}: {shape.description}" for shape in possible if shape.enum and shape.description]
        return Shape(frozenset().union(*(shape.types for shape in possible)), named=True, enum=values, notes=tuple(told))
    flat = [part for shape in possible for part in (shape.union or (shape,))]
    return make_union(replace(ANYTHING, description=_share_description(possible)), flat)


def _share_description(shapes: Sequence[Shape]) -> str:
    texts = {shape.description for shape in shapes}
    return texts.pop() if len(texts) == 1 else ""


def _is_values_only(shape: Shape) -> bool:
    return shape.enum is not None and not shape.notes and not shape.limits and not shape.union


def merge_objects(branches: Sequence[Shape], *, exclusive: bool) -> Shape:
    """One object for several: all their fields, what all of them require, and in words what each of them wants."""
    names = dict.fromkeys(name for branch in branches for name in branch.properties)
    required = tuple(name for name in branches[0].required if all(name in branch.required for branch in branches))
    fields = {name: unite([branch.properties[name] for branch in branches if name in branch.properties]) for name in names}
    limits = {key: value for key, value in branches[0].limits.items() if all(b.limits.get(key) == value for b in branches)}
    rule = _word_rule(branches, fields, required, limits, exclusive=exclusive)
    if exclusive and not rule and not are_disjoint(branches):
        rule = EXACTLY_ONE
    additional = branches[0].additional if all(b.additional == branches[0].additional for b in branches) else None
    return Shape(
        types=frozenset({"object"}),
        named=True,
        notes=tuple(dict.fromkeys((*(note for branch in branches for note in branch.notes), *([rule] if rule else [])))),
        limits=limits,
        properties=fields,
        required=required,
        additional=additional,
        patterns={key: value for branch in branches for key, value in branch.patterns.items()},
    )


def _word_rule(
    branches: Sequence[Shape],
    fields: Mapping[str, Shape],
    required: Sequence[str],
    limits: Mapping[str, Json],
    *,
    exclusive: bool,
) -> str:
    """What tells the branches apart, in words; empty when nothing does."""
    wanted = [_word_branch(branch, fields, required, limits) for branch in branches]
    amount = "exactly one" if exclusive else "at least one"
    if len(set(map(tuple, wanted))) == 1:
        if len({frozenset(branch.properties) for branch in branches}) == 1:
            return ""
        wanted = [[word_shape(branch)] for branch in branches]
    if all(len(words) == 1 for words in wanted):
        return f"{amount} of these must be given: {', '.join(words[0] for words in wanted)}"
    forms = "; ".join(f"({number}) {' and '.join(words) or 'none'}" for number, words in enumerate(wanted, 1))
    return f"the fields must fit {amount} of these forms: {forms}"


def _word_branch(branch: Shape, fields: Mapping[str, Shape], required: Sequence[str], limits: Mapping[str, Json]) -> list[str]:
    named = [name for name in branch.required if name not in required]
    narrowed = {name: part for name, part in branch.properties.items() if part != fields.get(name) and part.enum}
    values = [f"{name} = {word_shape(part)}" for name, part in narrowed.items()]
    sizes = [word_limit(key, value) for key, value in branch.limits.items() if key not in {*limits, *ANNOTATIONS}]
    return [*values, *(name for name in named if name not in narrowed), *sizes]
