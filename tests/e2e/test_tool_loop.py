"""The conversation with the main model: calls, results, failures and limits, over HTTP and litellm.

The scripted server refuses what a strict provider refuses, so each test also shows that the histories sent are valid.
"""

from __future__ import annotations

import asyncio

import pytest

from apps.sdk.jsontypes import Json, JsonObject
from tests.e2e.conftest import OpenLab
from tests.e2e.lab import Lab, calling, shortlisting, user
from tests.support.model_replies import JUNK, Answer, Call, Cut, Disconnect, Hang, HttpError, Pieces, Reply
from tests.support.model_server import ScriptedModelServer
from tests.support.running import run_shortlist

pytestmark = pytest.mark.filterwarnings("ignore:Accessing the 'model_.*' attribute on the instance:DeprecationWarning")

TOO_LONG = HttpError(400, "This model's maximum context length is 10 tokens", code="context_length_exceeded")
WAYS = pytest.mark.parametrize("stream", [False, True], ids=["json", "sse"])


async def take(lab: Lab, *, stream: bool, **body: Json) -> JsonObject:
    """The turn's answer, whichever way it comes."""
    if not stream:
        return await lab.turn(**body)
    name, answer = (await lab.stream(**body))[-1]
    assert name == "turn.finished"
    return answer


def list_notices(answer: JsonObject) -> list[str]:
    return [notice["code"] for notice in answer["notices"]]


def list_outcomes(answer: JsonObject) -> list[tuple[str, str]]:
    calls = [call["execution"] for call in answer["trace"]["calls"]]
    return [(call["name"], call["outcome"]) for call in calls]


@WAYS
async def test_a_call_is_run_and_its_result_given_back_as_toon(lab: Lab, models: ScriptedModelServer, stream: bool) -> None:
    """The whole way: what the model is given is what the caller is told it was given."""
    models.script("cheap", [shortlisting("lab-echo")])
    models.script("main", [Reply("One moment.", calls=[calling("lab-echo", "jam", "honey")]), Reply("Jam and honey.")])
    answer = await take(lab, stream=stream)
    assert answer["answer"] == {"role": "assistant", "content": "Jam and honey."}
    assert answer["model"] == "openai/main"
    [call] = answer["trace"]["calls"]
    assert [entry["data"] for entry in call["execution"]["result"]["results"]] == [{"echo": "jam"}, {"echo": "honey"}]
    given = models.bodies("main")[1]["messages"][-1]
    assert (given["role"], given["content"]) == ("tool", call["execution"]["toon"])
    assert "jam" in given["content"]
    assert [message["role"] for message in answer["messages"]] == ["assistant", "tool", "assistant"]
    assert answer["usage"] == {"prompt_tokens": 70, "completion_tokens": 20, "cached_tokens": 0}


@WAYS
async def test_a_model_that_calls_forever_is_asked_once_without_tools(
    start_lab: OpenLab, models: ScriptedModelServer, stream: bool
) -> None:
    """case 42: at most `max_rounds`, then one call without tools, always an answer."""
    models.script("cheap", [shortlisting("lab-echo")])
    models.script("main", [*[Reply(calls=[calling("lab-echo", f"round {n}")]) for n in range(3)], Reply("Enough.")])
    async with start_lab(max_rounds=3) as lab:
        answer = await take(lab, stream=stream)
    assert answer["answer"]["content"] == "Enough."
    assert list_notices(answer) == ["answered_without_tools"]
    bodies = models.bodies("main")
    assert ["tools" in body for body in bodies] == [True, True, True, False]
    assert len(answer["trace"]["calls"]) == 3


async def test_calls_in_a_reply_to_a_request_without_tools_are_not_run(start_lab: OpenLab, models: ScriptedModelServer) -> None:
    """case 42: even then there is an answer, made of the results, and it says why."""
    models.script("main", [Reply(calls=[calling("lab-echo", "jam")])] * 3)
    async with start_lab(max_rounds=1) as lab:
        answer = await lab.turn(intent={"picks": ["lab-echo"]})
        assert lab.log == [("echo", "jam", "default", "anonymous")]
    assert "jam" in answer["answer"]["content"]
    assert list_notices(answer) == ["answered_without_tools", "no_answer"]


