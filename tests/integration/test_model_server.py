"""The scripted model server does what its scripts say, seen by a bare HTTP client."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator

import aiohttp
import pytest

from apps.sdk.jsontypes import Json, JsonObject
from tests.support.model_replies import (
    EMPTY_CHOICES,
    JUNK,
    Answer,
    Call,
    Cut,
    Disconnect,
    Drip,
    Hang,
    HttpError,
    Pieces,
    Reply,
)
from tests.support.model_server import ScriptedModelServer, answer_plainly

USER: JsonObject = {"role": "user", "content": "hi"}
TOOL: JsonObject = {"type": "function", "function": {"name": "a-b", "description": "", "parameters": {"type": "object"}}}


@pytest.fixture
async def server() -> AsyncIterator[ScriptedModelServer]:
    async with ScriptedModelServer() as running:
        yield running


@pytest.fixture
async def client() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


def body(**more: Json) -> JsonObject:
    return {"model": "m", "messages": [USER], **more}


async def post(client: aiohttp.ClientSession, server: ScriptedModelServer, **more: Json) -> tuple[int, bytes]:
    async with client.post(f"{server.url}/chat/completions", json=body(**more)) as response:
        return response.status, await response.read()


async def test_a_reply_whole_and_streamed(client: aiohttp.ClientSession, server: ScriptedModelServer) -> None:
    """One description serves both: the streamed pieces joined are the whole reply, usage comes in the last chunk."""
    reply = Reply("hello there", calls=[Call("a-b", {"x": 1})], pieces=Pieces(size=3, name_size=2))
    server.script("m", [reply, reply])
    _, whole = await post(client, server)
    message = json.loads(whole)["choices"][0]["message"]
    _, events = await post(client, server, stream=True, stream_options={"include_usage": True})
    *chunks, done = [event.removeprefix("data: ") for event in events.decode().strip().split("\n\n")]
    assert done == "[DONE]"
    deltas = [choice["delta"] for chunk in chunks for choice in json.loads(chunk)["choices"]]
    functions = [delta["tool_calls"][0]["function"] for delta in deltas if "tool_calls" in delta]
    assert "".join(delta.get("content") or "" for delta in deltas) == message["content"] == "hello there"
    assert "".join(part.get("name", "") for part in functions) == message["tool_calls"][0]["function"]["name"] == "a-b"
    assert "".join(part["arguments"] for part in functions) == message["tool_calls"][0]["function"]["arguments"]
    assert json.loads(chunks[-1])["usage"]["total_tokens"] == 15


async def test_queues_are_kept_per_model_and_requests_are_recorded(
    client: aiohttp.ClientSession, server: ScriptedModelServer
) -> None:
    """Each model name has its own script; every request is kept with its headers; an empty script is an error."""
    server.script("other", [Reply("for the other")])
    status, answer = await post(client, server)
    assert (status, b"nothing is scripted" in answer) == (400, True)
    assert b"for the other" in (await post(client, server, model="other"))[1]
    assert [request.model for request in server.requests] == ["m", "other"]
    assert server.bodies("other") == [body(model="other")]
    assert server.requests[0].headers["content-type"] == "application/json"


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (HttpError(400), (400, b"scripted failure")),
        (HttpError(429, retry_after=2), (429, b"scripted failure")),
        (HttpError(503, "down"), (503, b"down")),
        (JUNK, (200, b"<html>")),
        (EMPTY_CHOICES, (200, b'"choices": []')),
        (Hang(0.01, Reply("late")), (200, b"late")),
        (Drip(Reply("drop"), 0.0), (200, b"drop")),
    ],
)
async def test_answers_that_arrive(
    client: aiohttp.ClientSession, server: ScriptedModelServer, answer: Answer, expected: tuple[int, bytes], stream: bool
) -> None:
    """Errors, junk, late and dripping answers arrive, streaming or not."""
    server.script("m", [answer])
    status, data = await post(client, server, stream=stream)
    assert status == expected[0]
    assert expected[1] in data


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("answer", [Disconnect(), Cut(Reply("hello" * 20)), Cut(Reply("hello"), share=0)])
async def test_answers_that_break(
    client: aiohttp.ClientSession, server: ScriptedModelServer, answer: Answer, stream: bool
) -> None:
    """A closed or cut connection is an error for the client, never a short answer."""
    server.script("m", [answer, Reply("next")])
    with pytest.raises(aiohttp.ClientError):
        await post(client, server, stream=stream)
    assert (await post(client, server))[0] == 200


async def test_retry_after_is_a_header(client: aiohttp.ClientSession, server: ScriptedModelServer) -> None:
    """HTTP 429 can carry Retry-After."""
    server.script("m", [HttpError(429, retry_after=2.5)])
    async with client.post(f"{server.url}/chat/completions", json=body()) as response:
        assert response.headers["Retry-After"] == "2.5"


async def test_closing_does_not_wait_for_what_hangs(client: aiohttp.ClientSession) -> None:
    """The server ends at once although an answer of a minute is under way."""
    async with asyncio.timeout(10), ScriptedModelServer() as server:
        server.script("m", [Hang(60)])
        waiting = asyncio.create_task(post(client, server))
        await server.arrived.wait()
    await asyncio.wait([waiting])


def call(call_id: str, name: str = "a-b", arguments: str = "{}") -> JsonObject:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


ANSWER: JsonObject = {"role": "assistant", "content": "Well."}


def said(*calls: JsonObject) -> JsonObject:
    return {"role": "assistant", "content": None, "tool_calls": list(calls)}


def result(call_id: str) -> JsonObject:
    return {"role": "tool", "tool_call_id": call_id, "content": "1"}


def tool(**parts: Json) -> JsonObject:
    return {"type": "function", "function": {**TOOL["function"], **parts}}


@pytest.mark.parametrize(
    ("fault", "part"),
    [
        ({"tools": []}, "too short"),
        ({"tool_choice": "auto"}, "tool_choice"),
        ({"tools": [TOOL], "tool_choice": {"type": "function", "function": {"name": "other-x"}}}, "not among the tools"),
        ({"tools": [tool(name="web.search")]}, "does not match"),
        ({"tools": [tool(name=f"a-{number}") for number in range(129)]}, "at most 128"),
        ({"tools": [TOOL, TOOL]}, "unique"),
        ({"tools": [tool(parameters={"type": "object", "oneOf": []})]}, "root"),
        ({"tools": [tool(parameters={"type": "array"})]}, "root"),
        ({"messages": []}, "messages"),
        ({"messages": [USER, said(call("x")), said(call("y"))]}, "did not have response"),
        ({"messages": [USER, ANSWER, ANSWER]}, "roles must alternate"),
        ({"messages": [USER, said(call("x"), call("y")), result("x"), ANSWER, USER]}, "did not have response"),
        ({"messages": [USER, said(call("x")), result("x"), USER]}, "after role 'tool'"),
        ({"messages": [USER, USER]}, "roles must alternate"),
        ({"messages": [ANSWER, USER]}, "must use the user role"),
        ({"messages": [USER, {"role": "system", "content": "x"}]}, "at the beginning"),
        ({"messages": [USER, ANSWER]}, "expected last role"),
        ({"messages": [{"role": "robot", "content": "x"}]}, "not one of the roles"),
        ({"messages": [{"role": "user", "content": ""}]}, "is empty"),
        ({"messages": [{"role": "user", "content": []}]}, "list of blocks"),
        ({"messages": [{"role": "user", "content": [{"text": "x"}]}]}, "no type"),
        ({"messages": [{"role": "user", "content": [{"type": "text", "text": " "}]}]}, "non-empty"),
        ({"messages": [{"role": "user", "content": "\ud83d"}]}, "UTF-8"),
        ({"messages": [USER, said(*(call(f"c{number}") for number in range(129)))]}, "1 to 128"),
        ({"messages": [USER, said(call("x"))]}, "did not have response"),
        ({"messages": [USER, result("x")]}, "must follow"),
        ({"messages": [USER, said(call("x"), call("x")), result("x")]}, "not unique"),
        ({"messages": [USER, said(call("x")), result("x"), said(call("x")), result("x")]}, "not unique"),
        ({"messages": [USER, said(call("")), result("")]}, "the id '' does not match"),
        ({"messages": [USER, said(call("x.y:0")), result("x.y:0")]}, "the id 'x.y:0' does not match"),
        ({"messages": [USER, said(call("i" * 41)), result("i" * 41)]}, "does not match"),
        ({"messages": [USER, said(call("x", arguments='{"x": NaN}')), result("x")]}, "not a JSON object"),
        ({"messages": [USER, said(call("x", "a b")), result("x")]}, "does not match"),
        ({"messages": [USER, said(call("x", "a-b", '{"x')), result("x")]}, "not a JSON object"),
        ({"messages": [USER, {"role": "assistant", "content": None}]}, "null"),
        ({"stream_options": {"include_usage": True}}, "stream_options"),
        ({"max_tokens": 0}, "positive"),
        ({"num_retries": 0}, "Unrecognized"),
    ],
)
async def test_a_strict_provider(
    client: aiohttp.ClientSession, server: ScriptedModelServer, fault: JsonObject, part: str
) -> None:
    """What a strict provider refuses is refused with HTTP 400 and noted, so that a test can show there was none."""
    server.script("m", [Reply("accepted")])
    status, answer = await post(client, server, **fault)
    assert (status, part in answer.decode()) == (400, True)
    assert len(server.refusals) == 1


async def test_a_valid_request_with_everything_is_accepted(client: aiohttp.ClientSession, server: ScriptedModelServer) -> None:
    """The rules refuse nothing that is right."""
    server.script("m", [Reply("accepted")])
    history = [USER, said(call("x"), call("y")), result("y"), result("x"), ANSWER, USER]
    choice = {"type": "function", "function": {"name": "a-b"}}
    status, _ = await post(client, server, messages=history, tools=[TOOL], tool_choice=choice, max_tokens=5, temperature=0)
    assert (status, server.refusals) == (200, [])


async def test_it_runs_as_a_process_of_its_own(client: aiohttp.ClientSession) -> None:
    """`python -m tests.support.model_server` prints its address and answers from its own small script."""
    command = (sys.executable, "-m", "tests.support.model_server", "--delay", "0.01")
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    try:
        assert process.stdout is not None
        url = (await process.stdout.readline()).decode().strip()
        async with client.post(f"{url}/chat/completions", json=body(tools=[TOOL])) as response:
            reply = await response.json()
        assert reply["choices"][0]["message"]["tool_calls"][0]["function"] == {"name": "a-b", "arguments": "{}"}
    finally:
        process.terminate()
        await process.communicate()


def test_the_built_in_script() -> None:
    """It calls the forced function with minimal arguments, and answers in words after a result or without tools."""
    parameters = {
        "type": "object",
        "properties": {"ids": {"type": "array", "items": {"enum": ["a-b"]}}, "n": {"type": "integer"}},
    }
    choice = {"type": "function", "function": {"name": "pick"}}
    answer = answer_plainly(body(tools=[tool(name="pick", parameters=parameters)], tool_choice=choice))
    assert answer == Reply(calls=[Call("pick", {"ids": ["a-b"], "n": 1})])
    assert isinstance(answer_plainly(body()), Reply)
    assert answer_plainly(body(tools=[TOOL], messages=[USER, said(call("x")), result("x")])) == answer_plainly(body())
