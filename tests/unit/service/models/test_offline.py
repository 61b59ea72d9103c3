"""The stand-in for the main model: asks the offered skills, quotes their results, says what it is."""

from __future__ import annotations

import asyncio
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.sdk.chat import ChatRequest, Message, ModelReply, TextDelta, ToolCall, ToolDefinition, Usage
from apps.sdk.jsontypes import Json, JsonObject
from service.models.offline import MAX_PARTS, OFFLINE_NAME, OfflineModel, OfflineTexts, Propose, split_message

TEXTS = OfflineTexts(
    intro="This is the offline stand-in.\n",
    results_intro="Results:",
    empty_result="(nothing)",
    nothing_found="No skill recognised it.",
    configure="Set MAIN_MODELS.",
    skills_intro="Offered:",
    no_skills="No skill was offered.",
)
LIST: JsonObject = {"type": "object", "properties": {"requests": {"type": "array", "items": {"type": "object"}}}}
FLAT: JsonObject = {"type": "object", "properties": {"amount": {"type": "string"}}}
CONVERT = ToolDefinition("units-convert", "Convert units.", LIST)
DAYS = ToolDefinition("time-days", "Days between dates.", FLAT)


def propose(tool: str, text: str) -> Json | None:
    """What two simple skills would recognise."""
    if tool == "units-convert":
        match = re.search(r"(\d+) (?:kg|miles)", text)
        return {"amount": match[1]} if match else None
    if tool == "time-days":
        match = re.search(r"between (\S+) and (\S+)", text)
        return {"from": match[1], "to": match[2].rstrip("?")} if match else None
    raise RuntimeError("an author's mistake")


def ask(text: str, *tools: ToolDefinition) -> ChatRequest:
    return ChatRequest((Message("user", text),), tools)


async def calls_for(text: str, *tools: ToolDefinition, lookup: Propose = propose) -> list[tuple[str, str, Json]]:
    reply = await OfflineModel(lookup, TEXTS).complete(ask(text, *tools))
    return [(call.id, call.name, json.loads(call.arguments)) for call in reply.tool_calls]


async def test_a_plain_message() -> None:
    """One skill recognises the message: one call, as a model would write it."""
    reply = await OfflineModel(propose, TEXTS).complete(ask("Convert 26 miles", CONVERT, DAYS))
    call = ToolCall("call_1", "units-convert", '{"requests": [{"amount": "26"}]}')
    assert reply == ModelReply("", (call,), "tool_calls", OFFLINE_NAME, Usage())


async def test_two_things_of_one_skill() -> None:
    """Several requests for one skill go as one call with `requests`, or as calls of their own where it takes none."""
    text = "Convert 26 miles and 10 kg. And also 7 kg!"
    requests = [{"amount": "26"}, {"amount": "10"}, {"amount": "7"}]
    assert await calls_for(text, CONVERT) == [("call_1", "units-convert", {"requests": requests})]
    flat = ToolDefinition("units-convert", "", FLAT)
    assert [arguments for _, _, arguments in await calls_for(text, flat)] == requests


async def test_two_skills_at_once() -> None:
    """A message that holds two questions gets a call for each; ids are counted through."""
    calls = await calls_for("How many days are there between May and June, and what are 5 miles?", DAYS, CONVERT)
    days = ("call_1", "time-days", {"from": "May", "to": "June,"})
    assert calls == [days, ("call_2", "units-convert", {"requests": [{"amount": "5"}]})]


async def test_a_conjunction_inside_a_request() -> None:
    """ "between A and B" is one request although it holds an "and"; two of them in one sentence are two."""
    calls = await calls_for("Days between 1 and 2 and between 3 and 4", DAYS)
    assert [arguments for _, _, arguments in calls] == [{"from": "1", "to": "2"}, {"from": "3", "to": "4"}]


async def test_at_most_five_requests() -> None:
    """More than five things in one message: the first five are asked for."""
    calls = await calls_for("; ".join(f"{number} kg" for number in range(1, 9)), CONVERT)
    assert [request["amount"] for request in calls[0][2]["requests"]] == ["1", "2", "3", "4", "5"]


async def test_the_same_thing_said_twice_is_one_request() -> None:
    """Equal requests are one."""
    assert await calls_for("Convert 5 kg. I said 5 kg!", CONVERT) == [
        ("call_1", "units-convert", {"requests": [{"amount": "5"}]})
    ]


@pytest.mark.parametrize("answer", [None, "text", 7, [], {"x": object()}])
async def test_what_is_no_request_is_skipped(answer: Json) -> None:
    """A look-up that gives something else than a JSON object proposes nothing."""
    assert await calls_for("Convert 5 kg", CONVERT, lookup=lambda tool, text: answer) == []


async def test_a_skill_that_raises_costs_only_itself() -> None:
    """An author's mistake in `from_message` does not keep the others from being asked."""
    broken = ToolDefinition("broken-skill", "", FLAT)
    assert len(await calls_for("Convert 5 kg", broken, CONVERT)) == 1


