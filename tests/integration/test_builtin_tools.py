"""What a provider has in a skill's place, through litellm onto the wire: over real HTTP, in the provider's own format."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from apps.sdk.chat import ChatRequest, Message, ModelReply, ToolDefinition
from apps.sdk.jsontypes import JsonObject
from service.models.llm import LiteLLM, ModelSpec
from tests.support.model_replies import Reply
from tests.support.model_server import ScriptedModelServer

NOTHING: JsonObject = {"type": "object", "properties": {}}
CALCULATE = ToolDefinition("math-calculate", "Calculate.", NOTHING)
SEARCH = ToolDefinition(
    "web-search",
    "Search.",
    NOTHING,
    builtins={
        "anthropic/*": {"type": "web_search_20250305", "name": "web_search", "max_uses": 3},
        "gemini/gemini-3*": {"googleSearch": {}, "include_server_side_tool_invocations": True},
        "openai/*-typed": {"type": "web_search"},
        "openai/search-*": {"web_search_options": {"search_context_size": "low"}},
        "openai/search-late": {"type": "never: the first pattern counts"},
    },
)
MESSAGES = (Message("user", "Who won?"),)


@pytest.fixture(scope="module")
def loaded() -> LiteLLM:
    """litellm takes seconds to import: once for this file."""
    library = LiteLLM()

    async def load() -> None:
        await library.load()

    asyncio.run(load())
    return library


@pytest.fixture
async def library(loaded: LiteLLM) -> AsyncIterator[LiteLLM]:
    yield loaded
    await loaded.close()


async def ask(library: LiteLLM, name: str, url: str, tools: tuple[ToolDefinition, ...], *, stream: bool = False) -> ModelReply:
    model = library.model(ModelSpec(name, api_base=url, api_key="sk-test", timeout=20.0))
    request = ChatRequest(MESSAGES, tools)
    if not stream:
        return await model.complete(request)
    last = [item async for item in model.stream(request)][-1]
    assert isinstance(last, ModelReply)
    return last


async def ask_openai(library: LiteLLM, name: str, *tools: ToolDefinition, stream: bool = False) -> JsonObject:
    """The body that an OpenAI-compatible server is sent."""
    async with ScriptedModelServer(default=lambda _: Reply("An answer."), strict=False) as server:
        assert (await ask(library, f"openai/{name}", server.url, tools, stream=stream)).text == "An answer."
        return server.requests[0].body


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
async def test_a_tool_stands_in_the_functions_place(library: LiteLLM, stream: bool) -> None:
    """At its place among the functions, as it was configured."""
    body = await ask_openai(library, "gpt-typed", SEARCH, CALCULATE, stream=stream)
    assert body["tools"] == [{"type": "web_search"}, CALCULATE.to_wire()]


async def test_an_argument_stands_in_the_functions_place(library: LiteLLM) -> None:
    """`web_search_options` is no tool: the function is gone, and with no other there is no `tools` key."""
    body = await ask_openai(library, "search-late", CALCULATE, SEARCH)
    assert body["tools"] == [CALCULATE.to_wire()]
    assert body["web_search_options"] == {"search_context_size": "low"}
    assert "tools" not in await ask_openai(library, "search-late", SEARCH)


async def test_other_models_are_sent_the_function(library: LiteLLM) -> None:
    """The same bytes as if there were no built-in at all."""
    plain = ToolDefinition(SEARCH.name, SEARCH.description, SEARCH.parameters)
    assert await ask_openai(library, "main", CALCULATE, SEARCH) == await ask_openai(library, "main", CALCULATE, plain)


ANTHROPIC_REPLY: JsonObject = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude",
    "content": [
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "who won"}},
        {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
        {"type": "text", "text": "They did."},
    ],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 5, "output_tokens": 2},
}
GEMINI_REPLY: JsonObject = {
    "candidates": [{"content": {"role": "model", "parts": [{"text": "They did."}]}, "finishReason": "STOP"}],
    "usageMetadata": {"promptTokenCount": 5, "candidatesTokenCount": 2},
}


@asynccontextmanager
async def serve_reply(reply: JsonObject, seen: list[JsonObject]) -> AsyncIterator[str]:
    """A provider that gives one reply to everything and notes what came."""

    async def answer(request: web.Request) -> web.Response:
        seen.append(await request.json())
        return web.json_response(reply)

    app = web.Application()
    app.router.add_post("/{path:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        host, port = runner.addresses[0][:2]
        yield f"http://{host}:{port}"
    finally:
        await runner.cleanup()


async def test_anthropics_own_search(library: LiteLLM) -> None:
    """It reaches Anthropic's wire beside a function; what the provider ran itself is no call for us to run."""
    seen: list[JsonObject] = []
    async with serve_reply(ANTHROPIC_REPLY, seen) as url:
        reply = await ask(library, "anthropic/claude-sonnet-4-5", url, (CALCULATE, SEARCH))
    [body] = seen
    assert body["tools"][1] == {"type": "web_search_20250305", "name": "web_search", "max_uses": 3}
    assert body["tools"][0]["name"] == "math-calculate"
    assert (reply.text, reply.tool_calls) == ("They did.", ())


@pytest.mark.filterwarnings("ignore:.*using the `ReadOnly` qualifier:UserWarning")  # litellm's, of what it imports late
async def test_geminis_own_search(library: LiteLLM) -> None:
    """It reaches Gemini's wire beside a function, which litellm would otherwise send alone."""
    seen: list[JsonObject] = []
    async with serve_reply(GEMINI_REPLY, seen) as url:
        reply = await ask(library, "gemini/gemini-3-pro-preview", url, (CALCULATE, SEARCH))
    [body] = seen
    assert [next(iter(tool)) for tool in body["tools"]] == ["function_declarations", "googleSearch"]
    assert reply.text == "They did."
