"""The ranking as it would be without one of a skill's examples.

An example is in the index that it would be tried on. Without it, it is a message as any other, so its rank says something.
"""

from __future__ import annotations

import dataclasses
from array import array
from collections import defaultdict
from collections.abc import Collection

from apps.sdk.catalog import Catalog, SkillSpec
from preprocessor.retrieval.columns import Columns, Counts, Postings, build_columns, count_terms, measure_skill
from preprocessor.retrieval.lexical import ColumnIndex
from preprocessor.retrieval.text import Analyzer


class LeaveOneOut:
    """Indexes of one catalog less an example each; the catalog is read once, then each takes some milliseconds."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._analyzer = Analyzer()
        self._columns = build_columns(catalog, self._analyzer)
        self._examples = [(skill.tool_name, example) for skill in catalog.skills.values() for example in skill.examples]
        self._counts: dict[int, Counts] = {}

    def index_without(self, skill: SkillSpec, example: str) -> ColumnIndex:
        """The index of the catalog in which `skill` lacks `example`, all of it should it stand there twice."""
        terms = count_terms(self._analyzer, (example,), has_phrases=True)
        columns = _copy(self._columns)
        self._restate_skill(columns, skill, example, terms)
        changed = _restate_weights(columns, terms)
        left_out = {place for place, item in enumerate(self._examples) if item == (skill.tool_name, example)}
        self._restate_examples(columns, left_out, terms, changed)
        return ColumnIndex(columns, self._analyzer)

    def _restate_skill(self, columns: Columns, skill: SkillSpec, example: str, terms: Collection[str]) -> None:
        """The skill's strength in the example's terms: in no other term does it change."""
        place = columns.names.index(skill.tool_name)
        rest = dataclasses.replace(skill, examples=tuple(other for other in skill.examples if other != example))
        strengths = measure_skill(self._analyzer, rest, self._catalog.by_app[skill.app_id], columns.usual_lengths)
        for term in terms:
            _drop(columns.skills, term, {place})
            if term in strengths:
                columns.skills[term].extend((place, strengths[term]))

    def _restate_examples(self, columns: Columns, left_out: set[int], terms: Collection[str], changed: Collection[str]) -> None:
        """Those left out go; those with a term whose weight changed are weighed anew."""
        for term in terms:
            _drop(columns.examples, term, left_out)
        affected = {int(place) for term in changed for place in columns.examples.get(term, ())[::2]}
        weighed: defaultdict[str, array[float]] = defaultdict(lambda: array("d"))
        for place in affected:
            for term, weight in columns.weigh_example(self._count_example(place)).items():
                weighed[term].extend((place, weight))
        for term, column in weighed.items():
            _drop(columns.examples, term, affected)
            columns.examples[term].extend(column)

    def _count_example(self, place: int) -> Counts:
        if place not in self._counts:
            self._counts[place] = count_terms(self._analyzer, (self._examples[place][1],), has_phrases=True)
        return self._counts[place]


def _copy(columns: Columns) -> Columns:
    """Each term's column is shared: `_drop` puts a new one in its place before anything is added."""
    copied = dataclasses.replace(columns, skills=Postings(), examples=Postings(), weights=dict(columns.weights))
    copied.skills.update(columns.skills)
    copied.examples.update(columns.examples)
    return copied


def _restate_weights(columns: Columns, terms: Collection[str]) -> list[str]:
    """Weigh `terms` anew; those whose weight changed and that some skill still has."""
    changed = []
    for term in terms:
        if term not in columns.skills:
            del columns.weights[term]
        elif (weight := columns.weigh(term)) != columns.weights[term]:
            columns.weights[term] = weight
            changed.append(term)
    return changed


def _drop(postings: Postings, term: str, places: Collection[int]) -> None:
    """A new column without `places`; none when nothing is left."""
    column = iter(postings.get(term, ()))
    kept = [number for place, strength in zip(column, column, strict=True) if place not in places for number in (place, strength)]
    if kept:
        postings[term] = array("d", kept)
    else:
        postings.pop(term, None)
