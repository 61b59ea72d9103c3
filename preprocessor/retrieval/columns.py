"""What the lexical index is made of: for each term, how strong it is in each skill and in each example.

A skill's strength in a term is that of BM25F (Robertson, Zaragoza and Taylor 2004: field weights before saturation), capped at 1.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TypeAlias

from apps.sdk.catalog import App, Catalog, SkillSpec
from preprocessor.retrieval.fields import EXAMPLES, Field, list_fields
from preprocessor.retrieval.text import Analyzer, pair_terms

K1 = 1.2
"""Saturation of repeated words, BM25's usual value."""
B = 0.5
"""Length normalisation of long texts; BM25's usual 0.75 punishes well-described skills."""
BACKGROUND = 20
"""Skills imagined besides the catalog's own, so that in a small catalog too a word's rarity means something."""
CLASS_WEIGHTS: Mapping[str, float] = {"<number>": 0.25, "<url>": 0.5, "<date>": 0.7, "<clock>": 0.7}
"""Classes of words that are in too many messages to say much."""
SHORT_NUMBER_WEIGHT = 0.2
"""Weight of a literal number of one or two digits: an accident, unlike 404 or 8601."""
PHRASE_WEIGHT = 0.5
"""Weight of two neighbouring words beside that of each alone."""

Counts: TypeAlias = Counter[str]


def _make_column() -> array[float]:
    return array("d")


class Postings(defaultdict[str, "array[float]"]):
    """By term: place, strength, place, strength ... One compact column, which the garbage collector need not look into."""

    def __init__(self) -> None:
        super().__init__(_make_column)


@dataclass(slots=True)
class Columns:
    """All of an index. Skills and examples are numbered in catalog order; `owners` says whose each example is.

    `weights` are of the terms that some skill has, `usual_lengths` those of the fields in words.
    """

    names: tuple[str, ...]
    usual_lengths: list[float] = field(default_factory=list)
    skills: Postings = field(default_factory=Postings)
    examples: Postings = field(default_factory=Postings)
    owners: list[int] = field(default_factory=list)
    weights: dict[str, float] = field(default_factory=dict)

    def weigh(self, term: str) -> float:
        """Inverse document frequency, relative to that of a word in no skill; in (0, 1]."""
        total, frequency = len(self.names) + BACKGROUND, len(self.skills[term]) // 2
        rarity = math.log(1 + (total - frequency + 0.5) / (frequency + 0.5)) / math.log(1 + (total + 0.5) / 0.5)
        if is_phrase(term):
            return rarity * PHRASE_WEIGHT
        return rarity * (SHORT_NUMBER_WEIGHT if term.isdecimal() and len(term) < 3 else CLASS_WEIGHTS.get(term, 1.0))

    def weigh_example(self, counts: Counts) -> dict[str, float]:
        """The terms of an example as a vector of length 1."""
        weights = {term: self.weights[term] for term in counts}
        length = math.sqrt(sum(weight * weight for weight in weights.values()))
        return {term: weight / length for term, weight in weights.items()}


def build_columns(catalog: Catalog, analyzer: Analyzer) -> Columns:
    """Read every skill; takes about a millisecond per skill."""
    columns = Columns(tuple(catalog.skills))
    skills = catalog.skills.values()
    examples = [[count_terms(analyzer, (example,), has_phrases=True) for example in skill.examples] for skill in skills]
    fields = [list_fields(skill, catalog.by_app[skill.app_id]) for skill in skills]
    counted = [count_fields(analyzer, own, of_examples) for own, of_examples in zip(fields, examples, strict=True)]
    columns.usual_lengths = _average_lengths(counted)
    for place, (own, counts) in enumerate(zip(fields, counted, strict=True)):
        for term, strength in measure_strengths(own, counts, columns.usual_lengths).items():
            columns.skills[term].extend((place, strength))
    columns.weights = {term: columns.weigh(term) for term in columns.skills}
    for owner, of_examples in enumerate(examples):
        for counts_of_one in of_examples:
            for term, weight in columns.weigh_example(counts_of_one).items():
                columns.examples[term].extend((len(columns.owners), weight))
            columns.owners.append(owner)
    return columns


def count_terms(analyzer: Analyzer, texts: Iterable[str], *, has_phrases: bool) -> Counts:
    """How often each term occurs in `texts`."""
    counts: Counts = Counter()
    for text in texts:
        terms = analyzer.scan(text)
        counts.update([term.text for term in terms if not term.says_nothing])
        if has_phrases:
            counts.update(pair_terms(terms))
    return counts


def count_fields(analyzer: Analyzer, fields: Iterable[Field], examples: Iterable[Counts]) -> list[Counts]:
    """The terms of each field, then those of all `examples` together."""
    of_fields = (count_terms(analyzer, own.texts, has_phrases=own.has_phrases) for own in fields)
    return [*of_fields, Counter(chain.from_iterable(counts.elements() for counts in examples))]


def measure_skill(analyzer: Analyzer, skill: SkillSpec, app: App, usual_lengths: Sequence[float]) -> dict[str, float]:
    """The strength of every term of one skill."""
    fields = list_fields(skill, app)
    examples = [count_terms(analyzer, (example,), has_phrases=True) for example in skill.examples]
    return measure_strengths(fields, count_fields(analyzer, fields, examples), usual_lengths)


def measure_strengths(fields: Iterable[Field], counts: Iterable[Counts], usual_lengths: Iterable[float]) -> dict[str, float]:
    """BM25F of one skill: weighted frequencies over all fields and the examples, then one saturation, at most 1."""
    frequencies: dict[str, float] = {}
    for own, count, usual in zip((*fields, EXAMPLES), counts, usual_lengths, strict=True):
        weight = own.weight / (1 - B + B * max(1.0, count.total() / usual)) if own.is_long else own.weight
        for term, times in count.items():
            frequencies[term] = frequencies.get(term, 0.0) + weight * times
    return {term: min(1.0, frequency * (K1 + 1) / (frequency + K1)) for term, frequency in frequencies.items()}


def is_phrase(term: str) -> bool:
    """Whether the term is a pair of neighbouring words."""
    return " " in term


def _average_lengths(counted: list[list[Counts]]) -> list[float]:
    """Average length of each field in words, over the skills that have it."""
    lengths = [[counts.total() for counts in column if counts] for column in zip(*counted, strict=True)]
    return [sum(column) / len(column) if column else 1.0 for column in lengths]
