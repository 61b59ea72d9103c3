"""How examples rank when the index has not seen them."""

from __future__ import annotations

from preprocessor.example_ranks import ExampleRank, rank_examples
from tests.support.catalogs import make_app, make_catalog, make_skill

CATS = make_skill("pets-cats", hint="Finds cats.", examples=("find a cat", "cat near me", "cat near me", "hedgehog fodder"))
DOGS = make_skill("pets-dogs", hint="Finds dogs.", examples=("find a dog", "a hedgehog for my dog", "x"))
CATALOG = make_catalog(make_app("pets", CATS, DOGS))


def rank(floor: float = 0.3) -> dict[str, ExampleRank]:
    return {item.example: item for item in rank_examples(CATALOG, [CATS], floor)}


def test_each_example_is_ranked_once_among_all_skills() -> None:
    """In the order of the skill; of the app's skills only, against those of every app."""
    ranks = list(rank_examples(CATALOG, CATALOG.skills.values(), 0.3))
    assert [item.example for item in ranks] == [*dict.fromkeys(CATS.examples), *DOGS.examples]
    assert [item.skill for item in ranks] == ["pets-cats"] * 3 + ["pets-dogs"] * 3


def test_a_skill_is_first_by_what_else_it_says() -> None:
    """Its hint speaks for it without the example."""
    found = rank()["find a cat"]
    assert found.is_first
    assert found.above_floor
    assert (found.ahead, found.ahead_by) == (None, 0.0)
    assert not rank(floor=0.99)["find a cat"].above_floor


def test_one_that_only_its_example_speaks_for_is_beaten() -> None:
    """The other skill's example holds the word too; by how much it is ahead is told."""
    beaten = rank()["hedgehog fodder"]
    assert not beaten.is_first
    assert beaten.ahead == "pets-dogs"
    assert beaten.ahead_by > 0


def test_a_message_that_nobody_answers_has_no_first() -> None:
    """Nothing found is not first, and nobody is ahead."""
    nothing = list(rank_examples(CATALOG, [DOGS], 0.0))[-1]
    assert (nothing.score, nothing.is_first, nothing.above_floor, nothing.ahead) == (0.0, False, False, None)
