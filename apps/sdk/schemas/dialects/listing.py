"""Lists of values as `enum` has them: each once, those of both of two, those that the limits on size allow."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from apps.sdk.jsontypes import Json
from apps.sdk.schemas.equality import make_comparable


def deduplicate_values(values: Sequence[Json]) -> tuple[Json, ...]:
    """The values, each once, in their order; true is not 1, and 1.0 is."""
    found: dict[str, Json] = {}
    for value in values:
        found.setdefault(make_comparable(value), value)
    return tuple(found.values())


def join_values(first: tuple[Json, ...] | None, second: tuple[Json, ...] | None) -> tuple[Json, ...] | None:
    """The values that are in both lists; None = any value."""
    if first is None or second is None:
        return second if first is None else first
    known = set(map(make_comparable, second))
    return tuple(value for value in first if make_comparable(value) in known)


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_multiple(value: Json, limit: Json) -> bool:
    """As the validator tells it, which divides fractions."""
    try:
        return float(value / limit).is_integer() if isinstance(limit, float) else not value % limit
    except OverflowError:
        return False


_SIZES: Mapping[str, Callable[[Json, Json], bool]] = MappingProxyType(
    {
        "minimum": lambda value, limit: not _is_number(value) or value >= limit,
        "maximum": lambda value, limit: not _is_number(value) or value <= limit,
        "exclusiveMinimum": lambda value, limit: not _is_number(value) or value > limit,
        "exclusiveMaximum": lambda value, limit: not _is_number(value) or value < limit,
        "multipleOf": lambda value, limit: not _is_number(value) or _is_multiple(value, limit),
        "minLength": lambda value, limit: not isinstance(value, str) or len(value) >= limit,
        "maxLength": lambda value, limit: not isinstance(value, str) or len(value) <= limit,
        "minItems": lambda value, limit: not isinstance(value, list) or len(value) >= limit,
        "maxItems": lambda value, limit: not isinstance(value, list) or len(value) <= limit,
        "minProperties": lambda value, limit: not isinstance(value, dict) or len(value) >= limit,
        "maxProperties": lambda value, limit: not isinstance(value, dict) or len(value) <= limit,
    }
)
DECIDED = frozenset(_SIZES)
"""The limits that `keep_fitting` holds listed values to."""


def keep_fitting(values: tuple[Json, ...] | None, limits: Mapping[str, Json]) -> tuple[Json, ...] | None:
    """The listed values that the limits on size allow; a text's `pattern` is not looked into."""
    if values is None or not limits.keys() & _SIZES.keys():
        return values
    return tuple(value for value in values if all(_SIZES[key](value, limits[key]) for key in limits if key in _SIZES))
