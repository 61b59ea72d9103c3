"""Which notes hold which words: case and accents folded; whole words and titles count most, insides of words and texts least."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from apps.notes.skills.notebook import Entry

_ACCENTS: Final = re.compile("[\u0300-\u036f]+")
_WEIGHTS: Final = MappingProxyType({"title": 4, "tags": 3, "text": 2})
_WHOLE, _BEGINNING, _INSIDE = 4, 3, 1
_MIN_INSIDE: Final = 4
"""Letters of an ASCII word that may stand inside another; scripts that do not part their words have no such limit."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A note with some of the words: how many, how well, and about where in its text the first of them stands."""

    entry: Entry
    matched: int
    score: int
    position: int


def split_words(text: str) -> list[str]:
    """The folded words, each once."""
    letters = (character if _is_letter(character) else " " for character in fold(text))
    return list(dict.fromkeys("".join(letters).split()))


def fold(text: str) -> str:
    """Without case, accents and width: "ÉCOLE" and "école" both become "ecole"."""
    if text.isascii():
        return text.casefold()
    parts = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", _ACCENTS.sub("", parts))


def find_hits(entries: Sequence[Entry], words: Sequence[str]) -> list[Hit]:
    """Notes with at least one word, those with most words first, then the best; equals stay in the order given."""
    hits = (_look(entry, words) for entry in entries)
    return sorted((hit for hit in hits if hit.matched), key=lambda hit: (-hit.matched, -hit.score))


def _look(entry: Entry, words: Sequence[str]) -> Hit:
    note = entry.note
    fields = {"title": fold(note.title), "tags": fold(" ".join(note.tags)), "text": fold(note.text)}
    scores = [max(weight * _rate(word, fields[field]) for field, weight in _WEIGHTS.items()) for word in words]
    places = (fields["text"].find(word) for word in words)
    first = min((place for place in places if place >= 0), default=0)
    return Hit(entry, sum(score > 0 for score in scores), sum(scores), first)


def _rate(word: str, text: str) -> int:
    """How well `text` holds the word, at its best place."""
    best = 0
    start = text.find(word)
    while start >= 0 and best < _WHOLE:
        end = start + len(word)
        if start == 0 or not _is_letter(text[start - 1]):
            best = max(best, _WHOLE if end == len(text) or not _is_letter(text[end]) else _BEGINNING)
        elif len(word) >= _MIN_INSIDE or not word.isascii():
            best = max(best, _INSIDE)
        start = text.find(word, end)
    return best


def _is_letter(character: str) -> bool:
    """Letters, digits and the marks that belong to letters in Indic and other scripts."""
    return character.isalnum() or unicodedata.category(character).startswith("M")
