"""Histories that are longer than the main model's window, over HTTP and litellm: what is sent, and what the caller is told."""

from __future__ import annotations

from itertools import pairwise

import pytest

from apps.sdk.jsontypes import Json, JsonObject
from tests.e2e.conftest import OpenLab
from tests.e2e.lab import Lab, calling, user
from tests.support.model_replies import HttpError, Reply
from tests.support.model_server import ScriptedModelServer

pytestmark = pytest.mark.filterwarnings("ignore:Accessing the 'model_.*' attribute on the instance:DeprecationWarning")

TOO_LONG = HttpError(400, "This model's maximum context length is 10 tokens", code="context_length_exceeded")
WAYS = pytest.mark.parametrize("stream", [False, True], ids=["json", "sse"])
PICKS: JsonObject = {"picks": ["lab-echo"]}


def write_turns(count: int, *, words: int = 100) -> list[JsonObject]:
    """Earlier turns, each of a question, a call with its result and an answer, about `words` tokens each of the last two."""
    turns: list[JsonObject] = []
    for number in range(count):
        call_id = f"call_{number}"
        call: JsonObject = {"id": call_id, "type": "function", "function": {"name": "lab-echo", "arguments": "{}"}}
        turns += [
            user(f"question {number}"),
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call_id, "content": "row " * words},
            {"role": "assistant", "content": "said " * words},
        ]
    return turns


async def take(lab: Lab, *, stream: bool, history: list[JsonObject], **body: Json) -> JsonObject:
    """The turn's answer, whichever way it comes."""
    if not stream:
        return await lab.turn(history=history, **body)
    name, answer = (await lab.stream(messages=[*history, user("Please do it.")], **body))[-1]
    assert name == "turn.finished"
    return answer


def list_questions(body: JsonObject) -> list[str]:
    """What the users said, in what a model was sent."""
    return [message["content"] for message in body["messages"] if message["role"] == "user"]


def list_notices(answer: JsonObject) -> list[str]:
    return [notice["code"] for notice in answer["notices"]]


@WAYS
async def test_the_oldest_turns_are_left_out_and_the_answer_says_so(
    start_lab: OpenLab, models: ScriptedModelServer, stream: bool
) -> None:
    """Whole turns: the strict server would refuse a result without its call."""
    models.script("main", [Reply("Done.")])
    async with start_lab(context_window=4_000) as lab:
        answer = await take(lab, stream=stream, history=write_turns(30))
    [body] = models.bodies("main")
    questions = list_questions(body)
    left_out = answer["trace"]["left_out"]
    assert answer["answer"]["content"] == "Done."
    assert list_notices(answer) == ["history_shortened"]
    assert questions == [*(f"question {number}" for number in range(left_out["turns"], 30)), "Please do it."]
    assert 0 < left_out["turns"] < 30
    assert left_out["messages"] == 4 * left_out["turns"]
    assert left_out["tokens"] > 200 * left_out["turns"]
    assert answer["trace"]["rounds"][0]["prompt_tokens_estimated"] < 0.85 * 3_000


async def test_a_history_that_fits_is_sent_whole(start_lab: OpenLab, models: ScriptedModelServer) -> None:
    models.script("main", [Reply("Done.")])
    async with start_lab(context_window=100_000) as lab:
        answer = await lab.turn(history=write_turns(30))
    assert len(list_questions(models.bodies("main")[0])) == 31
    assert (answer["notices"], answer["trace"]["left_out"]) == ([], {"turns": 0, "messages": 0, "tokens": 0})


async def test_results_of_later_rounds_push_out_further_turns(start_lab: OpenLab, models: ScriptedModelServer) -> None:
    """Never what this turn itself has said and found."""
    rounds = [Reply(calls=[calling("lab-echo", f"{number} " + "word " * 800)]) for number in range(3)]
    models.script("main", [*rounds, Reply("Done.")])
    async with start_lab(context_window=12_000) as lab:
        answer = await lab.turn(history=write_turns(25), intent=PICKS)
    counts = [len(list_questions(body)) for body in models.bodies("main")]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] == 26
    assert counts[-1] < 26
    assert answer["answer"]["content"] == "Done."
    assert list_notices(answer) == ["history_shortened"]
    assert answer["trace"]["left_out"]["turns"] == 26 - counts[-1]
    for number, body in enumerate(models.bodies("main")):
        own = body["messages"][-1 - 2 * number :]
        assert own[0] == user("Please do it.")
        assert [message["role"] for message in own[1:]] == ["assistant", "tool"] * number


