"""How an author is shown what his skill raised."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.skill import Skill, SkillContext, SkillFailed
from apps.sdk.testing import make_context
from executor.engine.local import LocalEngine
from service.commands.raised import CHARACTERS, ListeningEngine, describe_raised
from tests.support.catalogs import make_app, make_catalog, make_skill

HERE = Path(__file__).parent
ELSEWHERE = Path("/nowhere")


def fail_in_a_library() -> None:
    json.loads("{")


def fail_with_a_cause() -> None:
    try:
        fail_in_a_library()
    except ValueError as error:
        raise RuntimeError("the outcome") from error


def fail_together() -> None:
    raise ExceptionGroup("both", [ValueError("one"), KeyError("two")])


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise SystemExit


def fail_to_say_why() -> None:
    raise Unspeakable


def catch(work: Callable[[], None]) -> BaseException:
    try:
        work()
    except BaseException as error:
        return error
    raise AssertionError("it raised nothing")


@pytest.mark.parametrize(
    ("work", "expected"),
    [
        (fail_in_a_library, ["in fail_in_a_library", "JSONDecodeError: Expecting property name"]),
        (fail_with_a_cause, ["in fail_in_a_library", "JSONDecodeError: ", "direct cause", "RuntimeError: the outcome"]),
        (fail_together, ["ValueError: one", "KeyError: 'two'"]),
        (fail_to_say_why, ["in fail_to_say_why", "Unspeakable"]),
    ],
)
def test_an_exception_is_told_with_the_apps_own_lines(work: Callable[[], None], expected: list[str]) -> None:
    """Causes and groups included, whatever the exception does when it is asked; no line of a library."""
    text = describe_raised(catch(work), HERE)
    places = [text.find(part) for part in expected]
    assert -1 not in places
    assert places == sorted(places)
    assert "decoder.py" not in text


def test_what_was_raised_outside_the_app_keeps_its_innermost_line() -> None:
    """So that there is a place at all."""
    text = describe_raised(catch(fail_in_a_library), ELSEWHERE)
    assert (text.count("File "), "decoder.py" in text) == (1, True)


class Failing(Skill):
    def __init__(self, error: Exception) -> None:
        self.error = error

    async def execute(self, request: JsonObject, context: SkillContext) -> Json:
        raise self.error


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (ValueError("the key is s3cret-key"), ["ValueError: the key is ***"]),
        (SkillFailed("on purpose"), []),
        (ValueError("x" * 10 * CHARACTERS), ["ValueError: xxx"]),
    ],
)
async def test_what_is_unforeseen_is_kept_once_without_credentials(error: Exception, expected: list[str]) -> None:
    """With the number of attempts; what a skill says on purpose the model's copy has already."""
    skill = make_skill("web-search", implementation=Failing(error))
    engine = ListeningEngine(LocalEngine(), make_catalog(make_app("web", skill)))
    async with make_context(secrets={"Brave": "s3cret-key"}) as context:
        for _ in range(2):
            with pytest.raises(type(error)):
                await engine.execute(skill, [{}], context)
    told = list(engine.describe("web-search"))
    assert len(told) == len(expected)
    for text, part in zip(told, expected, strict=True):
        assert text.startswith("web-search raised this at 2 attempts:\nTraceback")
        assert part in text
        assert len(text) < 1.1 * CHARACTERS
