"""litellm itself over real HTTP to the scripted server: what is sent, what comes back, what fails how (cases 14, 45-47)."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import sys
import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from contextlib import aclosing
from dataclasses import replace
from itertools import groupby

import pytest
from structlog.testing import capture_logs

from apps.sdk.chat import (
    ChatModel,
    ChatRequest,
    ContextWindowExceeded,
    Message,
    ModelError,
    ModelRateLimited,
    ModelRefused,
    ModelReply,
    ModelTimeout,
    ModelUnavailable,
    TextDelta,
    ToolCall,
    ToolDefinition,
    Usage,
)
from apps.sdk.jsontypes import JsonObject
from apps.sdk.schemas.dialects.profiles import PROFILES
from service.models.fallbacks import ResilientModel, Waits
from service.models.llm import CHUNKS_PER_BREATH, LiteLLM, ModelSpec
from service.models.replies import MAX_CALLS, MAX_COUNT
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
    Raw,
    Reply,
)
from tests.support.model_server import ScriptedModelServer

# litellm looks at deprecated attributes of pydantic's for each streamed chunk
pytestmark = pytest.mark.filterwarnings("ignore:Accessing the 'model_.*' attribute on the instance:DeprecationWarning")

SECRET_WORDS = "the user's private words"
REQUEST = ChatRequest((Message("system", "Be brief."), Message("user", SECRET_WORDS)))
TOOLS = (ToolDefinition("math-calculate", "Calculate.", {"type": "object", "properties": {"expression": {"type": "string"}}}),)
TOO_LONG = HttpError(400, "This model's maximum context length is 10 tokens", code="context_length_exceeded")


@pytest.fixture(scope="module")
def loaded() -> LiteLLM:
    """litellm takes seconds to import: once for this file."""
    library = LiteLLM()
    asyncio.run(_load(library))
    return library


async def _load(library: LiteLLM) -> None:
    await library.load()


@pytest.fixture
async def library(loaded: LiteLLM) -> AsyncIterator[LiteLLM]:
    yield loaded
    await loaded.close()


@pytest.fixture
async def server() -> AsyncIterator[ScriptedModelServer]:
    async with ScriptedModelServer() as running:
        yield running


@pytest.fixture
def spec(server: ScriptedModelServer) -> ModelSpec:
    return ModelSpec("openai/main", api_base=server.url, api_key="sk-very-secret", timeout=20.0)


@pytest.fixture
def model(library: LiteLLM, spec: ModelSpec) -> ChatModel:
    return library.model(spec)


async def collect(model: ChatModel, request: ChatRequest = REQUEST) -> list[TextDelta | ModelReply]:
    return [item async for item in model.stream(request)]


async def ask(model: ChatModel, *, stream: bool, request: ChatRequest = REQUEST) -> ModelReply:
    if not stream:
        return await model.complete(request)
    last = (await collect(model, request))[-1]
    assert isinstance(last, ModelReply)
    return last


class NoObserver:
    def attempt_failed(self, model: str, error: ModelError) -> None: ...


def without_nulls(messages: Sequence[JsonObject]) -> list[JsonObject]:
    return [{key: value for key, value in message.items() if value is not None} for message in messages]


BOTH = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])


@BOTH
async def test_a_plain_answer(model: ChatModel, server: ScriptedModelServer, stream: bool) -> None:
    """The text, the reason and the usage arrive; the reply names the model; one request was sent, with nothing of litellm's."""
    server.script("main", [Reply("Hello there.", usage=(7, 3, 2))])
    assert await ask(model, stream=stream) == ModelReply("Hello there.", (), "stop", "openai/main", Usage(7, 3, 2))
    assert (len(server.requests), server.refusals) == (1, [])
    sent = server.requests[0]
    assert sent.headers["authorization"] == "Bearer sk-very-secret"
    assert sent.body["messages"] == [message.to_wire() for message in REQUEST.messages]
    assert sent.body.keys() - {"stream", "stream_options"} == {"model", "messages"}


