"""Hostile replies, one shape at a time, in a whole turn: groups C, D, E, F and J of the hostile inputs.

The scripted server refuses what a strict provider refuses, and in the end it has refused nothing.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import toon_format

from apps.sdk.jsontypes import Json, JsonObject
from tests.e2e.lab import Lab, make_lab_settings, shortlisting, user, wait_until
from tests.support.apps import skill_manifest, write_app
from tests.support.model_replies import Call, HttpError, Pieces, Reply
from tests.support.model_server import ScriptedModelServer
from tests.support.running import run_shortlist

MODULE = """
import asyncio

from apps.sdk.skill import Skill

ODD = [
    {"a": {}, "phone": "+861", "code": ".622", "": {"a": 1}, "flag": "true", "number": "1e5", "none": "null", "amount": "100.0"},
    {"a": {}, "phone": "42", "code": "012", "": {"a": 2}, "flag": True, "number": 1e5, "none": None, "amount": 100},
    {},
]


class PingSkill(Skill):
    async def execute(self, request, context):
        return {"pong": request}


class CountSkill(Skill):
    async def execute(self, request, context):
        return {"kinds": {key: type(value).__name__ for key, value in request.items()}, "request": request}


class CrashSkill(Skill):
    async def execute(self, request, context):
        raise Exception()


class WaitSkill(Skill):
    async def execute(self, request, context):
        await asyncio.sleep(30)


class OddSkill(Skill):
    async def execute(self, request, context):
        return {"rows": ODD, "empty": [{}], "nothing": [], "object": {}, "control": "\\x00\\x1b[31m\\n- item: 1"}
"""
COUNT: JsonObject = {
    "type": "object",
    "properties": {
        "n": {"type": "integer"},
        "on": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "text": {"type": "string"},
    },
    "required": ["n"],
    "additionalProperties": False,
}
NOTHING: JsonObject = {"type": "object", "properties": {}}


def _skill(skill_id: str, schema: JsonObject = NOTHING) -> JsonObject:
    return skill_manifest("odd", skill_id, class_path=f"apps.odd.skills.work.{skill_id.capitalize()}Skill", tool_schema=schema)


MANIFEST: JsonObject = {
    "name": "Odd",
    "description": "Skills for hostile replies.",
    "skills": [_skill("ping"), _skill("count", COUNT), _skill("crash"), _skill("wait"), _skill("odd")],
}
ALL = {"picks": ["odd-ping", "odd-count", "odd-crash", "odd-wait", "odd-odd"]}


@pytest.fixture(scope="session")
def odd_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The app, and another with far too many skills."""
    folder = tmp_path_factory.mktemp("odd_apps")
    write_app(folder, "odd", MANIFEST, {"work": MODULE})
    own = {"class_path": "apps.crowd.skills.work.PingSkill", "resident": True, "standard": False}
    crowd = [{**_skill("ping"), "id": f"s{number}", **own} for number in range(150)]
    write_app(folder, "crowd", {"name": "Crowd", "skills": crowd}, {"work": MODULE})
    return folder


@pytest.fixture
async def odd(odd_folder: Path, models: ScriptedModelServer) -> AsyncIterator[Lab]:
    """A service over those apps."""
    settings = make_lab_settings(odd_folder, models)
    async with run_shortlist(settings) as running:
        await wait_until(lambda: running.services.models.ready, 90)
        yield Lab(running, models, settings)


async def call(odd: Lab, *calls: Call, stream: bool = False, reason: str | None = None, intent: Json = ALL) -> JsonObject:
    """A turn in which the model makes these calls and then answers; the requests before it are forgotten."""
    odd.models.requests.clear()
    odd.models.script("main", [Reply(calls=calls, finish_reason=reason), Reply("Done.")])
    if stream:
        name, answer = (await odd.stream(intent=intent))[-1]
        assert name == "turn.finished"
    else:
        answer = await odd.turn(intent=intent)
    assert answer["answer"]["content"] == "Done."
    return answer


async def go_on(odd: Lab, answer: JsonObject) -> JsonObject:
    """The next turn over the messages of the last one; the provider refuses none of them and nothing has to be repaired."""
    odd.models.script("main", [Reply("And on.")])
    following = await odd.turn("and now?", history=[user("Please do it."), *answer["messages"]], intent=ALL)
    assert (following["answer"]["content"], following["trace"]["repairs"]) == ("And on.", [])
    return following


def results_of(answer: JsonObject) -> list[JsonObject]:
    return [item["execution"]["result"] for item in answer["trace"]["calls"]]