async def test_an_unknown_tool_does_not_keep_the_known_one_from_running(lab: Lab, models: ScriptedModelServer) -> None:
    """case 43: both are answered, in the order of the calls; the known one ran."""
    unknown = Call("weather forecast!", {"city": "Oslo"})
    models.script("main", [Reply(calls=[unknown, calling("lab-echo", "jam")]), Reply("Half of it.")])
    answer = await lab.turn(intent={"picks": ["lab-echo"]})
    assert list_outcomes(answer) == [("weather forecast!", "error"), ("lab-echo", "ok")]
    results = [message for message in models.bodies("main")[1]["messages"] if message["role"] == "tool"]
    assert "unknown_tool" in results[0]["content"]
    assert "jam" in results[1]["content"]


@WAYS
@pytest.mark.parametrize("failure", [HttpError(500), HttpError(401), Disconnect(), JUNK], ids=["500", "401", "gone", "junk"])
async def test_the_next_model_of_the_list_serves(
    start_lab: OpenLab, models: ScriptedModelServer, failure: Answer, stream: bool
) -> None:
    """case 45: without using up a round, and the answer says who served."""
    models.script("main", [failure])
    models.script("second", [Reply(calls=[calling("lab-echo", "jam")]), Reply("unused")])
    models.script("main", [Reply("Jam.")])
    async with start_lab(main_models=("openai/main", "openai/second"), max_rounds=2) as lab:
        answer = await take(lab, stream=stream, intent={"picks": ["lab-echo"]})
        metrics = await lab.metrics()
    assert [round_["model"] for round_ in answer["trace"]["rounds"]] == ["openai/second", "openai/main"]
    assert (answer["model"], answer["answer"]["content"], answer["notices"]) == ("openai/main", "Jam.", [])
    assert 'shortlist_model_attempts_failed_total{code="model_' in metrics


@pytest.mark.parametrize("ids", ["every", "first"])
async def test_interleaved_streamed_calls_are_put_together(lab: Lab, models: ScriptedModelServer, ids: str) -> None:
    """case 46: three calls in turns, later pieces without id."""
    pieces = Pieces(size=3, interleaved=True, ids="every" if ids == "every" else "first")
    calls = [calling("lab-echo", word) for word in ("jam", "honey", "syrup")]
    models.script("main", [Reply(calls=calls, pieces=pieces), Reply("All three.")])
    events = await lab.stream(intent={"picks": ["lab-echo"]})
    answer = events[-1][1]
    entries = [call["execution"]["result"]["results"][0]["data"] for call in answer["trace"]["calls"]]
    assert entries == [{"echo": "jam"}, {"echo": "honey"}, {"echo": "syrup"}]


@WAYS
async def test_calls_that_were_cut_off_are_not_run(lab: Lab, models: ScriptedModelServer, stream: bool) -> None:
    """case 47: the model is told, and may do better."""
    whole, half = calling("lab-echo", "whole"), Call("lab-echo", '{"requests": [{"query": "ha')
    models.script("main", [Reply(calls=[whole, half], finish_reason="length"), Reply("I could not.")])
    answer = await take(lab, stream=stream, intent={"picks": ["lab-echo"]})
    assert answer["answer"]["content"] == "I could not."
    assert lab.log == []
    told = [message["content"] for message in models.bodies("main")[1]["messages"] if message["role"] == "tool"]
    assert len(told) == 2
    assert all("arguments_cut_off" in content for content in told)


async def test_a_model_that_is_cut_off_again_and_again_has_to_answer(lab: Lab, models: ScriptedModelServer) -> None:
    """case 47: the turn ends with an answer."""
    half = Reply(calls=[Call("lab-echo", '{"requests": [{"query": "ha')], finish_reason="length")
    models.script("main", [half, half, Reply("It is too long for me.")])
    answer = await lab.turn(intent={"picks": ["lab-echo"]})
    assert answer["answer"]["content"] == "It is too long for me."
    assert list_notices(answer) == ["answered_without_tools"]