async def test_text_streams_as_it_comes(model: ChatModel, server: ScriptedModelServer) -> None:
    """Each piece is yielded, the whole reply last."""
    server.script("main", [Reply("abcdef", pieces=Pieces(2))])
    *deltas, last = await collect(model)
    assert deltas == [TextDelta("ab"), TextDelta("cd"), TextDelta("ef")]
    assert isinstance(last, ModelReply)
    assert last.text == "abcdef"


@BOTH
async def test_tools_are_sent_and_calls_come_back(model: ChatModel, server: ScriptedModelServer, stream: bool) -> None:
    """Tools and the forced one are sent as given, the history with its calls and results too; the call's text is untouched."""
    server.script("main", [Reply("Let me see. ", calls=[Call("math-calculate", '{"expression":  "1+1"}', id="c9")])])
    history = (
        Message("assistant", tool_calls=(ToolCall("c1", "math-calculate", "{}"),)),
        Message("tool", "2", tool_call_id="c1"),
    )
    request = ChatRequest((*REQUEST.messages, *history), TOOLS, forced_tool="math-calculate", max_output_tokens=64)
    reply = await ask(model, stream=stream, request=request)
    assert reply.tool_calls == (ToolCall("c9", "math-calculate", '{"expression":  "1+1"}'),)
    assert (reply.text, reply.finish_reason) == ("Let me see. ", "tool_calls")
    sent = server.requests[0].body
    assert sent["tools"] == [TOOLS[0].to_wire()]
    assert sent["tool_choice"] == {"type": "function", "function": {"name": "math-calculate"}}
    assert sent["messages"] == without_nulls([message.to_wire() for message in request.messages])
    assert sent["max_tokens"] == 64
    assert server.refusals == []


async def test_equal_pieces_are_no_loop(model: ChatModel, server: ScriptedModelServer) -> None:
    """A long rule comes whole, although litellm by itself gives up at a hundred equal pieces."""
    server.script("main", [Reply("=" * 2_000, pieces=Pieces(16))])
    assert (await ask(model, stream=True)).text == "=" * 2_000


async def test_a_long_stream_lets_others_go_on(model: ChatModel, server: ScriptedModelServer) -> None:
    """The pieces of a reply that came all at once do not keep the event loop from everybody else."""
    server.script("main", [Reply("x" * 2_000, pieces=Pieces(1))])
    turns = [0]

    async def tick() -> None:
        while True:
            turns[0] += 1
            await asyncio.sleep(0)

    ticking = asyncio.create_task(tick())
    waits = [turns[0] async for _ in model.stream(REQUEST)]
    ticking.cancel()
    assert max(len(list(same)) for _, same in groupby(waits)) <= CHUNKS_PER_BREATH


async def test_a_stream_of_very_many_calls_is_not_asked_for_again(model: ChatModel, server: ScriptedModelServer) -> None:
    """More calls than are read of one reply: refused, since another try would cost the same."""
    server.script("main", [Reply(calls=[Call("a-b", "{}")] * (MAX_CALLS + 1))])
    with pytest.raises(ModelRefused, match="more than 1000 calls"):
        await ask(model, stream=True)


UNREADABLE = {
    "deep": Call("a-b", '{"x": ' * 3_000 + "1" + "}" * 3_000),
    "digits": Call("a-b", f'{{"x": {"9" * 9_000}}}'),
    "invented": Call("multi_tool_use.parallel", '{"tool_uses": [{"recipient_name": "functions.a-b", "parameters": {}}]}'),
    "invented wrongly": Call("multi_tool_use.parallel", '{"x": 1}'),
}


@BOTH
@pytest.mark.parametrize("call", UNREADABLE.values(), ids=UNREADABLE)
async def test_calls_arrive_as_written(model: ChatModel, server: ScriptedModelServer, call: Call, stream: bool) -> None:
    """Arguments that no reader takes, and a function that OpenAI's models invent, cost their call and not the whole reply."""
    calls = [call, Call("a-b", "{}")]
    server.script("main", [Reply(calls=calls)])
    reply = await ask(model, stream=stream)
    assert [(got.name, got.arguments) for got in reply.tool_calls] == [(sent.name, sent.arguments_text) for sent in calls]


