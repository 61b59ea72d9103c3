"""Text -> terms, for any script.

Words are NFKC-normalised, casefolded and, where Latin, without accents and stemmed (English Snowball). Names are split at
camelCase, `_` and `-`. Scripts without blanks become character bigrams. Numbers, percentages, clock times, dates and sums also
become classes such as `<clock>`, so that "9:30" in an example finds "14:05" in a message.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from threading import Lock

from snowballstemmer import stemmer as make_stemmer

from preprocessor.retrieval.stop_words import STOP_WORDS

MAX_WORD = 64
"""Longer runs are no words; they are cut."""
WORD_CACHE = 65_536
"""Names and words whose terms and stems are remembered; the pure Python stemmer takes about 100 µs a word."""

_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u0711"
    "\u0730-\u074a\u0900-\u0dff\u0f00-\u0fff\u135d-\u135f\u1dc0-\u1dff\u200c\u200d"
)
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff々"
_HIRAGANA = "\u3041-\u309f"
_KATAKANA = "\u30a0-\u30ff"
_SOUTH_EAST_ASIAN = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_HANGUL = "\u1100-\u11ff\uac00-\ud7af"
_BIGRAM_SCRIPTS = _HAN + _HIRAGANA + _KATAKANA + _SOUTH_EAST_ASIAN + _HANGUL
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"

_SCANNER = re.compile(
    rf"""
      (?P<url>   https?://\S{{1,2000}} )
    | (?P<date>  \b\d{{4}}-\d\d?-\d\d?(?!\d) | \b\d\d?[./]\d\d?[./]\d{{2,4}}\b
               | \b{_DAY}\ (?:of\ )?{_MONTH}(?:,?\ \d{{4}})?\b | \b{_MONTH}\ {_DAY}(?:,?\ \d{{4}})?\b )
    | (?P<clock> \b\d\d?[:.]\d\d(?::\d\d)?\s?[ap]\.?m\b | \b\d\d?:\d\d(?::\d\d)?\b | \b\d\d?\s?[ap]m\b | \b\d\d?\ o['’]clock\b )
    | (?P<sum>   (?<=[\d)])(?:\s?(?:[+*/×÷^]|\*\*)\s?|\s[-−–]\s|\s(?:plus|minus|times|divided\ by)\s)\(?(?=\d) )
    | (?P<number>\d+(?:[.,'’\u00a0]\d+)* )
    | (?P<symbol>[%€$£¥°] )
    | (?P<hiragana>[{_HIRAGANA}]+ )
    | (?P<bigrams>[{_HAN}]+ | [{_KATAKANA}]+ | [{_SOUTH_EAST_ASIAN}]+ | [{_HANGUL}]+ )
    | (?P<name>  [^\W\d](?:(?![{_BIGRAM_SCRIPTS}])[\w{_MARKS}]|[-'’](?=\w))* )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_PLAIN_SCANNER = re.compile(
    r"(?P<url>https?://\S{1,2000})|(?P<symbol>[%$])|(?P<name>[a-z_](?:\w|[-'](?=\w))*)", re.ASCII | re.IGNORECASE
)
"""What the scanner finds in ASCII without digits, which most texts are; several times as fast."""
_DIGIT = re.compile("[0-9]")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_ELISION = re.compile(r"^(?:[a-z]|qu)'(?=\w{3})")
_SYMBOLS = {"%": "percent", "€": "euro", "$": "dollar", "£": "pound", "¥": "yen", "°": "degree"}
_ARABIC_VOWELS = dict.fromkeys((*range(0x064B, 0x0653), 0x0640))


@dataclass(frozen=True, slots=True)
class Term:
    """One term of a text. `optional` terms help where they match and cost nothing where they do not.

    `says_nothing` marks a stop word: it counts only as half of a phrase ("what time", "how long"). `is_capitalized` words are
    mostly names of people, places and things.
    """

    text: str
    optional: bool = False
    says_nothing: bool = False
    is_capitalized: bool = False


class Analyzer:
    """Turns text into terms. Keeps what words come to, so share one per index; safe to use from several threads."""

    def __init__(self) -> None:
        self._stemmer = make_stemmer("english")
        self._lock = Lock()  # the stemmer keeps its word on itself
        self._read_name = lru_cache(WORD_CACHE)(self._split_name)
        self._stem = lru_cache(WORD_CACHE)(self._stem_word)

    def analyze(self, text: str) -> tuple[Term, ...]:
        """The terms of `text` in order, repeated ones too, without stop words."""
        return tuple(term for term in self.scan(text) if not term.says_nothing)

    def scan(self, text: str) -> list[Term]:
        """All terms of `text` in order, stop words too."""
        scanner = _PLAIN_SCANNER
        if not text.isascii():
            text = unicodedata.normalize("NFKC", text).translate(_ARABIC_VOWELS)
            scanner = _SCANNER
        elif _DIGIT.search(text):
            scanner = _SCANNER
        terms: list[Term] = []
        for match in scanner.finditer(text):
            if match.lastgroup == "name":
                terms += self._read_name(match.group()[: 4 * MAX_WORD])
            else:
                terms += self._read(match.lastgroup or "", match.group())
        return terms

    def _read(self, kind: str, text: str) -> Iterator[Term]:
        match kind:
            case "number":
                yield from (Term("<number>"), Term(text, optional=True))
            case "date" | "clock" | "url":
                yield Term(f"<{kind}>")
            case "sum":
                yield from (Term("<sum>"), Term("<number>"))
            case "symbol":
                yield Term(self._stem(_SYMBOLS[text]))
            case "hiragana":  # mostly grammar: single ones say nothing
                yield from map(Term, _bigrams(text) if len(text) > 1 else ())
            case _:
                yield from map(Term, _bigrams(text))

    def _split_name(self, text: str) -> tuple[Term, ...]:
        """The words of a possibly compound name; the compound itself matches its other spellings (Wi-Fi, WiFi, wifi)."""
        pieces = re.split(r"[-_]+", text.replace("’", "'"))
        parts = [part for piece in pieces for part in _CAMEL.split(piece) if part]
        words = [(word, part.istitle()) for part in parts if (word := _fold(part))]
        terms = [
            Term(word, says_nothing=True) if word in STOP_WORDS else Term(self._stem(word), is_capitalized=is_capitalized)
            for word, is_capitalized in words
        ]
        if 1 < len(words) <= 3:
            terms.append(Term(self._stem("".join(word for word, _ in words)), optional=True))
        return tuple(terms)

    def _stem_word(self, word: str) -> str:
        if not word.isascii() or len(word) < 3 or len(word) == MAX_WORD:
            return word
        word = re.sub(r"tre(s?)$", r"ter\1", word) if len(word) > 4 else word  # metre, litre, centre
        with self._lock:
            return str(self._stemmer.stemWord(word))


def pair_terms(terms: Iterable[Term]) -> list[str]:
    """Every two neighbouring words of which at least one says something."""
    words = [term for term in terms if not term.optional]
    return [
        f"{first.text} {second.text}" for first, second in pairwise(words) if not (first.says_nothing and second.says_nothing)
    ]


def _fold(word: str) -> str:
    """Casefolded; Latin letters without accents, the English genitive and a Romance article (l'heure)."""
    word = _ELISION.sub("", word.casefold()[:MAX_WORD]).removesuffix("'s").replace("'", "")
    if word.isascii():
        return word
    decomposed = unicodedata.normalize("NFD", word)
    if "a" <= decomposed[0] <= "z":
        return "".join(character for character in decomposed if not unicodedata.combining(character))
    return word


def _bigrams(text: str) -> list[str]:
    return [text[index : index + 2] for index in range(len(text) - 1)] or [text]