@WAYS
async def test_an_answer_that_is_cut_off_says_so(lab: Lab, models: ScriptedModelServer, stream: bool) -> None:
    models.script("main", [Reply("It begins and", finish_reason="length")])
    answer = await take(lab, stream=stream)
    assert answer["answer"]["content"] == "It begins and"
    assert list_notices(answer) == ["answer_cut_off"]


@WAYS
@pytest.mark.parametrize("silence", ["", "  \n"], ids=["empty", "blank"])
async def test_a_reply_without_text_and_calls_is_asked_for_an_answer(
    lab: Lab, models: ScriptedModelServer, stream: bool, silence: str
) -> None:
    """Neither text nor calls: once more, without tools; then the service says that there was no answer."""
    models.script("main", [Reply(silence), Reply("Now then."), Reply(silence), Reply(silence)])
    picks = {"picks": ["lab-echo"]}
    first, second = [await take(lab, stream=stream, intent=picks) for _ in range(2)]
    assert (first["answer"]["content"], list_notices(first)) == ("Now then.", ["answered_without_tools"])
    assert list_notices(second) == ["answered_without_tools", "no_answer"]
    assert second["answer"]["content"].strip()


@WAYS
async def test_a_reply_of_130_calls_leaves_a_history_that_providers_take(
    lab: Lab, models: ScriptedModelServer, stream: bool
) -> None:
    """hostile C: each is answered; 32 of them run, the others are told to come later; 128 calls fit into a message, two go on."""
    models.script("main", [Reply(calls=[calling("lab-echo", f"word {n}") for n in range(130)]), Reply("Phew."), Reply("Next.")])
    answer = await take(lab, stream=stream, intent={"picks": ["lab-echo"]})
    assert len(lab.log) == 32
    assert list_notices(answer) == []
    outcomes = [outcome for _, outcome in list_outcomes(answer)]
    assert (len(outcomes), outcomes.count("ok")) == (130, 32)
    sent = models.bodies("main")[1]["messages"]
    assert [len(message["tool_calls"]) for message in sent if message.get("tool_calls")] == [128, 2]
    assert sum("too_many_calls" in message["content"] for message in sent if message["role"] == "tool") == 98
    second = await lab.turn("go on", history=[user("Please do it."), *answer["messages"]], intent={"picks": ["lab-echo"]})
    assert (second["answer"]["content"], second["trace"]["repairs"]) == ("Next.", [])


async def test_content_blocks_reach_the_model_untouched(lab: Lab, models: ScriptedModelServer) -> None:
    """case 35: text and image as blocks, not as TOON; litellm moves images behind the tool message, where OpenAI takes them."""
    models.script("main", [Reply(calls=[calling("lab-picture", "zebra")]), Reply("A zebra.")])
    answer = await lab.turn(intent={"picks": ["lab-picture"]})
    result, images = models.bodies("main")[1]["messages"][-2:]
    text = {"type": "text", "text": "A picture."}
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
    assert (result["role"], result["content"]) == ("tool", [text])
    assert image in images["content"]
    assert answer["messages"][1]["content"] == [text, image]


async def test_hostile_text_stays_data(lab: Lab, models: ScriptedModelServer) -> None:
    """cases 39 and 40: hidden characters do not reach the model, joiners do; fakes stay inside the one tool result."""
    models.script("main", [Reply(calls=[calling("lab-hostile", "x")]), Reply("Noted.")])
    answer = await lab.turn(intent={"picks": ["lab-hostile"]})
    messages = models.bodies("main")[1]["messages"]
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "tool"]
    content = messages[-1]["content"]
    assert not any(0xE0000 <= ord(character) <= 0xE007F for character in content)
    assert "\u202e" not in content
    assert "\U0001f468\u200d\U0001f469" in content
    assert sum(line.startswith("outcome:") for line in content.splitlines()) == 1
    assert not any(line.lstrip().startswith(("<system>", "{")) for line in content.splitlines())
    execution = answer["trace"]["calls"][0]["execution"]
    assert execution["characters_removed"] == 5
    assert "\u202e" in execution["result"]["results"][0]["data"]["text"]


