"""Preselection by a model, over HTTP and litellm: what it is asked, what is taken of its word, what happens without it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from apps.sdk.jsontypes import JsonObject
from service.settings import Settings
from tests.e2e.conftest import OpenLab
from tests.e2e.lab import Lab, calling, shortlisting, user
from tests.support.model_replies import Answer, Call, Hang, HttpError, Reply
from tests.support.model_server import ScriptedModelServer

ECHO = "echo the word marmalade"


def list_sent(answer: JsonObject) -> list[str]:
    return [tool["name"] for tool in answer["trace"]["exposure"]["sent"]]


def list_sources(answer: JsonObject) -> dict[str, list[str]]:
    return {skill["name"]: skill["sources"] for skill in answer["trace"]["preselection"]["skills"]}


async def test_picks_are_validated_and_sent_in_catalog_order(lab: Lab, models: ScriptedModelServer) -> None:
    """case 12: two skills, a focus mode and a memory, asked for through one forced call with closed lists."""
    picked = shortlisting(
        "lab-slow", "lab-echo", relevant_app_focus_modes=["lab-deep"], relevant_app_settings_and_memories=["lab-tastes"]
    )
    models.script("cheap", [picked])
    answer = await lab.turn()
    assert list_sent(answer) == ["lab-echo", "lab-slow"]
    assert list_sources(answer) == {"lab-echo": ["model"], "lab-slow": ["model"]}
    preselection = answer["trace"]["preselection"]
    assert (preselection["focus_modes"], preselection["memories"]) == (["lab-deep"], ["lab-tastes"])
    assert (preselection["decided_by"], preselection["degraded"], preselection["model"]) == ("model", None, "openai/cheap")
    [body] = models.bodies("cheap")
    [function] = [tool["function"] for tool in body["tools"]]
    assert body["tool_choice"] == {"type": "function", "function": {"name": function["name"]}}
    offered = function["parameters"]["properties"]
    assert offered["relevant_app_skills"]["items"]["enum"] == answer["trace"]["expansion"]["available"]
    assert offered["relevant_app_focus_modes"]["items"]["enum"] == ["lab-deep"]
    assert offered["relevant_app_settings_and_memories"]["items"]["enum"] == ["lab-tastes"]


async def test_ranking_hits_join_the_picks_each_labelled_with_its_source(start_lab: OpenLab, models: ScriptedModelServer) -> None:
    """case 12: these, plus what the ranking finds above the floor."""
    models.script("cheap", [shortlisting("lab-slow")])
    async with start_lab(preselection_floor=0.3) as lab:
        answer = await lab.turn(ECHO)
    assert list_sources(answer) == {"lab-echo": ["ranking"], "lab-slow": ["model"]}
    assert [tool["function"]["name"] for tool in models.bodies("main")[0]["tools"]] == ["lab-echo", "lab-slow"]


async def test_what_the_model_invents_is_dropped_and_counted(lab: Lab, models: ScriptedModelServer) -> None:
    """case 13: made-up, disabled, out of scope, twice, and written differently; all in the result and in the metrics."""
    models.script("cheap", [shortlisting("web-teleport", "lab-off", "lab-rare", "lab-slow", "lab-slow", "lab.echo")])
    answer = await lab.turn()
    preselection = answer["trace"]["preselection"]
    assert {(item["name"], item["reason"]) for item in preselection["dropped"]} == {
        ("web-teleport", "unknown"),
        ("lab-off", "disabled"),
        ("lab-rare", "out_of_scope"),
        ("lab-slow", "duplicate"),
    }
    assert preselection["repaired"] == [{"written": "lab.echo", "name": "lab-echo"}]
    assert list_sent(answer) == ["lab-echo", "lab-slow"]
    metrics = await lab.metrics()
    for reason in ("unknown", "disabled", "out_of_scope", "duplicate"):
        assert f'shortlist_preselection_dropped_total{{reason="{reason}"}} 1.0' in metrics
    assert "teleport" not in metrics


FAILURES: dict[str, tuple[Answer, str, int]] = {
    "prose": (Reply("You need the echo skill."), "prose", 1),
    "broken JSON": (Reply(calls=[Call("shortlist", '{"relevant_app_skills": [')]), "broken_json", 1),
    "the wrong function": (Reply(calls=[Call("lab-echo", {"query": "x"})]), "wrong_function", 1),
    "nothing": (Reply(""), "empty", 1),
    "HTTP 400": (HttpError(400), "model_refused", 1),
    "HTTP 429": (HttpError(429), "model_rate_limited", 2),
    "HTTP 500": (HttpError(500), "model_unavailable", 2),
    "no answer in time": (Hang(2.0), "model_timeout", 2),
}


@pytest.mark.parametrize(("answer", "cause", "attempts"), FAILURES.values(), ids=list(FAILURES))
async def test_without_the_models_word_the_ranking_decides(
    start_lab: OpenLab, models: ScriptedModelServer, answer: Answer, cause: str, attempts: int
) -> None:
    """case 14: the turn goes on, `degraded` names the cause; 400 is asked once, what may pass is asked again."""
    models.script("cheap", [answer, answer])
    models.script("main", [Reply("done")])
    async with start_lab(preselection_floor=0.3, model_attempts=2, preselection_attempt_timeout=0.3) as lab:
        turn = await lab.turn(ECHO)
        metrics = await lab.metrics()
    assert turn["answer"]["content"] == "done"
    preselection = turn["trace"]["preselection"]
    assert (preselection["degraded"], preselection["decided_by"]) == (cause, "ranking")
    assert list_sources(turn) == {"lab-echo": ["ranking"]}
    assert len(models.bodies("cheap")) == attempts
    assert f'shortlist_preselection_degraded_total{{cause="{cause}"}} 1.0' in metrics


async def test_a_failure_that_passes_is_not_noticed(start_lab: OpenLab, models: ScriptedModelServer) -> None:
    """case 14: the second attempt's word counts."""
    models.script("cheap", [HttpError(503), shortlisting("lab-slow")])
    async with start_lab(model_attempts=2) as lab:
        turn = await lab.turn(ECHO)
    assert turn["trace"]["preselection"]["degraded"] is None
    assert list_sent(turn) == ["lab-slow"]


