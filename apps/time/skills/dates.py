"""Dates and times of day as people write them. What could mean two things is refused, with the spelling that would do."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import MappingProxyType
from typing import Final

from whenever import Date, PlainDateTime, Time

from apps.sdk.skill import SkillRetry

MAX_DATE_LENGTH: Final = 60
"""Characters of a date or a time."""

_MONTH_NAMES: Final = (
    ("january", "jan", "januar", "jänner", "enero", "janvier"),
    ("february", "feb", "februar", "febrero", "février"),
    ("march", "mar", "märz", "maerz", "marzo", "mars"),
    ("april", "apr", "abril", "avril"),
    ("may", "mai", "mayo"),
    ("june", "jun", "juni", "junio", "juin"),
    ("july", "jul", "juli", "julio", "juillet"),
    ("august", "aug", "agosto", "août"),
    ("september", "sep", "sept", "septiembre", "septembre"),
    ("october", "oct", "oktober", "okt", "octubre", "octobre"),
    ("november", "nov", "noviembre", "novembre"),
    ("december", "dec", "dezember", "dez", "diciembre", "décembre"),
)
_MONTHS: Final = MappingProxyType({name: number for number, names in enumerate(_MONTH_NAMES, 1) for name in names})
_MONTH: Final = f"(?:{'|'.join(sorted(_MONTHS, key=lambda name: (-len(name), name)))})"
_DAY: Final = r"[0-3]?[0-9](?:st|nd|rd|th)?"
_YEAR: Final = r"[0-9]{4}"
_DAYS_AWAY: Final = MappingProxyType(
    {
        "today": 0,
        "now": 0,
        "heute": 0,
        "hoy": 0,
        "tomorrow": 1,
        "morgen": 1,
        "mañana": 1,
        "yesterday": -1,
        "gestern": -1,
        "ayer": -1,
    }
)

_SOME_MONTH: Final = r"[^\W\d_]{3,10}"

DATE: Final = (
    rf"(?:[0-9]{{4}}[-/][0-9]{{1,2}}[-/][0-9]{{1,2}}|[0-9]{{1,2}}[./][0-9]{{1,2}}[./]{_YEAR}"
    rf"|{_DAY}\.?(?: of| de)? {_SOME_MONTH}\.?,?(?: de)? {_YEAR}|{_SOME_MONTH}\.? {_DAY},? {_YEAR})(?![0-9])"
)
"""The pattern of one date in a message; no groups, case to be ignored. Whether the month exists is for `read_date` to say."""

DAY_WORD: Final = rf"(?:{'|'.join(_DAYS_AWAY)})\b"
"""The pattern of a day counted from today."""

TIME: Final = (
    r"(?:[0-2]?[0-9](?:[:.][0-5][0-9])?\s?(?:am\b|pm\b|a\.m\.|p\.m\.|o['’]?clock\b|uhr\b|h\b)?|noon\b|midnight\b|midday\b)"
)
"""The pattern of a time of day in a message; no groups, case to be ignored."""

CLEAR_TIME: Final = (
    r"(?:[0-2]?[0-9]:[0-5][0-9](?:\s?(?:am\b|pm\b|a\.m\.|p\.m\.|uhr\b|h\b))?"
    r"|[01]?[0-9]\s?(?:am\b|pm\b|a\.m\.|p\.m\.)|noon\b|midnight\b)"
)
"""As `TIME`, for where a bare 9 or a 9.30 could be any number."""

_ISO: Final = re.compile(r"([0-9]{4})([-/])([0-9]{1,2})\2([0-9]{1,2})")
_DOTTED: Final = re.compile(r"([0-9]{1,2})\. ?([0-9]{1,2})\. ?([0-9]{4})")
_SLASHED: Final = re.compile(r"([0-9]{1,2})([/-])([0-9]{1,2})\2([0-9]{4})")
_DAY_FIRST: Final = re.compile(rf"({_DAY})\.?(?: of| de)? ({_MONTH})\.?,?(?: de)? ({_YEAR})", re.IGNORECASE)
_MONTH_FIRST: Final = re.compile(rf"({_MONTH})\.? ({_DAY}),? ({_YEAR})", re.IGNORECASE)
_WEEKDAY: Final = re.compile(r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|the|den|dem|el),? +", re.IGNORECASE)
_CLOCK: Final = re.compile(
    r"([0-9]{1,2})(?:[:.h]([0-9]{2}))?(?::([0-9]{2}))? ?(am|pm|a\.m\.|p\.m\.|o['’]?clock|uhr|h)?", re.IGNORECASE
)
_DATE_AND_TIME: Final = re.compile(
    r"(.{6,40}?)(?:T|,? at |,? um |,? )([0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?: ?[ap]m)?)", re.IGNORECASE
)
_USE_ISO: Final = "Write it as year-month-day, for example 2024-03-03."


def read_date(text: str, today: Callable[[], Date]) -> Date:
    """The date that `text` writes, or the day counted from `today()`; raises `SkillRetry` for anything unclear or impossible."""
    written = _tidy(text)
    if written.casefold() in _DAYS_AWAY:
        return today().add(days=_DAYS_AWAY[written.casefold()])
    written = _WEEKDAY.sub("", written, count=2)
    if match := _ISO.fullmatch(written):
        return _make_date(text, match[1], match[3], match[4])
    if match := _DOTTED.fullmatch(written):
        return _make_date(text, match[3], match[2], match[1])
    if match := _DAY_FIRST.fullmatch(written):
        return _make_date(text, match[3], match[2], match[1])
    if match := _MONTH_FIRST.fullmatch(written):
        return _make_date(text, match[3], match[1], match[2])
    if match := _SLASHED.fullmatch(written):
        return _read_slashed(text, int(match[1]), int(match[3]), match[4])
    raise SkillRetry(f"Cannot read the date {written!r}.", hint=_USE_ISO)


def read_moment(text: str, today: Callable[[], Date]) -> Date | PlainDateTime:
    """A date, or a date with a time of day; raises `SkillRetry`."""
    if match := _DATE_AND_TIME.fullmatch(_tidy(text)):
        return read_date(match[1], today).at(read_time(match[2]))
    return read_date(text, today)


def read_time(text: str) -> Time:
    """A time of day: 9:30, 09:30:15, 9.30, 21:30, 9pm, 9 o'clock, noon, midnight; raises `SkillRetry`."""
    written = _tidy(text).casefold()
    if written in {"noon", "midday", "midnight"}:
        return Time(0 if written == "midnight" else 12)
    match = _CLOCK.fullmatch(written)
    if match is None:
        raise SkillRetry(f"Cannot read the time {written!r}.", hint="Write it as 09:30, 21:30 or 9:30 pm.")
    hour, minute, second = int(match[1]), int(match[2] or 0), int(match[3] or 0)
    half = (match[4] or "")[:1]
    is_twelve_hour = half in {"a", "p"}
    if not (1 <= hour <= 12 if is_twelve_hour else hour <= 23) or minute > 59 or second > 59:
        raise SkillRetry(f"There is no such time as {written!r}.", hint="Write it as 09:30, 21:30 or 9:30 pm.")
    return Time(hour % 12 + 12 * (half == "p") if is_twelve_hour else hour, minute, second)


def _tidy(text: str) -> str:
    if len(text) > MAX_DATE_LENGTH:
        raise SkillRetry(f"A date or a time has more than {MAX_DATE_LENGTH} characters (the limit).")
    return " ".join(text.split())


def _make_date(text: str, year: str, month: str, day: str) -> Date:
    number = _MONTHS.get(month.casefold()) or int(month)
    try:
        return Date(int(year), number, int(day.rstrip("stndrhSTNDRH")))
    except ValueError:
        raise SkillRetry(f"There is no such date as {_tidy(text)!r}.", hint=_USE_ISO) from None


def _read_slashed(text: str, first: int, second: int, year: str) -> Date:
    """12/24/2026 and 24/12/2026 can only mean one day; 03/04/2024 is the 3rd of April to some and the 4th of March to others."""
    if first <= 12 and second <= 12 and first != second:
        raise SkillRetry(f"{_tidy(text)!r} could be day-month or month-day.", hint=_USE_ISO)
    day, month = (first, second) if first > 12 else (second, first)
    return _make_date(text, year, str(month), str(day))