SAME: dict[str, tuple[str, JsonObject, str]] = {
    "fine": ("lab-echo", {"requests": [{"query": "jam"}]}, "ok"),
    "too many": ("lab-echo", {"requests": [{"query": f"jam {number}"} for number in range(7)]}, "partial"),
    "one invalid": ("lab-echo", {"requests": [{"query": "jam"}, {}]}, "partial"),
    "flat": ("lab.echo", {"query": "jam"}, "ok"),
    "failing": ("lab-fail", {"requests": [{"query": "again"}, {"query": "crash"}]}, "error"),
}


@pytest.mark.parametrize(("name", "arguments", "outcome"), SAME.values(), ids=list(SAME))
async def test_execute_and_a_turn_come_to_the_same(
    lab: Lab, models: ScriptedModelServer, name: str, arguments: JsonObject, outcome: str
) -> None:
    """case 41: same call, same limits, same outcome, same text for the model."""
    models.script("main", [Reply(calls=[Call(name, arguments, "call_1")]), Reply("done")])
    turn = await lab.turn()
    _, execution = await lab.running.post("/v1/execute", {"name": name, "arguments": arguments})
    in_turn = turn["trace"]["calls"][0]["execution"]
    for result in (in_turn, execution):
        for entry in result["result"]["results"]:
            entry["seconds"] = 0
    assert in_turn == execution
    assert execution["outcome"] == outcome


@pytest.mark.parametrize("query", ["final", "again", "crash"])
async def test_the_next_turn_works_after_a_failed_call(lab: Lab, models: ScriptedModelServer, query: str) -> None:
    """The messages of an answer, appended to the history, make a history that goes on, and leak nothing."""
    models.script("main", [Reply(calls=[calling("lab-fail", query)]), Reply("It failed."), Reply("Let us go on.")])
    first = await lab.turn("break it", intent={"picks": ["lab-fail"]})
    assert list_outcomes(first) == [("lab-fail", "error")]
    assert "sk-12345" not in str(first)
    assert "/secret/path" not in str(first)
    second = await lab.turn("and now?", history=[user("break it"), *first["messages"]])
    assert second["answer"]["content"] == "Let us go on."
    assert second["trace"]["repairs"] == []


async def test_whatever_a_model_calls_its_calls_the_next_turn_takes_them(lab: Lab, models: ScriptedModelServer) -> None:
    """Names that are empty, long, no names at all, half a character; ids that are empty, long or come twice."""
    names = ["", "x" * 300, "Hello, world!", "half \ud83d", "lab-echo"]
    calls = [Call(name, {"requests": [{"query": "jam"}]}, call_id) for name in names for call_id in ("same", "", "i" * 500)]
    models.script("main", [Reply(calls=calls), Reply("Odd."), Reply(calls=calls), Reply("Still odd."), Reply("Let us go on.")])
    history: list[JsonObject] = []
    for text in ("one", "two", "three"):
        answer = await lab.turn(text, history=history, intent={"picks": ["lab-echo"]})
        assert answer["trace"]["repairs"] == []
        history += [user(text), *answer["messages"]]
    assert history[-1]["content"] == "Let us go on."


async def test_an_unfit_history_is_mended(lab: Lab, models: ScriptedModelServer) -> None:
    """What a caller stored wrongly does no harm: open calls, results of nothing, ids that come twice, arguments of any kind."""

    def call(arguments: Json, call_id: str = "call_1") -> JsonObject:
        return {"id": call_id, "type": "function", "function": {"name": "lab-echo", "arguments": arguments}}

    history = [
        user("one"),
        {"role": "tool", "content": "of nothing", "tool_call_id": "call_0"},
        {"role": "assistant", "content": None, "tool_calls": [call("no json"), call(None), call({"a": 1}, "")]},
        {"role": "tool", "content": "of the first", "tool_call_id": "call_1"},
        {"role": "assistant", "content": ""},
        {"role": "system", "content": "Be brief."},
        {"role": "assistant", "content": None, "tool_calls": [call("{}")]},
        user("two"),
    ]
    answer = await lab.turn("three", history=history)
    assert answer["trace"]["repairs"] == [
        "an empty message (assistant) was left out",
        "a result for the unknown call 'call_0' was given a call of its own",
        "the arguments of the call 'call_1' are no JSON object and were left out",
        "the call id 'call_1' cannot be sent or came twice; it became 'call_2'",
        "the call 'call_2' had no result and is marked as abandoned",
        "the call id '' cannot be sent or came twice; it became 'call_3'",
        "the call 'call_3' had no result and is marked as abandoned",
        "the call id 'call_1' cannot be sent or came twice; it became 'call_5'",
        "the call 'call_5' had no result and is marked as abandoned",
        "system messages became one at the beginning (1 in all)",
        "two messages in a row (user) became one",
        "results were followed by a user's message; a placeholder stands between them",
    ]
    sent = models.bodies("main")[0]["messages"]
    arguments = [call["function"]["arguments"] for message in sent for call in message.get("tool_calls") or ()]
    assert arguments == ["{}", "{}", "{}", '{"a": 1}', "{}"]