@BOTH
async def test_an_id_that_is_all_signature_is_replaced(model: ChatModel, server: ScriptedModelServer, stream: bool) -> None:
    """litellm takes off what stands from `__thought__` on: nothing would be left, and the conversation could not go on."""
    server.script("main", [Reply(calls=[Call("a-b", "{}", "__thought__abc")]), Reply("Done.")])
    reply = await ask(model, stream=stream)
    assert [call.id for call in reply.tool_calls] == ["call_1"]
    done = (Message("assistant", tool_calls=reply.tool_calls), Message("tool", "1", tool_call_id=reply.tool_calls[0].id))
    assert (await ask(model, stream=stream, request=ChatRequest((*REQUEST.messages, *done)))).text == "Done."
    assert server.refusals == []


@BOTH
@pytest.mark.parametrize("status", [200, 400, 500])
async def test_a_failure_of_megabytes_lets_others_go_on(
    model: ChatModel, server: ScriptedModelServer, stream: bool, status: int
) -> None:
    """litellm would search it for secrets for 25 s, in which nothing else runs."""
    server.script("main", [Raw("x" * 5_000_000, status)])
    late = [0.0]

    async def tick() -> None:
        while True:
            began = time.monotonic()
            await asyncio.sleep(0.01)
            late.append(time.monotonic() - began)

    ticking = asyncio.create_task(tick())
    with pytest.raises(ModelError):
        await ask(model, stream=stream)
    ticking.cancel()
    assert max(late) < 5


async def test_a_providers_key_is_in_no_log(model: ChatModel, server: ScriptedModelServer) -> None:
    """A provider may quote the key that it was sent, wherever that key came from, also where the log cuts the text."""
    keys = ("sk-proj-abcdefghijklmnop", "AIzaSyabcdefghijklmnopqrstuv", "Bearer abcdefghijklmnop")
    for place in (0, 1_500, 1_850, 1_890, 1_895, 1_900, 1_905, 1_910):
        server.script("main", [HttpError(400, "." * place + " " + key) for key in keys])
        with capture_logs() as logs:
            for _ in keys:
                with pytest.raises(ModelRefused):
                    await ask(model, stream=False)
        assert len(logs) == len(keys)
        assert not [key for key in keys if key[:11] in str(logs).replace("Bearer ***", "")], place


@BOTH
@pytest.mark.parametrize("tokens", [10**20, 10**400], ids=["20 digits", "400 digits"])
async def test_an_absurd_usage_is_capped(model: ChatModel, server: ScriptedModelServer, stream: bool, tokens: int) -> None:
    """The answer arrives, its usage is what 64 bits hold easily."""
    server.script("main", [Reply("hello", usage=(tokens, tokens, 0))])
    reply = await ask(model, stream=stream)
    assert (reply.text, reply.usage.prompt_tokens, reply.usage.completion_tokens) == ("hello", MAX_COUNT, MAX_COUNT)


@pytest.mark.parametrize(
    "pieces",
    [
        Pieces(3, interleaved=True),
        Pieces(1, interleaved=True, ids="never", name_size=3),
        Pieces(3, interleaved=True, ids="every", indexes="never"),
        Pieces(4, ids="first", indexes="never"),
        Pieces(4, ids="first", indexes="first"),
        Pieces(4, ids="never", indexes="never"),
    ],
    ids=str,
)
async def test_three_calls_in_pieces(model: ChatModel, server: ScriptedModelServer, pieces: Pieces) -> None:
    """Case 46: interleaved, without ids, without indexes, names and arguments in tiny pieces: assembled right through litellm."""
    calls = [
        Call("math-calculate", {"expression": "1+1"}),
        Call("time-now", {"zone": "Asia/Tokyo"}),
        Call("math-convert", {"n": [1, 2]}),
    ]
    server.script("main", [Reply(calls=calls, pieces=pieces)])
    reply = await ask(model, stream=True)
    assert [(call.name, call.arguments) for call in reply.tool_calls] == [(call.name, call.arguments_text) for call in calls]
    assert len({call.id for call in reply.tool_calls} - {""}) == 3


