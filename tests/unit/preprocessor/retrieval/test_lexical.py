"""The lexical index: the right skill first, small talk below the floor, scores that can be compared."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preprocessor.retrieval.lexical import LexicalIndex
from preprocessor.settings import PreprocessSettings
from tests.support.catalogs import make_app, make_bundled_like, make_catalog, make_skill

CATALOG = make_bundled_like()
INDEX = LexicalIndex(CATALOG)
FLOOR = PreprocessSettings().floor

CASES = [
    ("What is 17.5 % of 2,340?", "math-calculate"),
    ("what's 12 percent of 950", "math-calculate"),
    ("calculate 3+4*12", "math-calculate"),
    ("What is 12 times 7?", "math-calculate"),
    ("the square root of 2", "math-calculate"),
    ("How many days are there between 3 March 2024 and 24 December 2026?", "time-difference"),
    ("How long is it between 2020-01-01 and 2021-05-05?", "time-difference"),
    ("Convert 26.2 miles to kilometres", "math-convert_units"),
    ("how many kilometers are 10 miles", "math-convert_units"),
    ("30 celsius to fahrenheit", "math-convert_units"),
    ("What time is it in Tokyo when it is 9:30 in Berlin?", "time-convert"),
    ("what time is it in Lagos", "time-now"),
    ("What date is 30 days after 2024-02-10?", "time-add"),
]


@pytest.mark.parametrize(("message", "name"), CASES)
def test_the_right_skill_is_first(message: str, name: str) -> None:
    """The offline messages and their paraphrases find their skill first and above the floor."""
    best = INDEX.rank(message, CATALOG.skills, 1)[0]
    assert best.name == name
    assert best.score > FLOOR


@pytest.mark.parametrize(
    "message",
    [
        "hi", "thanks, great", "ok cool", "good morning", "How are you today?", "Tell me a joke", "what can you do?",
        "Write a poem about the sea", "who was Napoleon?", "Explain quantum computing in simple terms", "See you at 5pm",
        "I was born on 3 May 1990", "do you have time?", "Can you help me with my homework?",
        "I'm 35 and thinking about a new job",
    ],
)  # fmt: skip
def test_small_talk_stays_below_the_floor(message: str) -> None:
    """Case 17: what needs no tool finds none above the default floor."""
    assert [hit for hit in INDEX.rank(message, CATALOG.skills, 10) if hit.score > FLOOR] == []


def index_of(*skills: tuple[str, Mapping[str, object]]) -> LexicalIndex:
    return LexicalIndex(make_catalog(make_app("a", *(make_skill(name, **changes) for name, changes in skills))))


@pytest.mark.parametrize("query", ["create edge", "edge create", "CreateEdge", "please create some edges", "create_edge"])
def test_words_of_the_name_in_any_order(query: str) -> None:
    """Hostile G: a snake_case name is found by its words, in any order and spelling."""
    index = index_of(("a-create_edge", {}), ("a-delete_node", {}))
    assert index.rank(query, ["a-create_edge", "a-delete_node"], 1)[0].name == "a-create_edge"


def test_a_natural_sentence_finds_the_words_it_holds() -> None:
    """Hostile G: a whole sentence matches by its words, not as a phrase."""
    index = index_of(("a-set_radio", {"description": "Configures the WLAN radio: channel and tx power."}), ("a-reboot", {}))
    assert index.rank("update wlan radio tx power", ["a-set_radio", "a-reboot"], 1)[0].name == "a-set_radio"


def test_argument_names_and_texts_are_found() -> None:
    """Words that only the arguments hold, nested ones too, find the skill."""
    nested = {"filter": {"type": "object", "properties": {"isbnNumber": {"type": "string", "description": "ISBN of the book"}}}}
    index = index_of(("a-look", {"arguments": nested}), ("a-other", {}))
    assert [hit.name for hit in index.rank("isbn", ["a-look", "a-other"], 5)] == ["a-look"]


@pytest.mark.parametrize(
    ("example", "query"),
    [
        ("какая погода в Москве", "погода в Казани"),
        ("大阪の天気は？", "東京の天気を教えて"),
        ("ما حالة الطقس في القاهرة", "حالة الطقس في دبي"),
        ("thời tiết ở Hà Nội", "thời tiết Đà Nẵng"),
        ("Wie wird das Wetter in Köln?", "Wie ist das Wetter in Berlin?"),
    ],
)
def test_other_languages_and_scripts(example: str, query: str) -> None:
    """Hostile G: a query in the language of the author's texts finds the skill, whatever the script."""
    index = index_of(("a-forecast", {"examples": (example,)}), ("a-other", {}))
    hit = index.rank(query, ["a-forecast", "a-other"], 1)[0]
    assert hit.name == "a-forecast"
    assert hit.score > FLOOR


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("сколько будет 17,5 % от 2340?", "math-calculate"),
        ("запусти time-difference для этих дат", "time-difference"),
        ("math-convert_units を使って", "math-convert_units"),
        ("hãy dùng time_now ngay", "time-now"),
        ("Bitte mit time-add rechnen", "time-add"),
        ("Wie viele Kilometer sind 26 Fahrenheit?", "math-convert_units"),
    ],
)
def test_other_languages_over_english_texts_find_what_both_write_alike(query: str, name: str) -> None:
    """Hostile G, in part: exact names in any spelling, numbers with symbols, and words that the languages share."""
    assert INDEX.rank(query, CATALOG.skills, 1)[0].name == name