PICTURE: JsonObject = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
NO_BLOCKS: tuple[tuple[str, JsonObject], ...] = (
    ("user", {"text": "no type"}),
    ("user", {"type": "text"}),
    ("user", {"type": "text", "text": None}),
    ("user", {"type": ""}),
    ("user", {"type": ["text"], "text": "a"}),
    ("user", {"type": "tool_result", "content": "another API's"}),
    ("user", {"type": "image", "source": {}}),
    ("user", {"type": "image_url"}),
    ("user", {"type": "image_url", "image_url": {"url": 1}}),
    ("user", {"type": "input_audio", "input_audio": "a"}),
    ("user", {"type": "file", "file": None}),
    ("assistant", {"type": "tool_use", "id": "a", "name": "lab-echo", "input": {}}),
    ("assistant", {"type": "thinking"}),
    ("tool", {"type": "input_audio", "input_audio": {}}),
    ("tool", {"type": "odd"}),
)


@pytest.mark.parametrize(("role", "block"), NO_BLOCKS, ids=[f"{role} {block}" for role, block in NO_BLOCKS])
async def test_a_content_block_that_is_none_is_refused_with_its_place(
    lab: Lab, models: ScriptedModelServer, role: str, block: JsonObject
) -> None:
    """The caller is told, not the provider asked."""
    message = {"role": role, "content": [block], **({"tool_call_id": "a"} if role == "tool" else {})}
    problem = await lab.turn("now", history=[message], status=422)
    assert problem["errors"][0]["pointer"].startswith("/messages/0/content")
    assert models.requests == []


async def test_content_blocks_of_every_role_are_sent(lab: Lab, models: ScriptedModelServer) -> None:
    """A picture that a user or a skill showed, and an answer in blocks."""
    text = {"type": "text", "text": "a"}
    called = {"id": "c", "function": {"name": "lab-picture", "arguments": "{}"}}
    history = [
        {"role": "user", "content": [text, PICTURE, {"type": "image_url", "image_url": PICTURE["image_url"]["url"]}]},
        {"role": "assistant", "content": [text, {"type": "refusal", "refusal": "no"}], "tool_calls": [called]},
        {"role": "tool", "tool_call_id": "c", "content": [text, PICTURE]},
        {"role": "assistant", "content": [text]},
    ]
    models.script("main", [Reply("Done.")])
    assert (await lab.turn("now", history=history))["trace"]["repairs"] == []


@WAYS
@pytest.mark.parametrize(
    ("failure", "code"),
    [
        (HttpError(500), "model_unavailable"),
        (HttpError(400), "model_refused"),
        (Disconnect(), "model_unavailable"),
        (Cut(Reply("An answer that breaks in the middle of it"), 0.6), "model_unavailable"),
        (Hang(5.0), "model_timeout"),
    ],
    ids=["500", "400", "disconnect", "cut", "hang"],
)
async def test_a_model_that_fails_after_results_leaves_an_answer_with_them(
    start_lab: OpenLab, models: ScriptedModelServer, failure: Answer, code: str, stream: bool
) -> None:
    """The turn answers with what it has and says so; the history of it can be gone on with."""
    models.script("main", [Reply(calls=[calling("lab-echo", "jam")]), failure, Reply("Better now.")])
    async with start_lab(model_timeout=1.0 if isinstance(failure, Hang) else 20.0) as lab:
        answer = await take(lab, stream=stream, intent={"picks": ["lab-echo"]})
        second = await lab.turn("and now?", history=[user("Please do it."), *answer["messages"]])
    assert list_notices(answer) == [code]
    assert "jam" in answer["answer"]["content"]
    assert second["answer"]["content"] == "Better now."