def data_of(answer: JsonObject) -> list[Json]:
    return [result["results"][0]["data"] if result["results"] else None for result in results_of(answer)]


def told(odd: Lab) -> list[str]:
    """What the model was told of its calls, in the second request."""
    return [message["content"] for message in odd.models.bodies("main")[1]["messages"] if message["role"] == "tool"]


WAYS = pytest.mark.parametrize("stream", [False, True], ids=["json", "sse"])


async def test_more_skills_than_a_provider_takes_are_not_all_sent(odd: Lab) -> None:
    """C: 150 residents are picked; the provider is sent 128 tools, and a skill beyond them runs all the same."""
    picks = {"picks": [f"crowd-s{number}" for number in range(150)]}
    odd.models.script("cheap", [shortlisting(*picks["picks"])])
    answer = await call(odd, Call("crowd-s149"), intent=picks)
    assert len(odd.models.bodies("main")[0]["tools"]) == 128
    assert data_of(answer) == [{"pong": {}}]


async def test_no_skill_at_all_sends_neither_tools_nor_a_choice(odd: Lab) -> None:
    """C: none wanted, and none shortlisted: no empty list, no tool_choice that is left over."""
    for intent in ({"enabled": False}, None):
        odd.models.script("main", [Reply("Hello.")])
        await odd.turn(intent=intent)
    for body in odd.models.bodies("main"):
        assert not body.keys() & {"tools", "tool_choice"}


async def test_a_providers_400_is_not_our_500(odd: Lab) -> None:
    """C: our status says that the model refused."""
    odd.models.script("main", [HttpError(400, "array too long: tools")])
    problem = await odd.turn(intent=ALL, status=502)
    assert problem["code"] == "model_refused"
    assert "array too long" not in str(problem)


@WAYS
async def test_no_arguments_in_every_spelling(odd: Lab, stream: bool) -> None:
    """D: a skill without parameters runs at once, and the history of it can be sent."""
    for arguments in ("", "  \n", "null", "{}", '"{}"'):
        answer = await call(odd, Call("odd-ping", arguments), stream=stream)
        assert data_of(answer) == [{"pong": {}}], arguments
        assert odd.models.bodies("main")[1]["messages"][-2]["tool_calls"][0]["function"]["arguments"] == "{}"
    await go_on(odd, answer)


GUESSED: tuple[tuple[str, JsonObject, bool], ...] = (
    ('"{\\"n\\": 2}"', {"n": 2}, False),
    ('{"n": 2, "tags": "[\\"a\\", \\"b\\"]"}', {"n": 2, "tags": ["a", "b"]}, True),
    ('{"n": "10", "on": "true"}', {"n": 10, "on": True}, True),
    ('{"n": 1, "text": "10", "tags": ["true", "[1]"]}', {"n": 1, "text": "10", "tags": ["true", "[1]"]}, False),
)
"""Arguments as written, as the skill gets them, and whether the model is told of a change."""


@WAYS
async def test_guessed_arguments_are_understood_without_loss(odd: Lab, stream: bool) -> None:
    """D: also for a skill whose schema the model was never shown; what was read otherwise is said."""
    for arguments, expected, changed in GUESSED:
        answer = await call(odd, Call("odd-count", arguments), stream=stream, intent=None)
        assert "tools" not in odd.models.bodies("main")[0]
        [data] = data_of(answer)
        assert data["request"] == expected
        assert data["kinds"] == {key: type(value).__name__ for key, value in expected.items()}
        assert ("was read as" in told(odd)[0]) == changed


@WAYS
async def test_arguments_that_were_cut_are_neither_run_nor_kept(odd: Lab, stream: bool) -> None:
    """D: whatever the provider gives as the reason: the model is told of the cut, and the next request is taken."""
    for reason, words in (("length", "token limit"), ("tool_calls", "ends in the middle"), ("stop", "ends in the middle")):
        answer = await call(odd, Call("odd-count", '{"n": 12, "text": "abc'), stream=stream, reason=reason)
        assert [result["outcome"] for result in results_of(answer)] == ["error"]
        assert data_of(answer) == [None]
        assert words in told(odd)[0]
        kept = [item["function"]["arguments"] for message in answer["messages"] for item in message.get("tool_calls") or ()]
        assert kept == ["{}"]
        await go_on(odd, answer)


async def test_a_wrong_field_is_named_with_what_it_should_be(odd: Lab) -> None:
    """D: place, what came, what is allowed."""
    await call(odd, Call("odd-count", '{"n": "many"}'))
    assert all(word in told(odd)[0] for word in ("invalid_arguments", "n must be", '\\"many\\" (string)', "integer"))


