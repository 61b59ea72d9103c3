"""Which time, conversion, difference or date a message plainly asks for. Strict: better no answer than one to small talk."""

from __future__ import annotations

import re
from functools import cache
from types import MappingProxyType
from typing import Final

from apps.sdk.jsontypes import JsonObject
from apps.sdk.questions import take_ends
from apps.time.skills.dates import CLEAR_TIME, DATE, DAY_WORD, TIME

_NOT_A_PLACE: Final = (
    r"(?:when|if|while|and|or|also|then|right|now|currently|at|please|today|tomorrow|on|is|it|the(?! hague)|to|into|in|for|time"
    r"|und|wenn|bitte|jetzt|gerade|ist|es|sind|are|rn|y|cuando|si|ahora|et|quand|what|where|who|how|qué|wie|my|your|our|this|that|a|an|i|you|we)\b"
)
_WHEN: Final = r"(?:when|if|wenn|cuando|si|quand)"
_WORDS: Final = rf"(?:(?: |(?<= ))(?!{_NOT_A_PLACE})(?:st\.|[^\W\d][\w'/+-]{{0,30}})){{1,5}}"
_REGION: Final = r"(?:, ?(?-i:[A-Z]{2}|[A-Z][a-z]{3,30}(?: [A-Z][a-z]{1,30})?)(?=\s?(?:[?.!]|$| (?:when|if)\b)))?"
_PLACE: Final = rf"{_WORDS}{_REGION}"
_PLACE_END: Final = (
    rf"(?!,? {_WHEN}\b)(?=\s?(?:$|[?!.,;:)\n]"
    r"|(?:and|also|then|rn|right now|now|currently|at the moment|please|today|und|bitte|jetzt|gerade|y|ahora|et)\b))"
)
_ON: Final = rf",? (?:(?:on|am|el) )?(?P<date>(?:the )?{DATE}|{DAY_WORD})"
_ON_DATE: Final = rf"(?:{_ON})?"
_WHAT_TIME: Final = (
    r"(?:what time (?:is it|it is|will it be|would it be|it will be|it would be)"
    r"|what(?:'s|s| is) the (?:current |local )?time|(?:current|local) time|time is it"
    r"|how late is it"
    r"|wie sp[aä]t ist es|wie ?viel uhr ist es|qu[eé] hora es|quelle heure est-il)"
)
_IN: Final = r"(?:in|en|à|a)"
_IT_IS: Final = r"(?:it is|it's|its|it was|es|es ist|son las|es la|il est)"