@pytest.mark.parametrize(
    ("failure", "status", "code"),
    [
        (HttpError(500), 502, "model_unavailable"),
        (HttpError(401), 502, "model_refused"),
        (HttpError(429), 503, "model_rate_limited"),
        (Hang(5.0), 504, "model_timeout"),
        (TOO_LONG, 422, "context_window_exceeded"),
    ],
    ids=["500", "401", "429", "hang", "too long"],
)
async def test_a_model_that_fails_before_anything_is_a_problem(
    start_lab: OpenLab, models: ScriptedModelServer, failure: Answer, status: int, code: str
) -> None:
    """With nothing to answer with: a status of its own, as JSON; the last event when streaming."""
    models.script("main", [failure, failure])
    async with start_lab(model_timeout=0.3) as lab:
        problem = await lab.turn(status=status)
        events = await lab.stream()
        assert 'shortlist_turns_total{outcome="failed"} 2.0' in await lab.metrics()
    assert (problem["code"], problem["status"], problem["model"]) == (code, status, "openai/main")
    assert [name for name, _ in events] == ["turn.started", "preselection", "error"]
    assert (events[-1][1]["code"], events[-1][1]["status"]) == (code, status)


@WAYS
async def test_a_turn_that_failed_may_be_tried_again_under_its_key(lab: Lab, models: ScriptedModelServer, stream: bool) -> None:
    """A failure is no answer to keep, also when it was the last event of a stream."""
    models.script("main", [HttpError(401), Reply("At last."), Reply("Never asked.")])
    body = {"messages": [user("please")], "stream": stream}
    texts = []
    for _ in range(3):
        url, headers = lab.running.url + "/v1/turns", {"Idempotency-Key": "again"}
        async with lab.running.client.post(url, json=body, headers=headers) as response:
            texts.append(await response.text())
    assert "model_refused" in texts[0]
    assert "At last." in texts[1]
    assert texts[1] == texts[2]
    assert len(models.bodies("main")) == 2


async def test_no_server_at_all_is_a_problem_too(start_lab: OpenLab) -> None:
    """Nobody listens at the models' address."""
    async with start_lab(model_api_base="http://127.0.0.1:1/v1") as lab:
        problem = await lab.turn(status=502)
    assert problem["code"] == "model_unavailable"


async def test_the_deadline_ends_a_turn_with_the_results_so_far(lab: Lab, models: ScriptedModelServer) -> None:
    """X-Turn-Timeout: what is ready is answered, what runs is cancelled, and each call has its result."""
    calls = [calling("lab-echo", "jam"), calling("lab-slow", "late")]
    models.script("main", [Reply(calls=calls), Reply("Better now.")])
    body = {"messages": [user("do both")], "intent": {"picks": ["lab-echo", "lab-slow"]}}
    status, answer = await lab.running.post("/v1/turns", body, X_Turn_Timeout="0.6")
    assert status == 200
    assert ("cancelled", "late") in lab.log
    assert list_outcomes(answer) == [("lab-echo", "ok"), ("lab-slow", "error")]
    assert "jam" in answer["answer"]["content"]
    assert list_notices(answer)[-1] in {"deadline", "answered_without_tools"}
    second = await lab.turn("and now?", history=[user("do both"), *answer["messages"]])
    assert second["answer"]["content"] == "Better now."


async def test_a_deadline_before_anything_is_a_504(lab: Lab, models: ScriptedModelServer) -> None:
    models.script("main", [Hang(5.0)])
    status, problem = await lab.running.post("/v1/turns", {"messages": [user("hello")]}, X_Turn_Timeout="0.3")
    assert (status, problem["code"], problem["limit"]) == (504, "deadline_exceeded", 0.3)


