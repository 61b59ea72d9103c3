"""Which weather a message plainly asks for. Strict: better no answer than one to small talk."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Final, Literal

from apps.sdk.jsontypes import JsonObject
from apps.sdk.questions import take_ends
from apps.weather.skills.requests import MAX_DAYS, MAX_PLACE

_SOON: Final = (
    r"this (?:morning|afternoon|evening)|tonight|(?:in|over) the next few hours|heute (?:morgen|nachmittag|abend|nacht)"
    r"|esta (?:tarde|noche)|ce soir|cet apr[eè]s-midi|hour by hour|by the hour|st[uü]ndlich|por horas|heure par heure"
)
_WEEKDAY: Final = (
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag"
    r"|lunes|martes|mi[eé]rcoles|jueves|viernes|s[aá]bado|domingo|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche"
)
_DAYS: Final = (
    r"today|heute|hoy|aujourd'hui|tomorrow|morgen|mañana|demain"
    r"|(?:the )?day after tomorrow|[uü]bermorgen|pasado mañana|apr[eè]s-demain"
    r"|(?:(?:for|in|over) )?(?:the )?(?:next|coming|n[aä]chsten) [0-9]{1,2} (?:days?|tagen?)"
    r"|(?:(?:for|in|over|during) )?(?:this|the coming|the next|diese|n[aä]chste|esta|cette)"
    r" (?:few days|week(?!end)|woche|semana|semaine)"
    r"|(?:(?:at|on|over|for) )?(?:this|the) weekend|am wochenende|(?:este|el) fin de semana|ce week-?end"
    rf"|(?:(?:on|this|next|am|el|este|for) )?(?:{_WEEKDAY})"
)
_WHEN: Final = rf"(?:{_SOON}|{_DAYS})"
_NOT_A_PLACE: Final = (
    rf"(?:(?:{_SOON}|{_WEEKDAY})\b|(?:today|heute|hoy|aujourd'hui|tomorrow|morgen|mañana|demain|[uü]bermorgen|pasado"
    r"|and|or|but|also|then|if|when|while|because|right|now|currently|at|please|on|over|for|is|was|it|be|the(?! hague)|to|into|in"
    r"|next|last|yesterday"
    r"|this|these|that|coming|during|general|celsius|fahrenheit|kelvin|degrees|my|your|our|his|her|a|an|any|some|i|you|we|they|what"
    r"|where|who|how|und|oder|bitte|jetzt|gerade|am|im|der|die|das|y|o|ahora|por|este|esta|et|ou|maintenant|ce|cette"
    r"|rain|snow|regnen|schneien|like)\b)"
)
_WORD: Final = rf"(?!{_NOT_A_PLACE})(?:st\.|[^\W\d_][\w'-]{{0,30}})"
_REGION: Final = r"(?:, ?(?-i:[A-Z]{2}|[A-Z][a-zà-ÿ]{3,30}(?: [A-Z][a-z]{1,30})?)(?=\s?(?:[?.!,]|$| )))?"
_PLACE: Final = rf"(?P<place>{_WORD}(?: {_WORD}){{0,4}}{_REGION})"
_END: Final = (
    r"(?=\s?(?:$|[?!.,;:)\n]|(?:and|or|but|also|then|right now|now|currently|at the moment|at present|please|und|bitte|jetzt"
    r"|gerade|y|ahora|et|maintenant|be|regnen|schneien)\b))"
)
_PRESENT: Final = (
    r"(?:weather|temperature)(?: like)?|how (?:hot|cold|warm|windy|humid|cloudy|sunny) is it|is it (?:raining|snowing|sunny"
    r"|cloudy|windy|hot|cold|warm|freezing)|wetter|temperatur|wie (?:warm|kalt|hei[sß]{1,2}) ist es|regnet es|schneit es"
    r"|qu[eé] tiempo hace|(?:el )?clima|temperatura|est[aá] lloviendo|quel temps (?:fait-il|il fait)|pleut-il|temp[eé]rature"
)
_FUTURE: Final = (
    r"(?:weather )?forecast|weather (?:be(?: like)?|going to be(?: like)?)|(?:will it|is it going to) (?:rain|snow"
    r"|be (?:hot|cold|warm|sunny|windy|cloudy|dry|wet))|how (?:hot|cold|warm|windy) will it (?:be|get)"
    r"|(?:do|will) i need an umbrella"
    r"|wettervorhersage|vorhersage|wird das wetter|wird es|wie (?:warm|kalt) wird es|brauche ich einen regenschirm"
    r"|qu[eé] tiempo har[aá]|va a llover|llover[aá]|pron[oó]stico(?: del tiempo)?|previsi[oó]n(?: del tiempo)?"
    r"|quel temps (?:fera-t-il|va-t-il faire)|va-t-il pleuvoir|m[eé]t[eé]o"
)
_IN: Final = r"(?:in|for|at|near|für|en|para|à|a|dans)"
_BETWEEN: Final = r"(?: (?:right now|now|currently|jetzt|gerade|ahora|en ce moment))?"
_QUESTION: Final = (
    rf"(?<![\w'-])(?:(?P<first>{_DAYS}|tonight)(?:'s)? )?(?P<hourly>hourly )?(?:(?P<length>[0-9]{{1,2}})[- ]day )?"
    rf"(?:(?P<future>{_FUTURE})|(?P<present>{_PRESENT})){_BETWEEN}"
    rf"(?:,? (?P<middle>{_WHEN}))? {_IN} {_PLACE}(?:,? (?P<last>{_WHEN}))?{_END}"
)
_COUNTS: Final = MappingProxyType(
    {
        "today": 1, "heute": 1, "hoy": 1, "aujourd'hui": 1, "tomorrow": 2, "morgen": 2, "mañana": 2, "demain": 2,
        "übermorgen": 3, "ubermorgen": 3, "pasado mañana": 3, "après-demain": 3, "apres-demain": 3,
        "day after tomorrow": 3, "the day after tomorrow": 3,
    }
)  # fmt: skip
_WEEK: Final = 7
_UNSAID: Final = 3
"""Days of a forecast that names none."""


@dataclass(frozen=True, slots=True)
class _Question:
    """What is asked, and where; `days` for a forecast."""

    kind: Literal["now", "days", "hours"]
    place: str
    days: int = 0


def find_now(text: str) -> JsonObject | None:
    """`{place}` of the first question for the weather at this moment."""
    question = _find(text)
    return {"place": question.place} if question and question.kind == "now" else None


def find_forecast(text: str) -> JsonObject | None:
    """`{place, days}` of the first question for the weather of whole days."""
    question = _find(text)
    return {"place": question.place, "days": question.days} if question and question.kind == "days" else None


def find_hours(text: str) -> JsonObject | None:
    """`{place}` of the first question for the weather of the coming hours."""
    question = _find(text)
    return {"place": question.place} if question and question.kind == "hours" else None


def _find(text: str) -> _Question | None:
    match = _compile(_QUESTION).search(take_ends(text))
    if match is None:
        return None
    place = match["place"].strip()[:MAX_PLACE]
    when = (match["first"] or match["middle"] or match["last"] or "").casefold()
    if match["hourly"] or _compile(_SOON).fullmatch(when):
        return _Question("hours", place)
    if match["length"] or when:
        return _Question("days", place, _count_days(match["length"] or when))
    return _Question("days", place, _UNSAID) if match["future"] else _Question("now", place)


def _count_days(when: str) -> int:
    """Up to the day that is named, or as many as are; a week for a weekday and for anything that takes longer."""
    if number := re.search("[0-9]+", when):
        return max(1, min(int(number[0]), MAX_DAYS))
    return _COUNTS.get(when, _WEEK)


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    """Only once a message is looked at: it takes longer than the import of the app."""
    return re.compile(pattern, re.IGNORECASE)
