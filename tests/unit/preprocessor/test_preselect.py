"""The union of the cheap model's word and the ranking's, and what happens without the model's."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from apps.sdk.catalog import Catalog
from apps.sdk.chat import (
    ChatModel,
    ContextWindowExceeded,
    Message,
    ModelError,
    ModelRateLimited,
    ModelRefused,
    ModelReply,
    ModelTimeout,
    ModelUnavailable,
    Usage,
)
from preprocessor.intent import Intent
from preprocessor.preselect import Preselection, Preselector, Selected
from preprocessor.prompt import FOCUS_MODES, MEMORIES, NEEDS, SKILLS
from preprocessor.retrieval.lexical import LexicalIndex
from preprocessor.settings import PreprocessSettings
from preprocessor.validate import Rejected
from tests.support.catalogs import make_app, make_bundled_like, make_catalog, make_memory, make_mode, make_skill
from tests.support.expanding import expand
from tests.support.scripted_model import ScriptedModel, make_call, make_reply
from tests.unit.preprocessor.texts import TEXTS

CATALOG = Catalog(
    (*make_bundled_like().apps, make_app("web", make_skill("web-read"), make_skill("web-off", default_enabled=False),
              make_skill("web-rare", standard=False), make_mode("web-deep"), make_memory("web-sites"))),
    "fixture",
)  # fmt: skip
INDEX = LexicalIndex(CATALOG)
SETTINGS = PreprocessSettings()
DAYS = "How many days are there between 3 March 2024 and 24 December 2026?"


async def preselect(
    model: ChatModel | None,
    text: str = DAYS,
    *,
    settings: PreprocessSettings = SETTINGS,
    intent: Intent | None = None,
    history: Sequence[Message] = (),
    time_left: float | None = None,
) -> Preselection:
    expansion = expand(CATALOG, intent or Intent())
    preselector = Preselector(CATALOG, INDEX, TEXTS, settings, model)
    return await preselector.preselect(expansion, [*history, Message("user", text)], time_left)


def answering(**fields: object) -> ScriptedModel:
    return ScriptedModel(make_reply(make_call("shortlist", fields)))


async def test_picks_and_ranking_are_united() -> None:
    """Case 12: the model's picks and the ranking's hits, in catalog order, each labelled with where it comes from."""
    model = answering(**{SKILLS: ["web-read", "time-difference"], FOCUS_MODES: ["web-deep"], MEMORIES: ["web-sites"], NEEDS: []})
    found = await preselect(model)
    assert {item.name: item.sources for item in found.skills} == {
        "time-difference": ("model", "ranking"),
        "time-add": ("ranking",),
        "web-read": ("model",),
    }
    assert found.names == tuple(name for name in CATALOG.skills if name in found.names)
    assert (found.focus_modes, found.memories) == (("web-deep",), ("web-sites",))
    assert (found.decided_by, found.degraded, found.model, found.usage) == ("model", None, "scripted-1", Usage(100, 20))
    assert found.considered == 7
    assert found.prompt_tokens > 0


async def test_with_the_floor_at_its_maximum_only_the_model_picks() -> None:
    """Case 12: at 1.0 no ranking hit is above the floor, not even an author's example word for word."""
    found = await preselect(answering(**{SKILLS: ["web-read", "math-calculate"]}), settings=replace(SETTINGS, floor=1.0))
    assert found.names == ("math-calculate", "web-read")
    assert all(item.sources == ("model",) for item in found.skills)


async def test_drops_and_repairs_are_in_the_result() -> None:
    """Case 13: invented, disabled, out of scope, twice and misspelt names."""
    model = answering(**{SKILLS: ["web-teleport", "web-off", "web-rare", "web.read", "web-read"], "complexity": "medium"})
    found = await preselect(model, "hi")
    assert found.names == ("web-read",)
    assert found.dropped == (
        Rejected("web-teleport", "unknown"),
        Rejected("web-off", "disabled"),
        Rejected("web-rare", "out_of_scope"),
        Rejected("web-read", "duplicate"),
        Rejected("complexity", "invalid"),
    )
    assert found.repaired == (("web.read", "web-read"),)


@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        (make_reply(text="Use time-difference.", finish="stop"), "prose"),
        (make_reply(make_call("shortlist", "{")), "broken_json"),
        (make_reply(make_call("get_weather", {})), "wrong_function"),
        (make_reply(), "empty"),
        (ModelRefused("m", "400"), "model_refused"),
        (ContextWindowExceeded("m", "400"), "context_window_exceeded"),
        (ModelRateLimited("m", "429"), "model_rate_limited"),
        (ModelUnavailable("m", "500"), "model_unavailable"),
        (ModelTimeout("m", "slow"), "model_timeout"),
        (ModelError("m", "?"), "model_error"),
        (TimeoutError(), "model_timeout"),
        (ZeroDivisionError(), "model_error"),
        (ExceptionGroup("several", [OSError()]), "model_error"),
    ],
)
async def test_without_a_usable_word_the_ranking_decides(answer: ModelReply | BaseException, cause: str) -> None:
    """Case 14: every way to fail; the ranking decides and `degraded` names the cause."""
    model = ScriptedModel(answer)
    found = await preselect(model)
    assert found.degraded == cause
    assert found.decided_by == "ranking"
    assert "time-difference" in found.names
    assert all(item.sources == ("ranking",) for item in found.skills)
    assert len(model.requests) == 1


