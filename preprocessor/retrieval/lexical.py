"""A fielded lexical index over the skills of one catalog.

A query's score is the share of its words' weight that the skill covers, times the evidence: how much was matched at all, so
that one common word is never a strong hit. Each example is compared as a whole by cosine; the best one counts.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from heapq import nsmallest
from itertools import islice

from apps.sdk.catalog import Catalog
from preprocessor.retrieval.columns import CLASS_WEIGHTS, Columns, Postings, build_columns, is_phrase
from preprocessor.retrieval.retriever import Hit
from preprocessor.retrieval.text import Analyzer, Term, pair_terms

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
MAX_QUERY_TERMS = 64


class ColumnIndex:
    """A `Retriever` over columns, whose texts were read by the same analyzer; immutable."""

    def __init__(self, columns: Columns, analyzer: Analyzer) -> None:
        self._columns = columns
        self._analyzer = analyzer

    def rank(self, query: str, names: Collection[str], limit: int) -> tuple[Hit, ...]:
        terms = self._read_query(query)
        mass = max(sum(weight for term, weight in terms.items() if not is_phrase(term)), LEAST_MASS)
        if not terms or limit <= 0 or not names:
            return ()
        scope = names if isinstance(names, set | frozenset | dict) else frozenset(names)
        scores = self._score_skills(terms, mass)
        self._raise_by_examples(scores, terms)
        hits = ((-round(score, 6), place) for place, score in scores.items() if self._columns.names[place] in scope)
        return tuple(Hit(self._columns.names[place], -negative) for negative, place in nsmallest(limit, hits))

    def count_words(self, text: str) -> int:
        return sum(not term.optional for term in self._analyzer.analyze(text))

    def _read_query(self, query: str) -> dict[str, float]:
        """The query's terms with their weights; unknown ones weigh little, unknown optional ones and phrases nothing."""
        scanned = self._analyzer.scan(query)
        known = self._columns.weights
        terms = {term.text: known.get(term.text, _weigh_unknown(term)) for term in scanned if not term.says_nothing}
        phrases = {phrase: known.get(phrase, 0.0) for phrase in pair_terms(scanned)}
        weighed = ((text, weight) for text, weight in (*terms.items(), *phrases.items()) if weight)
        return dict(islice(weighed, MAX_QUERY_TERMS))

    def _score_skills(self, terms: Mapping[str, float], mass: float) -> dict[int, float]:
        matched = _add_up(self._columns.skills, terms)
        return {place: min(1.0, total / mass**MASS_EXPONENT) * _measure_evidence(total) for place, total in matched.items()}

    def _raise_by_examples(self, scores: dict[int, float], terms: Mapping[str, float]) -> None:
        length = max(math.sqrt(sum(weight * weight for weight in terms.values())), LEAST_LENGTH)
        owners = self._columns.owners
        for place, total in _add_up(self._columns.examples, terms).items():
            score = total / length * _measure_evidence(2 * total)  # an example is less incidental than a description
            if score > scores[owners[place]]:
                scores[owners[place]] = min(score, 1.0)


class LexicalIndex(ColumnIndex):
    """A `Retriever` that needs no model. Built once per catalog."""

    def __init__(self, catalog: Catalog) -> None:
        """Index every skill; takes about a millisecond per skill, so build large catalogs off the event loop."""
        analyzer = Analyzer()
        super().__init__(build_columns(catalog, analyzer), analyzer)


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
