"""A fielded lexical index over the skills of one catalog.

A skill's strength in a term is that of BM25F (Robertson, Zaragoza and Taylor 2004: field weights before saturation), capped at
1. A query's score is the share of its words' weight that the skill covers, times the evidence: how much was matched at all, so
that one common word is never a strong hit. Each example is compared as a whole by cosine; the best one counts.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from heapq import nsmallest
from itertools import chain, islice
from typing import TypeAlias

from apps.sdk.catalog import Catalog, SkillSpec
from preprocessor.retrieval.fields import EXAMPLES, Field, list_fields
from preprocessor.retrieval.retriever import Hit
from preprocessor.retrieval.text import Analyzer, Term, pair_terms

K1 = 1.2
"""Saturation of repeated words, BM25's usual value."""
B = 0.5
"""Length normalisation of long texts; BM25's usual 0.75 punishes well-described skills."""
BACKGROUND = 20
"""Skills imagined besides the catalog's own, so that in a small catalog too a word's rarity means something."""
UNKNOWN_WEIGHT = 0.45
UNKNOWN_NAME_WEIGHT = 0.2
"""Weight of a query's word that the index does not know, and of a capitalised one: mostly people, places and things."""
EVIDENCE_SCALE = 0.8
"""Summed relative rarity of matched words at which the evidence is 63 %."""
MASS_EXPONENT = 0.6
"""Below 1, so that a wish inside a long message still counts; chosen on metatool: recall at equal false loads."""
LEAST_MASS = 1.0
LEAST_LENGTH = 0.9
"""Mass and length of a query are taken to be at least this, so that one weak word is not the whole of a wish."""
CLASS_WEIGHTS: Mapping[str, float] = {"<number>": 0.25, "<url>": 0.5, "<date>": 0.7, "<clock>": 0.7}
"""Classes of words that are in too many messages to say much."""
SHORT_NUMBER_WEIGHT = 0.2
"""Weight of a literal number of one or two digits: an accident, unlike 404 or 8601."""
PHRASE_WEIGHT = 0.5
"""Weight of two neighbouring words beside that of each alone."""
MAX_QUERY_TERMS = 64


Counts: TypeAlias = Counter[str]
Postings: TypeAlias = defaultdict[str, "array[float]"]
"""By term: place, strength, place, strength ... One compact column, which the garbage collector need not look into."""


