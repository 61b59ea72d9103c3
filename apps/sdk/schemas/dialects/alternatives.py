"""What a value may be, as the alternatives that one family of providers takes."""

from __future__ import annotations

from collections.abc import Sequence

from apps.sdk.jsontypes import Json
from apps.sdk.schemas.dialects.joining import merge_objects
from apps.sdk.schemas.dialects.profiles import Profile
from apps.sdk.schemas.dialects.shapes import KINDS, Shape, deduplicate, narrow, strip_texts
from apps.sdk.schemas.dialects.values import need_texts

CONTAINERS = frozenset({"object", "array"})


def list_choices(shape: Shape, profile: Profile) -> list[Shape]:
    """The alternatives but null, each of one kind; texts of a shape without alternatives are told around it."""
    branches = shape.union or (strip_texts(shape),)
    flat = [part for branch in branches for part in (branch.union or (branch,))]
    choices: list[Shape] = []
    for branch in flat:
        if has_texts(branch, profile):
            choices.append(branch)
            continue
        choices += [narrow(branch, kind) for kind, types in KINDS.items() if branch.types & types]
    return list(deduplicate([choice for choice in choices if not choice.is_impossible and choice.types != {"null"}]))


def reduce_choices(choices: list[Shape], profile: Profile, *, nullable: bool) -> tuple[list[Shape], list[Shape]]:
    """At most as many alternatives as the family takes, and those that are left to be told."""
    limit = profile.alternatives - (nullable and profile.null == "alternative" and profile.alternatives > 1)
    if len(choices) <= limit:
        return choices, []
    if all(choice.types == {"object"} for choice in choices):
        return [merge_objects(choices, exclusive=False)], []
    if limit == 1:
        plain = [choice for choice in choices if "string" in choice.types and choice.enum is None]
        scalars = all(not choice.types & CONTAINERS for choice in choices)
        first = plain[0] if plain and scalars else choices[0]
        return [first], [choice for choice in choices if choice is not first]
    return choices[:limit], choices[limit:]


def has_texts(shape: Shape, profile: Profile) -> bool:
    """Whether the shape's listed values, of whatever kinds, are sent as texts."""
    values = [value for value in shape.enum or () if value is not None]
    return bool(values) and not _is_every_boolean(values) and need_texts(values, profile)


def _is_every_boolean(values: Sequence[Json]) -> bool:
    return len(values) == 2 and all(isinstance(value, bool) for value in values)
