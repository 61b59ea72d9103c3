"""The visible steps, one after the other."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from apps.sdk.catalog import App, Catalog, Instruction
from apps.sdk.chat import ChatModel, Message, ToolCall
from apps.sdk.schemas.dialects.profiles import GEMINI
from apps.sdk.schemas.dialects.tool_schemas import ToolSchemas
from preprocessor.availability import Override
from preprocessor.intent import Intent
from preprocessor.pipeline import Preprocessor, PreprocessRequest
from preprocessor.prompt import SKILLS
from preprocessor.retrieval.lexical import LexicalIndex
from tests.support.catalogs import make_app, make_bundled_like, make_catalog, make_skill
from tests.support.scripted_model import ScriptedModel, make_call, make_reply
from tests.unit.preprocessor.texts import TEXTS

WEATHER: App = make_app(
    "weather",
    make_skill("weather-current", hint="The weather of a place now.", examples=("What is the weather in Rome?",)),
    instructions=(Instruction("Name the place."),),
)
CATALOG = Catalog((*make_bundled_like().apps, WEATHER), "fixture")
INDEX = LexicalIndex(CATALOG)


def make_preprocessor(model: ChatModel | None = None) -> Preprocessor:
    return Preprocessor(CATALOG, INDEX, TEXTS, model=model)


def ask(text: str) -> PreprocessRequest:
    return PreprocessRequest((Message("user", text),), Intent())


@pytest.mark.parametrize(
    ("message", "names"),
    [
        ("What is 17.5 % of 2,340?", {"math-calculate"}),
        ("How many days are there between 3 March 2024 and 24 December 2026?", {"time-difference"}),
        ("Convert 26.2 miles to kilometres", {"math-convert_units"}),
        ("What time is it in Tokyo when it is 9:30 in Berlin?", {"time-convert"}),
        (
            "What is 17.5 % of 2,340, and how many days are there between 3 March 2024 and 24 December 2026?",
            {"math-calculate", "time-difference"},
        ),
    ],
)
async def test_the_offline_messages_get_their_skills(message: str, names: set[str]) -> None:
    """Offline the ranking alone sends the skills that the message needs, in full."""
    prepared = await make_preprocessor().prepare(ask(message))
    assert names <= set(prepared.exposure.names)
    assert prepared.preselection.decided_by == "ranking"


@pytest.mark.parametrize("message", ["hi", "thanks, great"])
async def test_small_talk_sends_nothing(message: str) -> None:
    """Case 17: nothing is selected, no tools are sent, no app instructions are added; everything stays callable."""
    exposure = (await make_preprocessor().prepare(ask(message))).exposure
    assert (exposure.tools, exposure.instructions) == ((), ())
    assert len(exposure.contract.skills) == 7


async def test_a_follow_up_keeps_its_skill() -> None:
    """Case 16: "and Paris?" has the weather skill in full, by the question before or by its call in the history."""
    asked = Message("user", "weather in New York?")
    call = Message("assistant", "", (ToolCall("1", "weather-current", "{}"),))
    rest = (Message("tool", "sunny", tool_call_id="1"), Message("assistant", "Sunny."), Message("user", "and Paris?"))
    for history in ((asked, call, *rest), (asked, *rest[1:])):
        prepared = await make_preprocessor().prepare(PreprocessRequest(history, Intent()))
        assert "weather-current" in prepared.exposure.names
        assert prepared.exposure.instructions == ("Name the place.",)
    thanks = (asked, call, *rest[:2], Message("user", "Thanks, and bye"))
    exposure = (await make_preprocessor().prepare(PreprocessRequest(thanks, Intent()))).exposure
    assert exposure.sources == {"weather-current": "history"}


async def test_gates_hold_through_all_steps() -> None:
    """An override takes a skill away from the model's list, the tools and the contract."""
    model = ScriptedModel(make_reply(make_call("shortlist", {SKILLS: ["weather-current", "time-now"]})))
    request = replace(ask("weather in Rome"), overrides=(Override("app", "weather", enabled=False),))
    prepared = await make_preprocessor(model).prepare(request)
    assert "weather-current" not in model.requests[0].messages[0].text
    assert prepared.exposure.names == ("time-now",)
    assert "weather-current" not in prepared.exposure.contract.skills


async def test_a_deadline_that_has_passed_costs_only_the_models_word() -> None:
    """The ranking decides when there is no time left for the model."""
    model = ScriptedModel(make_reply(), delay=30)
    prepared = await make_preprocessor(model).prepare(replace(ask("weather in Rome"), deadline=time.monotonic() - 1))
    assert prepared.preselection.degraded == "model_timeout"
    assert "weather-current" in prepared.exposure.names


async def test_secrets_stay_out_of_sight() -> None:
    """A preprocessor does not show its credentials."""
    assert "hunter2" not in repr(Preprocessor(CATALOG, INDEX, TEXTS, secrets={"brave": "hunter2"}))


def test_what_cannot_be_sent_is_known_of_each_catalog() -> None:
    """Also of the one that a reload puts in the place of another."""
    fine = Preprocessor(CATALOG, INDEX, TEXTS, schemas=ToolSchemas(GEMINI))
    vast = make_skill("web-vast", arguments={"size": {"enum": [f"{'long ' * 40}{number}" for number in range(700)]}})
    reloaded = replace(fine, catalog=make_catalog(make_app("web", vast)))
    assert (list(fine.refused), list(reloaded.refused)) == ([], ["web-vast"])