@BOTH
async def test_ids_are_made_usable(model: ChatModel, server: ScriptedModelServer, stream: bool) -> None:
    """Empty ids, ids used twice and ids that the history holds already are replaced by the first free `call_<n>`."""
    calls = [Call("a-b", {"x": number}, id=call_id) for number, call_id in enumerate(["", "dup", "dup", "old"])]
    history = (Message("assistant", tool_calls=(ToolCall("old", "a-b", "{}"),)), Message("tool", "2", tool_call_id="old"))
    server.script("main", [Reply(calls=calls)])
    reply = await ask(model, stream=stream, request=ChatRequest((*REQUEST.messages, *history)))
    assert [call.id for call in reply.tool_calls] == ["call_1", "dup", "call_2", "call_3"]
    assert [call.arguments for call in reply.tool_calls] == [call.arguments_text for call in calls]


@BOTH
@pytest.mark.parametrize("reason", ["length", "tool_calls"])
async def test_arguments_that_were_cut_off(model: ChatModel, server: ScriptedModelServer, stream: bool, reason: str) -> None:
    """Case 47: the reason and the broken arguments arrive as they are."""
    server.script("main", [Reply(calls=[Call("math-calculate", '{"expression": "1+')], finish_reason=reason)])
    reply = await ask(model, stream=stream)
    assert reply.finish_reason == reason
    assert reply.tool_calls[0].arguments == '{"expression": "1+'


@BOTH
async def test_an_empty_answer_is_an_answer(model: ChatModel, server: ScriptedModelServer, stream: bool) -> None:
    """A reply with neither text nor calls is an empty text; what it means is the turn's business."""
    server.script("main", [Reply("")])
    reply = await ask(model, stream=stream)
    assert (reply.text, reply.tool_calls, reply.finish_reason) == ("", (), "stop")


FAILURES: Sequence[tuple[Answer, type[ModelError]]] = [
    *((HttpError(status), ModelRefused) for status in (400, 401, 403, 404, 422)),
    *((HttpError(status), ModelUnavailable) for status in (500, 502, 503)),
    (HttpError(429, retry_after=3), ModelRateLimited),
    (TOO_LONG, ContextWindowExceeded),
    (JUNK, ModelUnavailable),
    (Raw(""), ModelUnavailable),
    (Raw("[]"), ModelUnavailable),
    (Raw('{"choices": [{}]}'), ModelUnavailable),
    (EMPTY_CHOICES, ModelUnavailable),
    (Disconnect(), ModelUnavailable),
    (Cut(Reply("hello")), ModelUnavailable),
    (Cut(Reply("hello"), 0), ModelUnavailable),
]


@BOTH
@pytest.mark.parametrize("failure", FAILURES, ids=[str(answer)[:60] for answer, _ in FAILURES])
async def test_every_failure_is_a_model_error(
    model: ChatModel,
    server: ScriptedModelServer,
    capsys: pytest.CaptureFixture[str],
    failure: tuple[Answer, type[ModelError]],
    stream: bool,
) -> None:
    """Case 14: each kind of failure has its error; one request was made; nothing private is in it.

    Case 20: nothing is printed, and what is logged is logged at debug level only, without the key.
    """
    answer, kind = failure
    server.script("main", [answer, Reply("a second attempt nobody asked for")])
    with capture_logs() as logs, pytest.raises(kind) as raised:
        await ask(model, stream=stream)
    assert type(raised.value) is kind
    assert len(server.requests) == 1
    private = ("sk-very-secret", server.url, "127.0.0.1", SECRET_WORDS, "scripted failure")
    assert not [secret for secret in private if secret in str(raised.value)]
    assert {entry["log_level"] for entry in logs} <= {"debug"}
    assert not [secret for secret in ("sk-very-secret", SECRET_WORDS) if secret in str(logs)]
    assert capsys.readouterr() == ("", "")