async def test_all_attempts_share_one_deadline(start_lab: OpenLab, models: ScriptedModelServer) -> None:
    """case 14: ten attempts are allowed, the time limit of the preselection allows fewer."""
    models.script("cheap", [HttpError(500)] * 10)
    async with start_lab(preselection_floor=0.3, model_attempts=10, preselection_timeout=0.5) as lab:
        turn = await lab.turn(ECHO)
    assert turn["trace"]["preselection"]["degraded"] in {"model_timeout", "model_unavailable"}
    assert 1 <= len(models.bodies("cheap")) < 10


async def test_old_calls_and_results_are_not_shown_to_the_cheap_model(lab: Lab, models: ScriptedModelServer) -> None:
    """case 15: it sees what was said, and the last message is the user's."""
    call = {"id": "call_9", "type": "function", "function": {"name": "lab-echo", "arguments": '{"requests": []}'}}
    history = [
        user("echo something"),
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "content": "a result of long ago", "tool_call_id": "call_9"},
        {"role": "assistant", "content": "I did."},
    ]
    await lab.turn("and again", history=history)
    [body] = models.bodies("cheap")
    assert [message["role"] for message in body["messages"]] == ["system", "user", "assistant", "user"]
    assert body["messages"][-1]["content"] == "and again"
    assert not any("tool_calls" in message for message in body["messages"])
    assert "a result of long ago" not in str(body)
    assert any(message["role"] == "tool" for message in models.bodies("main")[0]["messages"])


async def test_a_follow_up_has_the_skill_of_the_question_before(start_lab: OpenLab, models: ScriptedModelServer) -> None:
    """case 16: also when the cheap model says nothing, and whether or not the skill was called the first time."""
    async with start_lab(preselection_floor=0.3) as lab:
        models.script("main", [Reply(calls=[calling("lab-echo", "marmalade")]), Reply("marmalade")])
        first = await lab.turn(ECHO)
        called = await lab.turn("and jam?", history=[user(ECHO), *first["messages"]])
        answered = await lab.turn("and jam?", history=[user(ECHO), {"role": "assistant", "content": "marmalade"}])
    assert called["trace"]["exposure"]["sent"][0]["source"] == "history"
    assert list_sent(called) == list_sent(answered) == ["lab-echo"]
    assert list_sources(answered) == {"lab-echo": ["ranking"]}


