"""What the ranking is asked."""

from __future__ import annotations

import pytest

from apps.sdk.chat import Message
from preprocessor.ranking import fuse, rank_message, split_parts
from preprocessor.retrieval.lexical import LexicalIndex
from preprocessor.settings import PreprocessSettings
from tests.support.catalogs import make_app, make_bundled_like, make_catalog, make_skill

CATALOG = make_bundled_like()
INDEX = LexicalIndex(CATALOG)
SETTINGS = PreprocessSettings()
WEATHER = make_catalog(
    make_app(
        "weather",
        make_skill("weather-current", hint="The weather of a place now.", examples=("What is the weather in Rome?",)),
        make_skill("weather-alerts", hint="Warnings of storms."),
    )
)


def rank(*messages: Message) -> dict[str, float]:
    return rank_message(INDEX, messages, CATALOG.skills, 200)


def user(text: str) -> Message:
    return Message("user", text)


@pytest.mark.parametrize(
    ("message", "names"),
    [
        ("What is 17.5 % of 2,340, and what time is it in Tokyo when it is 9:30 in Berlin?", {"math-calculate", "time-convert"}),
        ("Convert 26.2 miles to kilometres. How many days until 24 December 2026?", {"math-convert_units", "time-difference"}),
        ("days between 3 May 2024 and 9 June 2025; then 12 * 7", {"time-difference", "math-calculate"}),
    ],
)
def test_each_part_of_a_message_finds_its_skill(message: str, names: set[str]) -> None:
    """A message that holds two questions finds the skills of both above the floor."""
    assert names <= {name for name, score in rank(user(message)).items() if score > SETTINGS.floor}


@pytest.mark.parametrize("follow_up", ["and Paris?", "London", "and in Oslo?"])
def test_a_short_follow_up_is_asked_with_what_it_follows(follow_up: str) -> None:
    """Case 16, hostile G: a bare follow-up still finds the skill of the question before it."""
    index = LexicalIndex(WEATHER)
    history = [user("weather in New York?"), Message("assistant", "Sunny."), user(follow_up)]
    scores = rank_message(index, history, WEATHER.skills, 200)
    assert next(iter(scores)) == "weather-current"
    assert scores["weather-current"] > SETTINGS.floor
    assert scores["weather-current"] < rank_message(index, history[:1], WEATHER.skills, 200)["weather-current"]


@pytest.mark.parametrize("small_talk", ["thanks, great", "ok cool", "hi", "👍"])
def test_small_talk_is_no_follow_up(small_talk: str) -> None:
    """Case 17: thanks after an answer does not bring its skill back."""
    assert rank(user("Convert 26.2 miles to kilometres"), Message("assistant", "42.2 km"), user(small_talk)) == {}


def test_a_short_message_that_is_clear_speaks_for_itself() -> None:
    """What was said before is not asked when the message has a strong hit of its own."""
    scores = rank(user("Convert 26.2 miles to kilometres"), Message("assistant", "42.2 km"), user("what's 12 percent of 950"))
    assert scores.get("math-convert_units", 0.0) <= SETTINGS.floor


def test_no_user_message_ranks_nothing() -> None:
    """An empty or system-only history is no error."""
    assert rank() == {}
    assert rank(Message("system", "convert miles"), Message("assistant", "convert miles")) == {}


def test_parts_begin_with_the_whole_and_are_bounded() -> None:
    """The whole message is always asked; so many parts at most; nothing that says less than two words."""
    text = ". ".join(f"convert number{index} miles" for index in range(50)) + ". Thanks!"
    parts = split_parts(text, INDEX)
    assert parts[0] == text
    assert len(parts) == 7
    assert split_parts("hello and miles", INDEX) == ("hello and miles",)


def test_fusion_takes_the_best_score() -> None:
    """Maximum of the scores, best first."""
    assert list(fuse({"a": 0.2, "b": 0.5}, {"a": 0.9}).items()) == [("a", 0.9), ("b", 0.5)]


@pytest.mark.parametrize("text", ["and " * 100_000, " " * 300_000 + "x", ", a b" * 60_000, "?" * 300_000, "x\n" * 100_000])
def test_hostile_messages_end(text: str) -> None:
    """A huge message costs what its head and tail cost."""
    assert isinstance(rank(user(text), user(text)), dict)