async def test_retry_after_is_passed_on(model: ChatModel, server: ScriptedModelServer) -> None:
    """The provider's Retry-After reaches whoever retries."""
    server.script("main", [HttpError(429, retry_after=3)])
    with pytest.raises(ModelRateLimited) as raised:
        await model.complete(REQUEST)
    assert raised.value.retry_after == 3.0


def event(*choices: JsonObject) -> bytes:
    chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": list(choices)}
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"


HEL = event({"index": 0, "delta": {"content": "hel"}})
ODD_STREAMS = {
    "ends without a reason": HEL,
    "an error as an event": HEL + b'data: {"error": {"message": "overloaded", "code": 529}}\n\n',
    "broken JSON as an event": HEL + b"data: {broken\n\n",
    "no choices": event() + b"data: [DONE]\n\n",
}


@pytest.mark.parametrize("events", ODD_STREAMS.values(), ids=ODD_STREAMS)
async def test_a_stream_that_goes_wrong_in_an_orderly_way(model: ChatModel, server: ScriptedModelServer, events: bytes) -> None:
    """A stream that ends, errs or turns to junk without a broken connection is no reply either."""
    server.script("main", [Raw(events, content_type="text/event-stream")])
    with pytest.raises(ModelUnavailable):
        await collect(model)


@BOTH
@pytest.mark.parametrize("answer", [Hang(30), Drip(Reply("hello"), 0.02)], ids=["hang", "drip"])
async def test_an_attempt_has_a_deadline_of_its_own(
    library: LiteLLM, server: ScriptedModelServer, spec: ModelSpec, answer: Answer, stream: bool
) -> None:
    """Case 14: neither silence nor a byte now and then keeps an attempt alive beyond its time."""
    server.script("main", [answer])
    with pytest.raises(ModelTimeout):
        await ask(library.model(replace(spec, timeout=0.2)), stream=stream)
    assert len(server.requests) <= 1


@BOTH
async def test_nobody_listens(library: LiteLLM, spec: ModelSpec, stream: bool, unused_tcp_port: int) -> None:
    """A refused connection: the model is unavailable, and the address is not told."""
    unreachable = library.model(replace(spec, api_base=f"http://user:password@127.0.0.1:{unused_tcp_port}/v1"))
    with pytest.raises(ModelUnavailable) as raised:
        await ask(unreachable, stream=stream)
    assert not [part for part in ("password", str(unused_tcp_port)) if part in str(raised.value)]


async def test_cancelling_closes_the_connection(model: ChatModel, server: ScriptedModelServer) -> None:
    """Case 48: a cancelled attempt really ends, and the next one works."""
    server.script("main", [Hang(30), Reply("next")])
    task = asyncio.create_task(model.complete(REQUEST))
    await server.arrived.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await model.complete(REQUEST)).text == "next"


async def test_leaving_a_stream_early(model: ChatModel, server: ScriptedModelServer) -> None:
    """A consumer may stop after the first piece; the next request works."""
    server.script("main", [Drip(Reply("abc" * 50, pieces=Pieces(1)), 0.0), Reply("next")])
    stream = model.stream(REQUEST)
    assert isinstance(stream, AsyncGenerator)
    async with aclosing(stream):
        assert await anext(stream) == TextDelta("a")
    assert (await model.complete(REQUEST)).text == "next"


async def test_a_server_of_ones_own_gets_no_key_of_a_provider(
    library: LiteLLM, server: ScriptedModelServer, spec: ModelSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a key for the server, the one in the environment stays there."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-environment")
    server.script("main", [Reply("ok")])
    await library.model(replace(spec, api_key=None)).complete(REQUEST)
    assert server.requests[0].headers["authorization"] == "Bearer none"