@pytest.mark.parametrize("query", ["найди ребро графа", "エッジを作成する", "tạo một cạnh", "Erzeuge eine Kante"])
def test_a_translation_is_not_found_by_its_words(query: str) -> None:
    """Hostile G: what words alone cannot do. Whoever adds a semantic index turns this around."""
    assert index_of(("a-create_edge", {}), ("a-delete_node", {})).rank(query, ["a-create_edge", "a-delete_node"], 2) == ()


def test_an_example_sharpens_the_ranking() -> None:
    """The message that an author gave as example finds that skill, though another one's description has all its words."""
    message = "is it worth taking an umbrella"
    shop = {"description": "Buy an umbrella worth taking anywhere."}
    index = index_of(("a-forecast", {"examples": (message, "something else")}), ("a-shop", shop))
    assert index.rank(message, ["a-forecast", "a-shop"], 1)[0].name == "a-forecast"


def test_repeating_a_word_gains_nothing() -> None:
    """A description that argues for itself is capped: it never outranks the skill that has the word in its name."""
    spam = "weather " * 5_000
    index = index_of(("a-spam", {"description": spam}), ("a-weather", {"description": "Tells the weather."}))
    scores = {hit.name: hit.score for hit in index.rank("weather", ["a-spam", "a-weather"], 2)}
    assert scores["a-weather"] >= scores["a-spam"]


def test_only_the_scope_is_ranked() -> None:
    """Names out of the scope never appear, and names that the index does not know do no harm."""
    hits = INDEX.rank("convert 3 miles", ["time-convert", "no-such"], 10)
    assert {hit.name for hit in hits} == {"time-convert"}
    assert INDEX.rank("convert 3 miles", [], 10) == ()
    assert INDEX.rank("convert 3 miles", CATALOG.skills, 0) == ()


def test_ties_are_in_catalog_order() -> None:
    """Equal scores keep the catalog's order, whatever the order of the scope."""
    index = index_of(*((f"a-s{number}", {"name": "Equal", "description": "equal", "hint": "equal"}) for number in range(5)))
    expected = tuple(f"a-s{number}" for number in range(5))
    assert tuple(hit.name for hit in index.rank("equal", tuple(reversed(expected)), 5)) == expected


@pytest.mark.parametrize(
    "parameters",
    [
        {"type": "object", "properties": {"requests": None}},
        {"type": "object", "properties": {"a": {"enum": [1, None, ["x"]], "description": 3}}},
        {"type": "object", "properties": {"a": True}, "anyOf": "x", "items": [1]},
    ],
)
def test_odd_schemas_are_indexed(parameters: dict[str, object]) -> None:
    """Whatever a schema holds, building the index does not fail."""
    assert index_of(("a-find", {"parameters": parameters})).rank("find", ["a-find"], 1)


def test_a_schema_that_holds_itself_is_bounded() -> None:
    """A recursive or very wide schema costs a bounded walk."""
    loop: dict[str, object] = {"type": "object"}
    loop["properties"] = {f"name{number}": loop for number in range(50)}
    assert index_of(("a-find", {"parameters": loop})).rank("find", ["a-find"], 1)


@given(st.text(max_size=300), st.integers(0, 8))
def test_any_query_gets_sane_hits(query: str, limit: int) -> None:
    """Scores lie in [0, 1], best first; at most `limit`; each name once."""
    hits = INDEX.rank(query, CATALOG.skills, limit)
    scores = [hit.score for hit in hits]
    assert all(0.0 <= score <= 1.0 for score in scores)
    assert scores == sorted(scores, reverse=True)
    assert len({hit.name for hit in hits}) == len(hits) <= limit


@given(st.lists(st.text(max_size=30), max_size=4))
def test_any_examples_can_be_indexed(examples: list[str]) -> None:
    """Authors' texts of any content build an index in which each example finds something or says nothing."""
    index = index_of(("a-x", {"examples": tuple(examples)}))
    for example in examples:
        assert index.rank(example, ["a-x"], 1) or not index.count_words(example)


def test_scores_are_the_same_under_any_hash_seed() -> None:
    """Another process with another hash seed ranks with the same scores."""
    code = (
        "from tests.support.catalogs import make_bundled_like as m;from preprocessor.retrieval.lexical import LexicalIndex as L;"
        "c = m(); print(L(c).rank('how many days between 3 May and 9 June, and 5 miles in km', set(c.skills), 9))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True, text=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