@WAYS
async def test_a_made_up_name_is_answered_and_the_turn_goes_on(odd: Lab, stream: bool) -> None:
    """E: with up to three close names of this turn's scope, and none from outside it."""
    names = ["generic_command", "od-count", "unt", "crowd-s1", "odd count!"]
    answer = await call(odd, *map(Call, names), Call("odd-ping"), stream=stream, intent={"picks": ["odd-ping", "odd-count"]})
    unknown, near, cut, outside, blank, known = told(odd)
    assert "unknown_tool" in unknown
    assert "Use the tools that were offered" in unknown
    assert "Close names: odd-count" in near
    assert "crowd" not in unknown + near + cut + blank
    assert "unknown_tool" in outside
    assert "pong" in known
    assert [result["outcome"] for result in results_of(answer)][-1] == "ok"
    await go_on(odd, answer)


@WAYS
async def test_an_exception_without_a_message_costs_one_call(odd: Lab, stream: bool) -> None:
    """F: of three, the second raises; each has its result under its own id, with a text."""
    calls = [Call("odd-ping", id="one"), Call("odd-crash", id="two"), Call("odd-ping", id="three")]
    answer = await call(odd, *calls, stream=stream)
    assert [result["outcome"] for result in results_of(answer)] == ["ok", "error", "ok"]
    results = [message for message in answer["messages"] if message["role"] == "tool"]
    assert [message["tool_call_id"] for message in results] == ["one", "two", "three"]
    assert all(message["content"].strip() for message in results)
    assert "skill_crashed" in results[1]["content"]
    await go_on(odd, answer)


async def test_a_turn_that_runs_out_of_time_keeps_what_succeeded(odd: Lab) -> None:
    """F: the one that hangs is cancelled, its siblings' results stay, and the conversation goes on."""
    calls = [Call("odd-ping", id="one"), Call("odd-wait", id="two"), Call("odd-ping", id="three")]
    odd.models.script("main", [Reply(calls=calls)])
    status, answer = await odd.running.post("/v1/turns", {"messages": [user("x")], "intent": ALL}, X_Turn_Timeout="0.5")
    assert status == 200
    assert [result["outcome"] for result in results_of(answer)] == ["ok", "error", "ok"]
    await go_on(odd, answer)


@WAYS
async def test_ids_that_no_provider_takes(odd: Lab, stream: bool) -> None:
    """F: the same, empty and odd ones, in two rounds: results stay with their calls, and every request is taken."""
    for ids in (("same", "same", "same"), ("", "", ""), ("functions.x:0", "i" * 60, "ok")):
        odd.models.script("main", [Reply(calls=[Call("odd-count", {"n": number}, ids[number]) for number in range(3)])])
        answer = await call(odd, *(Call("odd-count", {"n": number + 10}, ids[number]) for number in range(3)), stream=stream)
        assert [data["request"]["n"] for data in data_of(answer)] == [0, 1, 2, 10, 11, 12]
        results = [toon_format.decode(message["content"]) for message in answer["messages"] if message["role"] == "tool"]
        assert [result["data"]["request"]["n"] for result in results] == [0, 1, 2, 10, 11, 12]
        await go_on(odd, answer)


async def test_one_skill_three_times_in_one_stream(odd: Lab) -> None:
    """F: no results are swapped and no pieces glued, whatever labels the pieces bear: in turns, without ids, without any."""
    unlabelled = Pieces(1, ids="never", indexes="never")
    for pieces in (Pieces(2, interleaved=True), Pieces(3, ids="never"), unlabelled, Pieces(4, ids="every", indexes="never")):
        requests = [{"n": number, "text": f"of {number}"} for number in range(3)]
        odd.models.script("main", [Reply(calls=[Call("odd-count", item) for item in requests], pieces=pieces), Reply("Done.")])
        answer = (await odd.stream(intent=ALL))[-1][1]
        assert [data["request"] for data in data_of(answer)] == requests


async def test_odd_rows_are_told_without_loss(odd: Lab) -> None:
    """J: empty objects, an empty key, texts that look like numbers: what the model reads decodes to what the skill returned."""
    answer = await call(odd, Call("odd-odd"))
    [data] = data_of(answer)
    assert toon_format.decode(told(odd)[0])["data"] == data
    assert toon_format.decode(told(odd)[0])["data"]["rows"][0]["phone"] == "+861"
    await go_on(odd, answer)