_NOW: Final = (
    rf"\b{_WHAT_TIME}(?: (?:now|right now|currently|jetzt|gerade|ahora))?,? (?:over |there )?{_IN} "
    rf"(?P<place>{_PLACE}){_PLACE_END}"
)
_NOW_HERE: Final = (
    r"\b(?:what time is it|what(?:'s|s| is) the (?:current )?time"
    r"|what(?:'s|s| is) (?:the date today|today(?:'s)? date|the current date|the date)"
    r"|what (?:date|day) is (?:it )?today|wie sp[aä]t ist es|qu[eé] hora es)(?: (?:right )?now| jetzt| gerade| ahora)?"
    r"\s?(?=$|[?!\n]|\.(?:\s|$))"
)
_CONVERSIONS: Final = (
    rf"\b{_WHAT_TIME} {_IN} (?P<to>{_PLACE}),? {_WHEN} {_IT_IS} (?P<time>{TIME}) {_IN} (?P<from>{_PLACE})",
    rf"\b{_WHAT_TIME} {_IN} (?P<to>{_PLACE}),? {_WHEN} es {_IN} (?P<from>{_PLACE}) (?P<time>{TIME})",
    (
        rf"\b(?:{_WHEN} {_IT_IS}|at) (?P<time>{TIME}) {_IN} (?P<from>{_PLACE}){_ON_DATE}"
        rf",? (?:then )?{_WHAT_TIME} {_IN} (?P<to>{_PLACE})"
    ),
    (
        rf"\b(?:convert|translate|what(?:'s|s| is)|what time is|when is) (?P<time>{CLEAR_TIME})"
        rf" (?:{_IN} )?(?P<from>{_PLACE})(?: time)?{_ON_DATE} (?:to|into|in) (?P<to>{_PLACE})"
    ),
)
_DATE_AFTER: Final = rf"(?: time)?{_ON}"
_ARTICLE: Final = r"(?:the |dem |den |el |le )?"
_FROM: Final = rf"{_ARTICLE}(?P<from>{DATE}|{DAY_WORD})"
_TO: Final = rf"{_ARTICLE}(?P<to>{DATE}|{DAY_WORD})"
_HOW_LONG: Final = (
    r"(?:how (?:many|much) (?:week|working |business )?(?:days|weeks|months|years|time)|how long"
    r"|(?:number of |the |(?<![0-9] )(?<!few )(?<!two )(?<!three )(?<!four )(?<!five ))"
    r"(?:week|working |business )?(?:days|weeks|months|years|difference|time)"
    r"|wie ?viele? (?:tage|wochen|monate|jahre)|cu[aá]nt[oa]s (?:d[ií]as|semanas|meses|años)|combien de (?:jours|semaines|mois))"
)
_LINK: Final = r"(?: (?:are|is|was|were|there|it|lie|liegen|gibt|es|sind|hay|y|a|il|have|has|passed|elapsed|go|left)){0,4}"
_HOW_FAR: Final = r"(?:how (?:many (?:days|weeks|months|years)|long)|(?<![0-9] )days|wie ?viele? tage|cu[aá]ntos d[ií]as)"
_DIFFERENCES: Final = (
    rf"\b{_HOW_LONG}{_LINK} (?:between|zwischen|entre) {_FROM},? (?:and|und|y|et) {_TO}",
    rf"\b{_HOW_LONG}{_LINK} (?:from|von|vom|desde|de|since) {_FROM},? (?:to|until|till|bis|bis zum|hasta|a|à|al) {_TO}",
    rf"\b{_HOW_FAR}{_LINK} (?:until|till|til|to|before|bis|bis zum|hasta) {_TO}",
    rf"\b(?:{_HOW_FAR}{_LINK} (?:since|seit|seit dem)|how long ago (?:is|was)) {_FROM}",
)
_AMOUNT: Final = (
    r"(?:[0-9]{1,7}|an?|one|eine?[nm]?|un[ao]?)"
    r" (?:days?|weeks?|months?|years?|tage?n?|wochen?|monate?n?|jahre?n?|d[ií]as?|semanas?|mes(?:es)?|años?)\b"
)
_AMOUNTS: Final = rf"(?P<amounts>{_AMOUNT}(?:(?:,| and|, and| und| y) {_AMOUNT}){{0,3}})"
_DATE: Final = rf"{_ARTICLE}(?P<date>{DATE}|{DAY_WORD})"
_WHICH_DATE: Final = (
    r"\b(?:(?:what|which)(?:'s|s| is)?(?: the)? (?:date|day|weekday|day of the week)|when"
    r"|welches datum|welcher tag|qu[eé] (?:fecha|d[ií]a))"
    r"(?: (?:is|was|will|it|be|falls|comes|ist|war|es|será|the date|exactly)){0,4}"
)
_ADDITIONS: Final = (
    (rf"{_WHICH_DATE} {_AMOUNTS} (?:after|from|nach|ab|después del?|despues del?|following) {_DATE}", 1),
    (rf"{_WHICH_DATE} {_AMOUNTS} (?:before|prior to|vor|antes del?) {_DATE}", -1),
    (rf"{_WHICH_DATE} in {_AMOUNTS}", 1),
    (rf"{_WHICH_DATE} {_AMOUNTS} ago\b", -1),
    (rf"\badd {_AMOUNTS} to {_DATE}", 1),
    (rf"\bsubtract {_AMOUNTS} from {_DATE}", -1),
    (rf"(?<![\w.,/-]){_DATE} ?(?:plus|\+) ?{_AMOUNTS}", 1),
    (rf"(?<![\w.,/-]){_DATE} ?(?:minus|-|−) ?{_AMOUNTS}", -1),
)
_WHICH_WEEKDAY: Final = (
    r"\b(?:(?:what|which) (?:day of the week|weekday|day)|welcher wochentag|qu[eé] d[ií]a de la semana)"
    rf" (?:is|was|will|does|ist|war|es|fue) {_DATE}(?! (?:plus|minus|[-+])|\w)"
)
_UNITS: Final = MappingProxyType(
    {"t": "days", "d": "days", "w": "weeks", "s": "weeks", "m": "months", "y": "years", "j": "years", "a": "years"}
)
"""The first letter of a unit's name, in four languages, to ours."""


def find_now(text: str) -> JsonObject | None:
    """`{place}` of the first question for the current time or date."""
    shown = take_ends(text)
    for conversion in _CONVERSIONS:
        shown = _compile(conversion).sub("\n", shown)
    if match := _compile(_NOW).search(shown):
        return {"place": match["place"]}
    return {"place": "UTC"} if _compile(_NOW_HERE).search(shown) else None


def find_conversion(text: str) -> JsonObject | None:
    """`{time, from, to}`, and `date` when the message names one, of the first question for a time elsewhere."""
    shown = take_ends(text)
    for pattern in _CONVERSIONS:
        if match := _compile(pattern).search(shown):
            after = _compile(_DATE_AFTER).match(shown, match.end())
            found = match.groupdict() | (after.groupdict() if after else {})
            return {name: value.strip() for name, value in found.items() if value}
    return None


def find_difference(text: str) -> JsonObject | None:
    """`{from, to}` of the first question for the time between two dates; one that is missing is today."""
    shown = take_ends(text)
    for pattern in _DIFFERENCES:
        if match := _compile(pattern).search(shown):
            return {"from": "today", "to": "today", **match.groupdict()}
    return None


def find_addition(text: str) -> JsonObject | None:
    """`{date, years, months, weeks, days}` (zeros left out) of the first question for a date so far off, or for a weekday."""
    shown = take_ends(text)
    for pattern, sign in _ADDITIONS:
        if match := _compile(pattern).search(shown):
            return {"date": match.groupdict().get("date") or "today", **_read_amounts(match["amounts"], sign)}
    weekday = _compile(_WHICH_WEEKDAY).search(shown)
    return None if weekday is None else {"date": weekday["date"]}


def _read_amounts(text: str, sign: int) -> dict[str, int]:
    amounts: dict[str, int] = {}
    for part in re.finditer(_AMOUNT, text, re.IGNORECASE):
        number, unit = part[0].split(" ")
        name = _UNITS[unit[0].casefold()]
        amounts[name] = amounts.get(name, 0) + sign * (int(number) if number.isdigit() else 1)
    return amounts


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    """Only once a message is looked at: all of these together take longer than the import of the app."""
    return re.compile(pattern, re.IGNORECASE)
