"""The index without one example is the index of the catalog without it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.sdk.catalog import App, Catalog
from preprocessor.retrieval.leave_one_out import LeaveOneOut
from preprocessor.retrieval.lexical import LexicalIndex
from tests.support.catalogs import make_app, make_bundled_like, make_catalog, make_skill

WORDS = st.sampled_from(
    ["find", "cats", "in", "Rome", "rome", "9:30", "42", "the", "weather_report", "weatherReport", "猫", "время", "3.5", "%"]
)
TEXTS = st.lists(WORDS, max_size=5).map(" ".join)


def remove_example(catalog: Catalog, tool_name: str, example: str) -> Catalog:
    def strip(app: App) -> App:
        skills = (
            replace(skill, examples=tuple(text for text in skill.examples if text != example))
            if skill.tool_name == tool_name
            else skill
            for skill in app.skills
        )
        return replace(app, skills=tuple(skills))

    return make_catalog(*map(strip, catalog.apps))


@given(st.lists(st.lists(TEXTS, min_size=1, max_size=3), min_size=1, max_size=4), st.data())
def test_it_ranks_as_a_new_index_would(examples: list[list[str]], data: st.DataObject) -> None:
    """To the last digit, for any query: terms that only the example had, terms that others share, the same text twice."""
    skills = [make_skill(f"a-s{number}", hint="Finds cats.", examples=tuple(own)) for number, own in enumerate(examples)]
    catalog = make_catalog(make_app("a", *skills))
    skill = data.draw(st.sampled_from(skills))
    example = data.draw(st.sampled_from(skill.examples))
    without = LeaveOneOut(catalog).index_without(skill, example)
    anew = LexicalIndex(remove_example(catalog, skill.tool_name, example))
    for query in (example, data.draw(TEXTS)):
        assert without.rank(query, catalog.skills, 9) == anew.rank(query, catalog.skills, 9)


def test_the_bundled_examples_rank_as_with_new_indexes() -> None:
    """Real texts in several languages; and one index is not changed by making the next."""
    catalog = make_bundled_like()
    trials = LeaveOneOut(catalog)
    for skill in catalog.skills.values():
        for example in skill.examples:
            anew = LexicalIndex(remove_example(catalog, skill.tool_name, example))
            assert trials.index_without(skill, example).rank(example, catalog.skills, 9) == anew.rank(example, catalog.skills, 9)


def test_an_example_is_not_found_by_itself() -> None:
    """What nothing else in the catalog says finds nothing."""
    skill = make_skill("a-b", examples=("zebra quagga",))
    catalog = make_catalog(make_app("a", skill))
    assert LexicalIndex(catalog).rank("zebra quagga", catalog.skills, 1)[0].score == pytest.approx(1.0, abs=0.2)
    assert LeaveOneOut(catalog).index_without(skill, "zebra quagga").rank("zebra quagga", catalog.skills, 1) == ()