@pytest.mark.parametrize("raised", [SystemExit, KeyboardInterrupt, GeneratorExit, asyncio.CancelledError, BaseException])
async def test_a_skill_that_wants_to_end_the_server_costs_only_itself(raised: type[BaseException]) -> None:
    """`sys.exit` in `from_message` is an author's mistake like any other."""

    def lookup(tool: str, text: str) -> Json | None:
        if tool == "broken-skill":
            raise raised
        return propose(tool, text)

    assert len(await calls_for("Convert 5 kg", ToolDefinition("broken-skill", "", FLAT), CONVERT, lookup=lookup)) == 1


async def test_a_proposal_is_plain_json() -> None:
    """Keys that JSON has no room for become text, also where they cannot be sorted beside text."""
    found = await calls_for("Convert 5 kg", DAYS, lookup=lambda tool, text: {1: "a", "b": 2})
    assert found == [("call_1", "time-days", {"1": "a", "b": 2})]


async def test_only_the_forced_tool_is_asked() -> None:
    """A request that forces a function gets no other."""
    request = ChatRequest((Message("user", "5 kg between 1 and 2"),), (CONVERT, DAYS), forced_tool="time-days")
    reply = await OfflineModel(propose, TEXTS).complete(request)
    assert [call.name for call in reply.tool_calls] == ["time-days"]


async def test_results_are_quoted() -> None:
    """After results the answer names the stand-in and holds each result under its skill's name; no skill is asked again."""
    calls = (ToolCall("x", "units-convert", "{}"), ToolCall("y", "time-days", "{}"))
    results = (Message("tool", "km: 41.8\nmi: 26", tool_call_id="x"), Message("tool", " ", tool_call_id="y"))
    request = ChatRequest((Message("user", "Convert 26 miles"), Message("assistant", tool_calls=calls), *results), (CONVERT,))
    reply = await OfflineModel(propose, TEXTS).complete(request)
    assert reply.finish_reason == "stop"
    assert reply.text == (
        "This is the offline stand-in.\n\nResults:\n\nunits-convert:\n  km: 41.8\n  mi: 26\n\ntime-days:\n  (nothing)"
    )


async def test_results_of_an_earlier_turn_are_not_quoted() -> None:
    """Only what came after the last user message counts, and ids of the history are not used again."""
    earlier = (
        Message("user", "Convert 1 kg"),
        Message("assistant", tool_calls=(ToolCall("call_1", "units-convert", "{}"),)),
        Message("tool", "old", tool_call_id="call_1"),
        Message("assistant", "done"),
    )
    request = ChatRequest((*earlier, Message("user", "Convert 5 kg")), (CONVERT,))
    reply = await OfflineModel(propose, TEXTS).complete(request)
    assert [call.id for call in reply.tool_calls] == ["call_2"]


async def test_nothing_recognised() -> None:
    """The answer says that no model is configured, how to configure one, and which skills were offered."""
    model = OfflineModel(propose, TEXTS)
    reply = await model.complete(ask("Tell me a joke", CONVERT, DAYS))
    assert reply.text == (
        "This is the offline stand-in.\n\nNo skill recognised it.\n\nSet MAIN_MODELS.\n\nOffered:\n- units-convert\n- time-days"
    )
    assert (await model.complete(ask("hi"))).text.endswith("No skill was offered.")
    assert (await model.complete(ChatRequest(()))).text.endswith("No skill was offered.")


async def test_streaming_says_the_same() -> None:
    """The deltas joined are the text; the last item is the same reply as without streaming."""
    model, request = OfflineModel(propose, TEXTS), ask("Tell me a joke", CONVERT)
    *deltas, last = [item async for item in model.stream(request)]
    assert last == await model.complete(request)
    assert isinstance(last, ModelReply)
    assert len(deltas) > 1
    assert "".join(delta.text for delta in deltas if isinstance(delta, TextDelta)) == last.text


@given(st.text(alphabet="ab .;!?\n,and", max_size=80))
def test_splitting_keeps_every_word(text: str) -> None:
    """Pieces joined are their sentence, nothing but separators is lost, and there are never more than the limit."""
    sentences = split_message(text)
    assert sum(map(len, sentences)) <= MAX_PARTS
    if sum(map(len, sentences)) < MAX_PARTS:
        kept = "".join("".join(pieces) for pieces in sentences)
        assert re.sub(r"[\s;]", "", kept) == re.sub(r"[\s;]", "", text)


async def test_a_huge_message_costs_a_bounded_number_of_questions() -> None:
    """Each offered skill is asked a limited number of times, whatever the message's length."""
    asked: list[str] = []

    def count(tool: str, text: str) -> Json | None:
        asked.append(text)
        return None

    await calls_for("a and " * 100_000, CONVERT, lookup=count)
    assert len(asked) <= 50
    assert max(map(len, asked)) <= 4_000