async def test_the_token_budget_covers_both_models(lab: Lab, models: ScriptedModelServer) -> None:
    """What the cheap model used is gone; with results the turn answers with them, without it is a 422 that names the limit."""
    dear = Reply(calls=shortlisting("lab-echo").calls, usage=(900_000, 0, 0))
    models.script("cheap", [dear])
    problem = await lab.turn(status=422)
    assert (problem["code"], problem["limit"]) == ("token_budget_exhausted", lab.settings.turn_token_budget)
    assert models.bodies("main") == []
    models.script("cheap", [shortlisting("lab-echo")])
    models.script("main", [Reply(calls=[calling("lab-echo", "jam")], usage=(4_000, 900, 0))])
    answer = await lab.turn(token_budget=5_000)
    assert list_notices(answer) == ["token_budget"]
    assert "jam" in answer["answer"]["content"]


async def test_a_model_that_counts_nothing_is_counted_by_estimate(lab: Lab, models: ScriptedModelServer) -> None:
    """A provider without usage does not lift the budget."""
    models.script("main", [Reply(calls=[calling("lab-echo", f"jam {n}")], usage=None) for n in range(8)])
    answer = await lab.turn(token_budget=1_500, intent={"picks": ["lab-echo"]})
    assert list_notices(answer) == ["token_budget"]
    assert 1 <= len(models.bodies("main")) < 8


async def test_the_callers_limits_can_only_be_lower(start_lab: OpenLab, models: ScriptedModelServer) -> None:
    """max_rounds of the body is capped by the setting."""
    models.script("main", [Reply(calls=[calling("lab-echo", f"jam {n}")]) for n in range(2)])
    async with start_lab(max_rounds=2) as lab:
        await lab.turn(max_rounds=40, intent={"picks": ["lab-echo"]})
    assert len([body for body in models.bodies("main") if "tools" in body]) == 2


async def test_a_skill_that_a_model_was_not_shown_runs_all_the_same(lab: Lab, models: ScriptedModelServer) -> None:
    """A preselection miss never makes a skill unreachable, but the intent does."""
    models.script("cheap", [shortlisting("lab-slow")])
    models.script("main", [Reply(calls=[calling("lab-echo", "jam")]), Reply("Jam.")])
    assert list_outcomes(await lab.turn()) == [("lab-echo", "ok")]
    models.script("cheap", [shortlisting("lab-slow")])
    models.script("main", [Reply(calls=[calling("lab-echo", "jam")]), Reply("No jam.")])
    refused = await lab.turn(intent={"disabled": ["lab-echo"]})
    assert list_outcomes(refused) == [("lab-echo", "error")]


async def test_a_name_that_is_learned_in_the_turn_is_called_in_it(lab: Lab, models: ScriptedModelServer) -> None:
    """Hostile G: what may be called is not what was sent when the turn began: a later round calls a skill that never was."""
    models.script("cheap", [shortlisting("lab-slow")])
    lab.release.set()
    rounds = [calling("lab-slow", "which skill echoes?"), calling("lab-echo", "jam"), calling("lab-slow", "again")]
    models.script("main", [*(Reply(calls=[call]) for call in rounds), Reply("Jam.")])
    answer = await lab.turn()
    assert list_outcomes(answer) == [("lab-slow", "ok"), ("lab-echo", "ok"), ("lab-slow", "ok")]
    assert {tool["function"]["name"] for body in models.bodies("main") for tool in body.get("tools", ())} == {"lab-slow"}


async def test_turns_at_once_do_not_mix(lab: Lab, models: ScriptedModelServer) -> None:
    """Twenty turns side by side: each gets its own results."""

    def answer(body: JsonObject) -> Answer:
        if body.get("tool_choice"):
            return shortlisting("lab-echo")
        last = body["messages"][-1]
        return Reply(last["content"]) if last["role"] == "tool" else Reply(calls=[calling("lab-echo", last["content"])])

    async with ScriptedModelServer(default=answer) as server:
        settings = lab.settings.model_copy(update={"model_api_base": server.url})
        async with run_shortlist(settings) as running:
            own = Lab(running, server, settings)
            answers = await asyncio.gather(*(own.turn(f"word{number}word") for number in range(20)))
    for number, turn in enumerate(answers):
        assert f"word{number}word" in turn["answer"]["content"]