async def test_the_same_skills_are_the_same_bytes_from_turn_to_turn(lab: Lab, models: ScriptedModelServer) -> None:
    """Hostile G and H: other words, another order of picks, a skill that was called meanwhile: the tools block stays."""
    models.script("cheap", [shortlisting("lab-echo", "lab-slow"), shortlisting("lab-slow", "lab-echo"), shortlisting("lab-echo")])
    models.script("main", [Reply(calls=[calling("lab-slow", "jam")]), Reply("Jam."), Reply("More jam."), Reply("Enough.")])
    lab.release.set()
    first = await lab.turn("jam?")
    history = [user("jam?"), *first["messages"]]
    await lab.turn("and more?", history=history)
    await lab.turn("and even more?", history=history)
    blocks = {json.dumps(body["tools"]) for body in models.bodies("main")}
    assert len(models.bodies("main")) == 4
    [block] = blocks
    assert [tool["function"]["name"] for tool in json.loads(block)] == ["lab-echo", "lab-slow"]


@pytest.mark.parametrize("text", ["hi", "thanks, great"])
async def test_small_talk_is_sent_without_tools_and_app_instructions(
    start_lab: OpenLab, models: ScriptedModelServer, text: str
) -> None:
    """case 17: no tools key, no tool_choice, no app instructions on the wire."""
    async with start_lab(preselection_floor=0.3) as lab:
        answer = await lab.turn(text)
    assert answer["trace"]["preselection"]["skills"] == []
    [body] = models.bodies("main")
    assert body.keys().isdisjoint({"tools", "tool_choice"})
    assert "lab with care" not in str(body["messages"])


async def test_app_instructions_are_sent_with_the_apps_skills_only(lab: Lab, models: ScriptedModelServer) -> None:
    """case 18: with and without categories; of an app without a sent skill, none."""
    models.script("cheap", [shortlisting("lab-echo")])
    await lab.turn()
    system = models.bodies("main")[0]["messages"][0]["content"]
    assert "Handle the lab with care." in system
    assert "Wear gloves." in system
    assert "annex" not in system


@pytest.fixture
def own_instructions(tmp_path: Path) -> Path:
    """The bundled texts with extra fields of one's own."""
    texts = yaml.safe_load(Settings.model_fields["base_instructions"].default.read_text())
    texts["preselection"]["extra"] = {"complexity": ["simple", "complex"], "language": {"type": "string", "maxLength": 5}}
    path = tmp_path / "instructions.yml"
    path.write_text(yaml.safe_dump(texts))
    return path


async def test_extra_fields_choose_the_main_model(
    start_lab: OpenLab, models: ScriptedModelServer, own_instructions: Path
) -> None:
    """case 21: declared in base_instructions.yml, asked for in the same call, validated, returned, and used by model_rules."""
    models.script("cheap", [shortlisting(complexity="simple", language="de"), shortlisting(complexity="weird", language="fr")])
    models.script("small", [Reply("from the small one")])
    models.script("main", [Reply("from the usual one")])
    rules = {"complexity": {"simple": ("openai/small",)}}
    async with start_lab(base_instructions=own_instructions, model_rules=rules) as lab:
        simple, weird = await lab.turn(), await lab.turn()
    assert simple["trace"]["preselection"]["extra"] == {"complexity": "simple", "language": "de"}
    assert (simple["answer"]["content"], simple["model"]) == ("from the small one", "openai/small")
    assert weird["trace"]["preselection"]["extra"] == {"language": "fr"}
    assert {"name": "complexity", "reason": "invalid"} in weird["trace"]["preselection"]["dropped"]
    assert weird["model"] == "openai/main"
    properties = models.bodies("cheap")[0]["tools"][0]["function"]["parameters"]["properties"]
    assert properties["complexity"] == {"type": "string", "enum": ["simple", "complex"]}