async def test_no_key_at_all(library: LiteLLM, monkeypatch: pytest.MonkeyPatch) -> None:
    """A provider's model without a key is refused, not retried, before anything is sent."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ModelRefused):
        await library.model(ModelSpec("openai/main")).complete(REQUEST)
    with pytest.raises(ModelRefused):
        await library.model(ModelSpec("no-such-provider/x")).complete(REQUEST)


async def test_settings_of_a_model(library: LiteLLM, server: ScriptedModelServer, spec: ModelSpec) -> None:
    """Extra parameters and the longest reply are sent; a request's own limit wins."""
    server.script("main", [Reply("ok"), Reply("ok")])
    model = library.model(replace(spec, max_output_tokens=100, extra={"temperature": 0.5}))
    await model.complete(REQUEST)
    await model.complete(replace(REQUEST, max_output_tokens=10))
    first, second = server.bodies("main")
    assert (first["max_tokens"], first["temperature"]) == (100, 0.5)
    assert second["max_tokens"] == 10


async def test_a_history_with_broken_calls_is_sent_in_a_form_that_providers_take(
    model: ChatModel, server: ScriptedModelServer
) -> None:
    """A name with a dot and arguments that do not parse do not make the provider refuse the whole conversation."""
    server.script("main", [Reply("ok")])
    broken = (
        Message("assistant", tool_calls=(ToolCall("c", "web.search", '{"q'),)),
        Message("tool", "unknown", tool_call_id="c"),
    )
    await model.complete(ChatRequest((*REQUEST.messages, *broken), TOOLS))
    assert server.refusals == []


@BOTH
async def test_models_in_order_over_the_wire(
    library: LiteLLM, server: ScriptedModelServer, spec: ModelSpec, stream: bool
) -> None:
    """Case 45: the first model of the list answers 503 until it is given up, the second serves and is named."""
    failed: list[tuple[str, str]] = []

    class Log:
        def attempt_failed(self, model: str, error: ModelError) -> None:
            failed.append((model, error.code))

    server.script("first", [HttpError(503), Cut(Reply("")), HttpError(429)])
    server.script("main", [Reply("served")])
    models = [library.model(replace(spec, name="openai/first")), library.model(spec)]
    reply = await ask(ResilientModel(models, timeout=20.0, observer=Log(), waits=Waits(0, 0, 0)), stream=stream)
    assert (reply.text, reply.model) == ("served", "openai/main")
    assert [code for _, code in failed] == ["model_unavailable", "model_unavailable", "model_rate_limited"]
    assert {name for name, _ in failed} == {"openai/first"}


async def test_many_at_once(model: ChatModel, server: ScriptedModelServer) -> None:
    """Concurrent requests do not mix up."""
    server.script("main", [Reply(str(number)) for number in range(20)])
    replies = await asyncio.gather(*(model.complete(REQUEST) for _ in range(20)))
    assert sorted(int(reply.text) for reply in replies) == list(range(20))


async def test_it_works_again_after_closing(library: LiteLLM, model: ChatModel, server: ScriptedModelServer) -> None:
    """Closing drops litellm's clients; a later request makes new ones."""
    server.script("main", [Reply("one"), Reply("two")])
    await model.complete(REQUEST)
    await library.close()
    assert (await model.complete(REQUEST)).text == "two"


def test_what_loading_leaves_behind(loaded: LiteLLM) -> None:
    """The garbage collector is on again, and litellm was told to keep to itself."""
    assert loaded.loaded
    assert gc.isenabled()
    assert os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] == "True"
    assert sys.modules["litellm"].suppress_debug_info


@pytest.fixture(autouse=True)
def _no_leftovers() -> Iterator[None]:
    """Sessions that were not closed warn when they are collected: collect while the test can still fail."""
    yield
    gc.collect()