class LexicalIndex:
    """A `Retriever` that needs no model. Built once per catalog; immutable after that."""

    def __init__(self, catalog: Catalog) -> None:
        """Index every skill; takes about a millisecond per skill, so build large catalogs off the event loop."""
        self._analyzer = Analyzer()
        skills = tuple(catalog.skills.values())
        self._names = tuple(catalog.skills)
        self._skills: Postings = defaultdict(_make_column)
        self._examples: Postings = defaultdict(_make_column)
        self._example_owners: list[int] = []
        examples = [[self._count((example,), has_phrases=True) for example in skill.examples] for skill in skills]
        self._index_skills(skills, catalog, examples)
        self._weights = {term: self._weigh(term, len(column) // 2) for term, column in self._skills.items()}
        self._index_examples(examples)

    def rank(self, query: str, names: Collection[str], limit: int) -> tuple[Hit, ...]:
        terms = self._read_query(query)
        mass = max(sum(weight for term, weight in terms.items() if not _is_phrase(term)), LEAST_MASS)
        if not terms or limit <= 0 or not names:
            return ()
        scope = names if isinstance(names, set | frozenset | dict) else frozenset(names)
        scores = self._score_skills(terms, mass)
        self._raise_by_examples(scores, terms)
        hits = ((-round(score, 6), place) for place, score in scores.items() if self._names[place] in scope)
        return tuple(Hit(self._names[place], -negative) for negative, place in nsmallest(limit, hits))

    def count_words(self, text: str) -> int:
        return sum(not term.optional for term in self._analyzer.analyze(text))

    def _read_query(self, query: str) -> dict[str, float]:
        """The query's terms with their weights; unknown ones weigh little, unknown optional ones and phrases nothing."""
        scanned = self._analyzer.scan(query)
        terms = {term.text: self._weights.get(term.text, _weigh_unknown(term)) for term in scanned if not term.says_nothing}
        phrases = {phrase: self._weights.get(phrase, 0.0) for phrase in pair_terms(scanned)}
        weighed = ((text, weight) for text, weight in (*terms.items(), *phrases.items()) if weight)
        return dict(islice(weighed, MAX_QUERY_TERMS))

    def _score_skills(self, terms: Mapping[str, float], mass: float) -> dict[int, float]:
        matched = _add_up(self._skills, terms)
        return {place: min(1.0, total / mass**MASS_EXPONENT) * _measure_evidence(total) for place, total in matched.items()}

    def _raise_by_examples(self, scores: dict[int, float], terms: Mapping[str, float]) -> None:
        length = max(math.sqrt(sum(weight * weight for weight in terms.values())), LEAST_LENGTH)
        owners = self._example_owners
        for place, total in _add_up(self._examples, terms).items():
            score = total / length * _measure_evidence(2 * total)  # an example is less incidental than a description
            if score > scores[owners[place]]:
                scores[owners[place]] = min(score, 1.0)

    def _index_skills(self, skills: Sequence[SkillSpec], catalog: Catalog, examples: Sequence[Sequence[Counts]]) -> None:
        texts = [list_fields(skill, catalog.by_app[skill.app_id]) for skill in skills]
        counted = [
            [
                *(self._count(field.texts, has_phrases=field.has_phrases) for field in fields),
                Counter(chain.from_iterable(counts.elements() for counts in own)),
            ]
            for fields, own in zip(texts, examples, strict=True)
        ]
        average = _average_lengths(counted)
        for place, (fields, counts) in enumerate(zip(texts, counted, strict=True)):
            for term, strength in _measure_strengths((*fields, EXAMPLES), counts, average).items():
                self._skills[term].extend((place, strength))

    def _index_examples(self, examples: Iterable[Iterable[Counts]]) -> None:
        for owner, own in enumerate(examples):
            for counts in own:
                weights = {term: self._weights[term] for term in counts}
                length = math.sqrt(sum(weight * weight for weight in weights.values()))
                for term, weight in weights.items():
                    self._examples[term].extend((len(self._example_owners), weight / length))
                self._example_owners.append(owner)

    def _count(self, texts: Iterable[str], *, has_phrases: bool) -> Counts:
        counts: Counts = Counter()
        for text in texts:
            terms = self._analyzer.scan(text)
            counts.update([term.text for term in terms if not term.says_nothing])
            if has_phrases:
                counts.update(pair_terms(terms))
        return counts

    def _weigh(self, term: str, frequency: int) -> float:
        """Inverse document frequency, relative to that of a word in no skill; in (0, 1]."""
        total = len(self._names) + BACKGROUND
        rarity = math.log(1 + (total - frequency + 0.5) / (frequency + 0.5)) / math.log(1 + (total + 0.5) / 0.5)
        if _is_phrase(term):
            return rarity * PHRASE_WEIGHT
        return rarity * (SHORT_NUMBER_WEIGHT if term.isdecimal() and len(term) < 3 else CLASS_WEIGHTS.get(term, 1.0))


def _is_phrase(term: str) -> bool:
    return " " in term


def _make_column() -> array[float]:
    return array("d")


def _weigh_unknown(term: Term) -> float:
    if term.optional:
        return 0.0
    return (UNKNOWN_NAME_WEIGHT if term.is_capitalized else UNKNOWN_WEIGHT) * CLASS_WEIGHTS.get(term.text, 1.0)


def _add_up(index: Postings, terms: Mapping[str, float]) -> dict[int, float]:
    totals: dict[float, float] = {}
    for term, weight in terms.items():
        column = iter(index.get(term, ()))
        for place, strength in zip(column, column, strict=True):
            totals[place] = totals.get(place, 0.0) + weight * strength
    return {int(place): total for place, total in totals.items()}


def _measure_evidence(total: float) -> float:
    return 1.0 - math.exp(-total / EVIDENCE_SCALE)


def _average_lengths(counted: list[list[Counts]]) -> list[float]:
    """Average length of each field in words, over the skills that have it."""
    lengths = [[counts.total() for counts in column if counts] for column in zip(*counted, strict=True)]
    return [sum(column) / len(column) if column else 1.0 for column in lengths]


def _measure_strengths(fields: Iterable[Field], counts: Iterable[Counts], average: Iterable[float]) -> dict[str, float]:
    """BM25F of one skill: weighted frequencies over all fields, then one saturation, at most 1."""
    frequencies: dict[str, float] = {}
    for field, count, usual in zip(fields, counts, average, strict=True):
        weight = field.weight / (1 - B + B * max(1.0, count.total() / usual)) if field.is_long else field.weight
        for term, times in count.items():
            frequencies[term] = frequencies.get(term, 0.0) + weight * times
    return {term: min(1.0, frequency * (K1 + 1) / (frequency + K1)) for term, frequency in frequencies.items()}
