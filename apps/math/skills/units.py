"""Units as people write them, and conversion on an exact registry.

The common names come from a table, so that a message can be recognised without loading pint (0.3 to 1 s with its registry);
whatever the table lacks is asked of pint. Sizes that differ between countries are the US ones unless the name says otherwise:
gallon, pint, cup, fluid ounce, ton.
"""

from __future__ import annotations

import difflib
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from tokenize import TokenError
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeAlias

from apps.math.skills.unit_names import TABLE
from apps.sdk.skill import SkillRetry

if TYPE_CHECKING:
    import pint

    Registry: TypeAlias = pint.UnitRegistry[Fraction]

MAX_UNIT_LENGTH: Final = 60
"""Characters of a unit."""

_NAME: Final = r"[A-Za-zÅµμΩ°][A-Za-zÅµμΩ_]*"
_POWER: Final = r"(?: ?(?:\*\*|\^) ?-?[1-9](?![0-9]))?"
_COMPOUND: Final = re.compile(rf"\(?{_NAME}{_POWER}(?: ?(?:[*/·]|per|) ?\(?{_NAME}{_POWER}\)?){{0,5}}")


@dataclass(frozen=True, slots=True)
class CommonUnit:
    """A unit of the table; two convert into each other when their `kind` is the same."""

    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class Converted:
    """A converted value, with the names of the units as they were understood."""

    value: Fraction
    source: str
    target: str


def _read_table(table: str) -> Mapping[str, CommonUnit]:
    units: dict[str, CommonUnit] = {}
    for line in table.strip().replace("\n  ", " ").splitlines():
        kind, name, spellings = line.split(": ")
        unit = CommonUnit(name, kind)
        units.update(dict.fromkeys((*spellings.split(", "), name.replace("_", " ").replace("**", "^")), unit))
    return MappingProxyType(units)


COMMON_UNITS: Final = _read_table(TABLE)
"""Spelling to unit. Case counts (Mb is not MB) unless nothing else fits."""

_FOLDED: Final = MappingProxyType({spelling.casefold(): unit for spelling, unit in reversed([*COMMON_UNITS.items()])})


def find_common_unit(text: str) -> CommonUnit | None:
    """The unit of the table that `text` spells, blanks and a final point aside."""
    spelling = " ".join(text.split())
    for written in (spelling, spelling.removesuffix(".")):
        if unit := COMMON_UNITS.get(written) or _FOLDED.get(written.casefold()):
            return unit
    return None


@dataclass(frozen=True, slots=True)
class _ReadUnit:
    """A unit as understood: `shown` is its usual name, or what was written; `kind` is known of common units only."""

    unit: pint.Unit
    shown: str
    kind: str | None


class UnitConverter:
    """Converts between units; loads pint at its first use, which takes up to a second, so call it off the event loop."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._registry: Registry | None = None

    def convert(self, value: Fraction, source: str, target: str) -> Converted:
        """`value` of `source` in `target`, exact as far as pint's definitions are; raises `SkillRetry`."""
        with self._lock:
            registry = self._registry = self._registry or _build_registry()
            read_source, read_target = _parse_unit(registry, source), _parse_unit(registry, target)
            converted = _convert(registry, value, read_source, read_target)
            return Converted(converted, read_source.shown, read_target.shown)


def _build_registry() -> Registry:
    import pint  # noqa: PLC0415  see the module's docstring

    return pint.UnitRegistry(non_int_type=Fraction, cache_folder=None)


def _parse_unit(registry: Registry, text: str) -> _ReadUnit:
    spelling = " ".join(text.split())
    if len(spelling) > MAX_UNIT_LENGTH:
        raise SkillRetry(f"A unit has more than {MAX_UNIT_LENGTH} characters (the limit).")
    if common := find_common_unit(spelling):
        return _ReadUnit(registry.parse_units(common.name), common.name.replace("_", " ").replace("**", "^"), common.kind)
    if not _COMPOUND.fullmatch(spelling):
        raise _unknown_unit(spelling)
    try:
        return _ReadUnit(registry.parse_units(spelling), spelling, None)
    except (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError, SyntaxError, TokenError):
        raise _unknown_unit(spelling) from None


def _unknown_unit(spelling: str) -> SkillRetry:
    close = difflib.get_close_matches(spelling.casefold(), list(_FOLDED), n=3)
    hint = f"Close names: {', '.join(close)}." if close else "Use names or symbols such as km, miles, °F, lbs, cups, km/h, m^2."
    return SkillRetry(f"The unit {spelling!r} is not known.", hint=hint)


def _convert(registry: Registry, value: Fraction, source: _ReadUnit, target: _ReadUnit) -> Fraction:
    if source.unit.dimensionality != target.unit.dimensionality:
        raise _incompatible(source, target)
    is_temperature = source.unit.dimensionality == registry.kelvin.dimensionality and "delta" not in source.shown
    try:
        quantity = registry.Quantity(value, source.unit)
        converted = quantity.to(target.unit).magnitude
        below_zero = is_temperature and quantity.to(registry.kelvin).magnitude < 0
    except (ArithmeticError, AttributeError, TypeError, ValueError):
        raise _incompatible(source, target) from None
    if below_zero:
        raise SkillRetry("That temperature is below absolute zero.")
    if not isinstance(converted, int | Fraction):
        raise SkillRetry(f"{source.shown} or {target.shown} is a logarithmic unit; these are not supported.")
    return Fraction(converted)


def _incompatible(source: _ReadUnit, target: _ReadUnit) -> SkillRetry:
    kinds = " and ".join(f"{unit.shown} measures {unit.kind}" for unit in (source, target) if unit.kind)
    hint = "Name two units of the same quantity."
    return SkillRetry(f"{source.shown} cannot be converted to {target.shown}.", hint=f"{kinds}. {hint}" if kinds else hint)
