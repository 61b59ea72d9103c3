"""Which unit conversion a message plainly asks for: a number, and two units of one kind that the table knows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from apps.math.skills.numerals import NUMBER, read_number
from apps.math.skills.units import find_common_unit
from apps.sdk.jsontypes import JsonObject
from apps.sdk.questions import take_ends

LONGEST_NAME: Final = 4
"""Words of the longest name of a unit: pounds per square inch."""

_VALUE: Final = re.compile(rf"(?<![\w.,:/'])(?:-?(?:{NUMBER})|(?:an?|one|eine?|une?|una)\b)", re.IGNORECASE)
_WORDS: Final = re.compile(r"\s?([^\W\d_°℃℉]|[°℃℉])[\w/^²³°-]{0,20}\.?(?: [^\W\d_][\w²³]{0,20}\.?){0,3}")
_INTO: Final = re.compile(r"\s?(?:(?:to|into|in|as|en|nach|equals)\b|=\s?\??)\s?", re.IGNORECASE)
_INTO_AFTER_ORDER: Final = re.compile(r" (?:a|à|zu) ", re.IGNORECASE)
_ORDER: Final = re.compile(r"\b(?:convert|convierte|convertir|pasar?|convertis)\b[^\n\d]{0,20}$", re.IGNORECASE)
_HOW_MANY: Final = re.compile(r"\b(?:how many|how much|wie ?viele?|cu[aá]nt[oa]s|combien de) ", re.IGNORECASE)
_LINK: Final = re.compile(
    r"(?: (?:are|is|make|makes|equals?|do|sind|hat|haben|son|hay|there|in|en|to)(?=\s)){0,4} ", re.IGNORECASE
)
_MEASURE_BEFORE: Final = re.compile(r"[0-9]\s?([^\s\d,]{1,20}),?(?: and)? $", re.IGNORECASE)


def find_conversion(text: str) -> JsonObject | None:
    """`{value, from, to}` of the first conversion asked for; None when there is none, or when it adds units up (5 ft 10 in)."""
    shown = take_ends(text)
    found = next(_find_counted(shown), None) or next(_find_stated(shown), None)
    if found is None:
        return None
    value, source, target = found
    return {"value": value, "from": source, "to": target}


def _find_counted(text: str) -> Iterator[tuple[int | float, str, str]]:
    """How many kilometres are 26.2 miles?"""
    for question in _HOW_MANY.finditer(text):
        target, position = _take_unit(text, question.end())
        link = _LINK.match(text, position)
        value = _VALUE.match(text, link.end()) if target and link else None
        source, _ = _take_unit(text, value.end()) if value else ("", 0)
        if value and _is_one_kind(source, target):
            yield _read_value(value[0]), source, target


def _find_stated(text: str) -> Iterator[tuple[int | float, str, str]]:
    """26.2 miles in km; after an order to convert, 10 millas a kilómetros."""
    for value in _VALUE.finditer(text):
        source, position = _take_unit(text, value.end())
        into = (_INTO.match(text, position) or _INTO_AFTER_ORDER.match(text, position)) if source else None
        target, _ = _take_unit(text, into.end()) if into else ("", 0)
        if into is None or not _is_one_kind(source, target) or _adds_up(text, value.start()):
            continue
        if into.re is _INTO or _ORDER.search(text, max(0, value.start() - 40), value.start()):
            yield _read_value(value[0]), source, target


def _take_unit(text: str, start: int) -> tuple[str, int]:
    """The longest name of a unit that stands at `start`, and where it ends; an empty name when there is none."""
    run = _WORDS.match(text, start)
    words = run[0].split(" ") if run else []
    for count in range(len(words), 0, -1):
        name = " ".join(words[:count])
        if name.strip() and find_common_unit(name):
            bare = name.strip().removesuffix(".")
            return bare if find_common_unit(bare) else name.strip(), start + len(name)
    return "", start


def _adds_up(text: str, start: int) -> bool:
    before = _MEASURE_BEFORE.search(text, max(0, start - 30), start)
    return before is not None and find_common_unit(before[1]) is not None


def _is_one_kind(source: str, target: str) -> bool:
    units = find_common_unit(source), find_common_unit(target)
    return units[0] is not None and units[1] is not None and units[0].kind == units[1].kind and units[0] != units[1]


def _read_value(text: str) -> int | float:
    if text[-1].isalpha():
        return 1
    value = read_number(text.removeprefix("-")) or 0
    signed = -value if text.startswith("-") else value
    return int(signed) if signed == int(signed) else float(signed)
