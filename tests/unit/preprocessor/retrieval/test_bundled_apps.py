"""The texts of the bundled apps and the ranking together: offline, nothing else decides."""

from __future__ import annotations

import pytest

from apps.sdk.chat import Message
from apps.sdk.jsontypes import Json
from apps.sdk.loader import load_catalog
from preprocessor.ranking import rank_message
from preprocessor.retrieval.lexical import LexicalIndex
from preprocessor.settings import PreprocessSettings
from service.settings import ROOT

CATALOG = load_catalog([ROOT / "apps"])
INDEX = LexicalIndex(CATALOG)
SETTINGS = PreprocessSettings()


CSV = "region,amount\nnorth,10\nsouth,20\nnorth,5"


def answer(message: str) -> dict[str, Json]:
    """The requests that are run without any model: those that the skills above the floor find."""
    skills = [CATALOG.skills[name] for name in select(message)]
    found = {skill.tool_name: skill.implementation.from_message(message) for skill in skills}
    return {name: request for name, request in found.items() if request is not None}


def select(message: str) -> list[str]:
    """The names above the floor, best first."""
    scores = rank_message(INDEX, [Message("user", message)], CATALOG.skills, 12)
    return [name for name, score in scores.items() if score > SETTINGS.floor]


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ("What is 17.5 % of 2,340?", "math-calculate"),
        ("what's 12 percent of 950", "math-calculate"),
        ("(12 + 30) * 7", "math-calculate"),
        ("How many days are there between 3 March 2024 and 24 December 2026?", "time-difference"),
        ("How long between 2020-01-01 and 2021-05-05?", "time-difference"),
        ("Convert 26.2 miles to kilometres", "math-convert_units"),
        ("how many kilometers is 26.2 miles", "math-convert_units"),
        ("What time is it in Tokyo when it is 9:30 in Berlin?", "time-convert"),
        ("convert 9:30 Berlin time to Tokyo", "time-convert"),
        ("current time in Berlin", "time-now"),
        ("What date is 30 days after 2024-02-10?", "time-add"),
        ("weather in Paris", "weather-now"),
        ("will it rain tomorrow?", "weather-forecast"),
        ("Wetter in Berlin morgen", "weather-forecast"),
        ("weather in Munich hour by hour", "weather-hourly"),
        ("make a note that the meeting moved to Monday", "notes-add"),
        ("Note that the dentist is on Friday", "notes-add"),
        ("save this to my notes: buy bread", "notes-add"),
        ("show me my notes", "notes-list"),
        ("what did I note about the wifi?", "notes-search"),
        ("delete my note about the wifi", "notes-delete"),
        ("delete my note about milk", "notes-delete"),
        (f"Sum the amount per region: {CSV}", "data-query"),
    ],
)
def test_a_plain_message_has_its_skill_first(message: str, name: str) -> None:
    """The five messages that must work without any model, and paraphrases of them."""
    assert select(message)[0] == name


@pytest.mark.parametrize(
    ("name", "example"), [(skill.tool_name, example) for skill in CATALOG.skills.values() for example in skill.examples]
)
def test_an_example_has_its_skill_first(name: str, example: str) -> None:
    """Above the floor, before the skills of all bundled apps."""
    assert select(example)[:1] == [name]


def test_a_message_that_holds_two_questions_has_both_skills() -> None:
    """Both halves find their skill."""
    found = select("What is 17.5 % of 2,340, and what time is it in Tokyo when it is 9:30 in Berlin?")
    assert {"math-calculate", "time-convert"} <= set(found)


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ("Note that the dentist is on Friday", {"notes-add": {"text": "the dentist is on Friday"}}),
        ("save this to my notes: buy bread", {"notes-add": {"text": "buy bread"}}),
        ("delete my note about milk", {"notes-search": {"words": "milk"}}),
        (f"Describe this CSV: {CSV}", {"data-describe": {"name": "data", "format": "csv", "content": CSV}}),
    ],
)
def test_what_a_plain_message_runs(message: str, found: dict[str, Json]) -> None:
    """That alone, from among the bundled apps; what is to be deleted is looked for first."""
    assert answer(message) == found


@pytest.mark.parametrize("data", [CSV, CSV.replace("\n", " / "), CSV.replace(",", ";")])
def test_a_total_is_asked_of_the_lines_after_the_colon(data: str) -> None:
    """As SQL over a table of them."""
    [(name, request)] = answer(f"Sum the amount per region: {data}").items()
    assert name == "data-query"
    assert request["sql"].startswith('SELECT "region", sum("amount")')
    assert request["tables"][0]["content"] == data.replace(" / ", "\n")


@pytest.mark.parametrize(
    "message",
    [
        "See you on Friday",
        "I made a note of that, thanks",
        "please note that prices are subject to change",
        "delete my account",
        "describe this table: it is round",
        "Describe this to me: first, second\nthird",
        "Sum the amount per region: I will be there, thanks",
        f"Sum the votes per town: {CSV}",
    ],
)
def test_messages_that_only_sound_like_it_run_nothing(message: str) -> None:
    """Whatever the ranking thinks of them."""
    assert answer(message) == {}


@pytest.mark.parametrize(
    "message",
    [
        "hi",
        "See you on Friday",
        "The dentist is on Friday",
        "thanks, great",
        "ok cool",
        "Tell me a joke",
        "Write a poem about the sea",
        "translate hello to French",
    ],
)
def test_messages_that_need_no_tool_have_none(message: str) -> None:
    """Case 17: nothing above the default floor."""
    assert select(message) == []