@pytest.mark.parametrize(
    ("name", "window"),
    [
        ("openai/gpt-4o", 128_000),
        ("gpt-4o", 128_000),
        ("azure/gpt-4o", 128_000),
        ("openai/gpt-3.5-turbo", 16_385),
        ("anthropic/claude-sonnet-4-5", 200_000),
        ("openai/main", None),
        ("hosted_vllm/gpt-4o", None),  # a server of one's own decides itself how much it takes
        ("ollama/gpt-4o", None),
        ("sample_spec", None),
        ("", None),
    ],
)
def test_windows_that_litellm_knows(loaded: LiteLLM, name: str, window: int | None) -> None:
    """By the very model, or by its bare name where the provider is the same."""
    assert loaded.find_window(name) == window
    assert LiteLLM().find_window(name) is None  # not loaded


@BOTH
async def test_names_that_a_family_refuses_are_sent_otherwise_and_come_back(
    library: LiteLLM, server: ScriptedModelServer, spec: ModelSpec, stream: bool
) -> None:
    """hostile A: a digit first is nothing for Gemini: tools, choice and history hold another name, the reply the own one."""
    server.script("gemini-9", [Reply(calls=[Call("T_3d-render", {}), Call("math-calculate", {}), Call("3d-turn", {})])])
    tools = (ToolDefinition("3d-render", "Render.", {"type": "object", "properties": {}}), *TOOLS)
    history = (Message("assistant", tool_calls=(ToolCall("c1", "3d-render", "{}"),)), Message("tool", "ok", tool_call_id="c1"))
    request = ChatRequest((*REQUEST.messages, *history), tools, forced_tool="3d-render")
    reply = await ask(library.model(replace(spec, name="openai/gemini-9")), stream=stream, request=request)
    assert [call.name for call in reply.tool_calls] == ["3d-render", "math-calculate", "3d-turn"]
    sent = server.requests[0].body
    assert [tool["function"]["name"] for tool in sent["tools"]] == ["T_3d-render", "math-calculate"]
    assert sent["tool_choice"]["function"]["name"] == "T_3d-render"
    assert sent["messages"][2]["tool_calls"][0]["function"]["name"] == "T_3d-render"
    assert server.refusals == []


@BOTH
async def test_the_family_that_an_operator_names_decides_names_too(
    library: LiteLLM, server: ScriptedModelServer, spec: ModelSpec, stream: bool
) -> None:
    """As it decides the schemas: one profile for one request."""
    server.script("main", [Reply(calls=[Call("T_3d-render", {})])])
    tools = (ToolDefinition("3d-render", "Render.", {"type": "object", "properties": {}}),)
    model = library.model(replace(spec, family=PROFILES["gemini"]))
    reply = await ask(model, stream=stream, request=replace(REQUEST, tools=tools))
    assert [call.name for call in reply.tool_calls] == ["3d-render"]
    assert [tool["function"]["name"] for tool in server.requests[0].body["tools"]] == ["T_3d-render"]


@BOTH
async def test_each_model_in_order_is_sent_the_names_of_its_own_family(
    library: LiteLLM, server: ScriptedModelServer, spec: ModelSpec, stream: bool
) -> None:
    """hostile A: the first model takes a digit first and fails, the second does not take it; the reply names the skill."""
    server.script("gpt-9", [HttpError(503)] * 3)
    server.script("gemini-9", [Reply(calls=[Call("T_3d-render", {})])])
    request = replace(REQUEST, tools=(ToolDefinition("3d-render", "Render.", {"type": "object", "properties": {}}),))
    models = [library.model(replace(spec, name=f"openai/{name}")) for name in ("gpt-9", "gemini-9")]
    chain = ResilientModel(models, timeout=20.0, observer=NoObserver(), waits=Waits(0, 0, 0))
    reply = await ask(chain, stream=stream, request=request)
    assert [call.name for call in reply.tool_calls] == ["3d-render"]
    names = {model: server.bodies(model)[0]["tools"][0]["function"]["name"] for model in ("gpt-9", "gemini-9")}
    assert names == {"gpt-9": "3d-render", "gemini-9": "T_3d-render"}