async def test_a_turn_that_is_too_long_by_itself_is_sent_alone(start_lab: OpenLab, models: ScriptedModelServer) -> None:
    """The provider may take it after all."""
    models.script("main", [Reply("Done.")])
    async with start_lab(context_window=1_000) as lab:
        answer = await lab.turn("word " * 2_000, history=write_turns(3))
    assert [question[:5] for question in list_questions(models.bodies("main")[0])] == ["word "]
    assert list_notices(answer) == ["history_shortened"]


@WAYS
@pytest.mark.parametrize("refusals", [1, 2])
async def test_a_prompt_that_is_refused_is_asked_again_with_less(
    start_lab: OpenLab, models: ScriptedModelServer, refusals: int, stream: bool
) -> None:
    """Nobody knows the window of openai/main; the first request holds everything."""
    models.script("main", [*[TOO_LONG] * refusals, Reply(calls=[calling("lab-echo", "jam")]), Reply("Done.")])
    async with start_lab(max_rounds=1) as lab:
        answer = await take(lab, stream=stream, history=write_turns(40), intent=PICKS)
    counts = [len(list_questions(body)) for body in models.bodies("main")]
    assert counts[0] == 41
    assert all(later <= 0.6 * earlier for earlier, later in pairwise(counts[: refusals + 1]))
    assert counts[refusals] == counts[refusals + 1] > 1
    assert answer["answer"]["content"] == "Done."
    assert list_notices(answer) == ["history_shortened", "answered_without_tools"]
    assert answer["trace"]["left_out"]["turns"] == 41 - counts[-1]


@WAYS
async def test_asking_again_ends(start_lab: OpenLab, models: ScriptedModelServer, stream: bool) -> None:
    """A provider that refuses everything: a number of requests, then the error that says why."""
    models.script("main", [TOO_LONG] * 20)
    history = write_turns(300, words=10)
    async with start_lab() as lab:
        if stream:
            name, problem = (await lab.stream(messages=[*history, user("Please do it.")]))[-1]
            assert name == "error"
        else:
            problem = await lab.turn(history=history, status=422)
    assert problem["code"] == "context_window_exceeded"
    assert len(models.bodies("main")) == 6
    assert all(list_questions(body)[-1] == "Please do it." for body in models.bodies("main"))


async def test_what_cannot_be_shortened_is_refused_once(lab: Lab, models: ScriptedModelServer) -> None:
    models.script("main", [TOO_LONG] * 2)
    problem = await lab.turn("word " * 100, status=422)
    assert problem["code"] == "context_window_exceeded"
    assert len(models.bodies("main")) == 1


async def test_results_that_no_window_holds_are_the_answer(lab: Lab, models: ScriptedModelServer) -> None:
    """As before: what was found, and why there is no more."""
    models.script("main", [Reply(calls=[calling("lab-echo", "jam")]), TOO_LONG, TOO_LONG])
    answer = await lab.turn(history=write_turns(1), intent=PICKS)
    assert "jam" in answer["answer"]["content"]
    assert list_notices(answer) == ["history_shortened", "context_window_exceeded"]
    assert [len(list_questions(body)) for body in models.bodies("main")] == [2, 2, 1]


async def test_the_smallest_known_window_of_the_models_counts(start_lab: OpenLab, models: ScriptedModelServer) -> None:
    """litellm knows 128,000 tokens of the one and 16,385 of the other; 25,000 would fit into the first."""
    models.script("gpt-4o", [Reply("Done."), Reply("Done.")])
    history = write_turns(100)
    async with start_lab(main_models=("openai/gpt-4o",)) as lab:
        assert list_notices(await lab.turn(history=history)) == []
    async with start_lab(main_models=("openai/gpt-4o", "openai/gpt-3.5-turbo", "openai/nobody-knows-it")) as lab:
        answer = await lab.turn(history=history)
    assert list_notices(answer) == ["history_shortened"]
    assert 5_000 < answer["trace"]["rounds"][0]["prompt_tokens_estimated"] < 16_385


async def test_most_turns_of_a_long_conversation_begin_with_the_same_bytes(
    start_lab: OpenLab, models: ScriptedModelServer
) -> None:
    """So that a provider's cache serves what it has read: the cut moves rarely."""
    turns = 40
    models.script("main", [Reply(f"{number} " + "said " * 80) for number in range(turns)])
    history: list[JsonObject] = []
    async with start_lab(context_window=8_000) as lab:
        for number in range(turns):
            message = f"question {number} " + "word " * 60
            answer = await lab.turn(message, history=history)
            history += [user(message), *answer["messages"]]
    sent = [body["messages"] for body in models.bodies("main")]
    same = [later[: len(earlier)] == earlier for earlier, later in pairwise(sent)]
    assert list_notices(answer) == ["history_shortened"]
    assert 2 <= same.count(False) <= turns / 6
