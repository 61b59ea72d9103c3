"""A fielded lexical index over the skills of one catalog.

A skill's strength in a term is that of BM25F (Robertson, Zaragoza and Taylor 2004: field weights before saturation), capped at
1. A query's score is the share of its words' weight that the skill covers, times the evidence: how much was matched at all, so
that one common word is never a strong hit. Each example is compared as a whole by cosine; the best one counts.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from heapq import nsmallest

from apps.sdk.catalog import Catalog, SkillSpec
from preprocessor.retrieval.fields import Field, list_examples, list_fields
from preprocessor.retrieval.retriever import Hit
from preprocessor.retrieval.text import Analyzer

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


class _Postings:
    """Where a term occurs, and how strongly: two compact columns."""

    __slots__ = ("places", "strengths")

    def __init__(self) -> None:
        self.places = array("I")
        self.strengths = array("f")

    def add(self, place: int, strength: float) -> None:
        self.places.append(place)
        self.strengths.append(strength)


class LexicalIndex:
    """A `Retriever` that needs no model. Built once per catalog; immutable after that."""

    def __init__(self, catalog: Catalog) -> None:
        """Index every skill; takes about a millisecond per skill, so build large catalogs off the event loop."""
        self._analyzer = Analyzer()
        skills = tuple(catalog.skills.values())
        self._names = tuple(catalog.skills)
        self._skills: dict[str, _Postings] = defaultdict(_Postings)
        self._examples: dict[str, _Postings] = defaultdict(_Postings)
        self._example_owners = array("I")
        self._index_skills(skills, catalog)
        self._weights = {term: self._weigh(term, len(postings.places)) for term, postings in self._skills.items()}
        self._index_examples(skills)

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
        """The query's terms with their weights; unknown ones weigh little, unknown optional ones nothing."""
        terms: dict[str, float] = {}
        for term in (*self._analyzer.analyze(query), *self._analyzer.analyze_phrases(query)):
            weight = self._weights.get(term.text)
            if weight is not None:
                terms[term.text] = weight
            elif not term.optional:
                unknown = UNKNOWN_NAME_WEIGHT if term.is_capitalized else UNKNOWN_WEIGHT
                terms[term.text] = unknown * CLASS_WEIGHTS.get(term.text, 1.0)
            if len(terms) == MAX_QUERY_TERMS:
                break
        return terms

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

    def _index_skills(self, skills: Iterable[SkillSpec], catalog: Catalog) -> None:
        texts = [list_fields(skill, catalog.by_app[skill.app_id]) for skill in skills]
        counted = [[self._count(field) for field in fields] for fields in texts]
        average = _average_lengths(counted)
        for place, (fields, counts) in enumerate(zip(texts, counted, strict=True)):
            for term, strength in _measure_strengths(fields, counts, average).items():
                self._skills[term].add(place, strength)

    def _index_examples(self, skills: Iterable[SkillSpec]) -> None:
        for owner, skill in enumerate(skills):
            for example in list_examples(skill):
                weights = {term: self._weights[term] for term in self._count(Field((example,), 1.0, has_phrases=True))}
                length = math.sqrt(sum(weight * weight for weight in weights.values()))
                for term, weight in weights.items():
                    self._examples[term].add(len(self._example_owners), weight / length)
                self._example_owners.append(owner)

    def _count(self, field: Field) -> Counter[str]:
        counts = Counter(term.text for text in field.texts for term in self._analyzer.analyze(text))
        if field.has_phrases:
            counts.update(term.text for text in field.texts for term in self._analyzer.analyze_phrases(text))
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


def _add_up(index: Mapping[str, _Postings], terms: Mapping[str, float]) -> dict[int, float]:
    totals: dict[int, float] = {}
    for term, weight in terms.items():
        if postings := index.get(term):
            for place, strength in zip(postings.places, postings.strengths, strict=True):
                totals[place] = totals.get(place, 0.0) + weight * strength
    return totals


def _measure_evidence(total: float) -> float:
    return 1.0 - math.exp(-total / EVIDENCE_SCALE)


def _average_lengths(counted: list[list[Counter[str]]]) -> list[float]:
    """Average length of each field in words, over the skills that have it."""
    lengths = [[counts.total() for counts in column if counts] for column in zip(*counted, strict=True)]
    return [sum(column) / len(column) if column else 1.0 for column in lengths]


def _measure_strengths(fields: Iterable[Field], counts: Iterable[Counter[str]], average: Iterable[float]) -> dict[str, float]:
    """BM25F of one skill: weighted frequencies over all fields, then one saturation, at most 1."""
    frequencies: dict[str, float] = {}
    for field, count, usual in zip(fields, counts, average, strict=True):
        weight = field.weight / (1 - B + B * max(1.0, count.total() / usual)) if field.is_long else field.weight
        for term, times in count.items():
            frequencies[term] = frequencies.get(term, 0.0) + weight * times
    return {term: min(1.0, frequency * (K1 + 1) / (frequency + K1)) for term, frequency in frequencies.items()}