@pytest.mark.parametrize(("limit", "time_left"), [(0.02, None), (8.0, 0.02), (8.0, 0.0), (8.0, -1.0)])
async def test_a_slow_model_is_not_waited_for(limit: float, time_left: float | None) -> None:
    """Case 14: neither the time limit nor the turn's deadline is passed."""
    model = ScriptedModel(make_reply(), delay=30)
    found = await preselect(model, settings=replace(SETTINGS, time_limit=limit), time_left=time_left)
    assert (found.degraded, found.decided_by) == ("model_timeout", "ranking")


async def test_cancelling_is_not_swallowed() -> None:
    """A cancelled turn ends at once; it is not taken for a model's failure."""
    task = asyncio.create_task(preselect(ScriptedModel(make_reply(), delay=30)))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_without_a_model_the_ranking_is_the_stand_in() -> None:
    """Offline: the ranking decides and nothing is degraded."""
    found = await preselect(None)
    assert (found.decided_by, found.degraded, found.model, found.prompt_tokens) == ("ranking", None, None, 0)
    assert "time-difference" in found.names


@pytest.mark.parametrize("text", ["hi", "thanks, great"])
async def test_small_talk_selects_nothing(text: str) -> None:
    """Case 17: nothing from the ranking, and an empty answer of the model is an answer, not a failure."""
    assert (await preselect(None, text)).skills == ()
    found = await preselect(answering(**{SKILLS: [], NEEDS: []}), text)
    assert (found.skills, found.degraded, found.decided_by) == ((), None, "model")


async def test_needs_are_asked_of_the_index() -> None:
    """A need in the model's words finds a skill that neither the message nor the picks named."""
    found = await preselect(
        answering(**{NEEDS: ["convert quantities between units of measurement"]}), "Wie weit ist ein Marathon?"
    )
    assert found.needs == ("convert quantities between units of measurement",)
    assert found.skills[0] == Selected("math-convert_units", ("need",), found.skills[0].score)
    assert found.skills[0].score > SETTINGS.floor


async def test_extra_fields_are_returned() -> None:
    """Case 21: validated extra fields come back under `extra`."""
    found = await preselect(answering(**{SKILLS: [], "language": "en", "complexity": "simple"}))
    assert found.extra == {"language": "en", "complexity": "simple"}


async def test_selection_is_capped() -> None:
    """The cap holds for picks and hits together; picks that find no room are on record, hits make room first."""
    settings = replace(SETTINGS, selected_max=2)
    found = await preselect(answering(**{SKILLS: ["web-read", "math-calculate", "time-now"]}), settings=settings)
    assert found.names == ("math-calculate", "web-read")
    assert found.dropped == (Rejected("time-now", "over_limit"),)
    assert (await preselect(answering(**{SKILLS: ["web-read", "time-now"]}), settings=settings)).names == ("time-now", "web-read")


async def test_the_best_of_too_many_picks_have_room() -> None:
    """What the message is about keeps its place whatever the catalog's order; of picks with one score the first written."""
    settings = replace(SETTINGS, selected_max=1)
    found = await preselect(answering(**{SKILLS: ["math-calculate", "time-difference"]}), settings=settings)
    assert found.names == ("time-difference",)
    found = await preselect(answering(**{SKILLS: ["web-read", "math-calculate"]}), "hi", settings=settings)
    assert found.names == ("web-read",)


async def test_a_reply_as_deep_as_the_stack_is_broken_json() -> None:
    """Nothing that a model writes raises."""
    deep = '{"' + SKILLS + '": ' + "[" * 1_000 + "]" * 1_000 + "}"
    found = await preselect(ScriptedModel(make_reply(make_call("shortlist", deep))))
    assert (found.degraded, found.decided_by) == ("broken_json", "ranking")


async def test_a_long_list_is_narrowed_by_the_ranking() -> None:
    """Above the size only the best-ranked are offered, in catalog order; a pick beyond them is still valid."""
    model = answering(**{SKILLS: ["web-read"]})
    found = await preselect(model, settings=replace(SETTINGS, candidates=2, floor=1.0))
    offered = model.requests[0].tools[0].parameters["properties"][SKILLS]["items"]["enum"]
    assert len(offered) == 2
    assert "time-difference" in offered
    assert offered == [name for name in CATALOG.skills if name in offered]
    assert found.names == ("web-read",)


async def test_only_what_is_available_is_offered_and_selected() -> None:
    """What the intent takes away is not offered to the model and not selected by the ranking."""
    model = answering(**{SKILLS: ["time-difference"]})
    found = await preselect(model, intent=Intent(disabled=("time-*",)))
    assert "time-difference" not in model.requests[0].tools[0].parameters["properties"][SKILLS]["items"]["enum"]
    assert found.names == ()
    assert found.dropped == (Rejected("time-difference", "disabled"),)


async def test_nothing_to_choose_from_asks_no_model() -> None:
    """With no skill, mode or memory the model is not asked at all."""
    catalog = make_catalog(make_app("a", make_skill("a-a")))
    model = ScriptedModel(make_reply())
    preselector = Preselector(catalog, LexicalIndex(catalog), TEXTS, SETTINGS, model)
    found = await preselector.preselect(expand(catalog, Intent(enabled=False)), [Message("user", "do a")])
    assert (found, model.requests) == (Preselection(), [])


async def test_no_text_is_logged(caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]) -> None:
    """Case 20: neither a message nor a reply reaches a log, also when the model fails."""
    caplog.set_level(0)
    await preselect(ScriptedModel(ModelUnavailable("m", "my private words")), "my private words")
    assert caplog.text == ""
    assert capsys.readouterr() == ("", "")
