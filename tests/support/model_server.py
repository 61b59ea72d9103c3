"""A scripted model behind real HTTP: the OpenAI chat completions wire format, streaming and not, able to misbehave.

    async with ScriptedModelServer() as server:
        server.script("main", [Reply(calls=[Call("math-calculate", {"expression": "1+1"})]), Reply("2")])
        ... a client with api_base=server.url and model "openai/main" ...
        server.requests[0].body

It refuses what a strict provider refuses (see wire_rules), so that our own mistakes surface. As a process of its own:

    python -m tests.support.model_server --port 0 --delay 0.05
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Self, assert_never

from aiohttp import web

from apps.sdk.jsontypes import Json, JsonObject
from tests.support.model_replies import (
    Answer,
    Call,
    Cut,
    Disconnect,
    Drip,
    Hang,
    HttpError,
    Plain,
    Raw,
    Reply,
    write_body,
    write_error,
    write_events,
)
from tests.support.wire_rules import find_fault

Handler = Callable[[JsonObject], Answer]


@dataclass(frozen=True, slots=True)
class Received:
    """One request as it came in. Header names are lower case."""

    body: JsonObject
    headers: Mapping[str, str]

    @property
    def model(self) -> str:
        return str(self.body.get("model"))


@dataclass(frozen=True, slots=True)
class _Delivery:
    """How bytes are sent: one per `interval` seconds, and only a `share` of them."""

    interval: float | None = None
    share: float = 1.0


class ScriptedModelServer:
    """Answers from a queue per model name (as on the wire, without litellm's provider prefix), then from `default`.

    `requests` is everything that came in, `arrived` is set by the first of them, `refusals` is what was refused as a strict
    provider would.
    """

    def __init__(self, *, default: Handler | None = None, strict: bool = True, delay: float = 0.0, port: int = 0) -> None:
        self.requests: list[Received] = []
        self.refusals: list[str] = []
        self.arrived = asyncio.Event()
        self.url = ""
        self._default = default
        self._strict = strict
        self._delay = delay
        self._port = port
        self._queues: dict[str, deque[Answer]] = defaultdict(deque)
        self._closing = asyncio.Event()
        self._runner: web.AppRunner | None = None

    def script(self, model: str, answers: Iterable[Answer]) -> None:
        """Append to the queue of `model`."""
        self._queues[model].extend(answers)

    def bodies(self, model: str) -> list[JsonObject]:
        """The bodies of all requests for `model`, in order."""
        return [request.body for request in self.requests if request.model == model]

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=64 * 1024**2)
        app.router.add_post("/v1/chat/completions", self._complete)
        self._runner = web.AppRunner(app, shutdown_timeout=0.2, access_log=None)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self._port).start()
        host, port = self._runner.addresses[0][:2]
        self.url = f"http://{host}:{port}/v1"
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        self._closing.set()
        if self._runner is not None:
            await self._runner.cleanup()

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        body: JsonObject = await request.json()
        self.requests.append(Received(body, {name.lower(): value for name, value in request.headers.items()}))
        self.arrived.set()
        await self._wait(self._delay)
        fault = find_fault(body) if self._strict else None
        if fault is not None:
            self.refusals.append(fault)
        answer = HttpError(400, fault) if fault else self._next_answer(body)
        return await self._send(request, body, answer)

    def _next_answer(self, body: JsonObject) -> Answer:
        queue = self._queues[str(body.get("model"))]
        if queue:
            return queue.popleft()
        if self._default is not None:
            return self._default(body)
        return HttpError(400, f"nothing is scripted for the model {body.get('model')!r}")

    async def _unwrap(self, answer: Answer) -> tuple[Plain, _Delivery]:
        delivery = _Delivery()
        while True:
            match answer:
                case Hang(seconds, then):
                    await self._wait(seconds)
                    answer = then
                case Drip(inner, interval):
                    delivery, answer = replace(delivery, interval=interval), inner
                case Cut(inner, share):
                    delivery, answer = replace(delivery, share=share), inner
                case _:
                    return answer, delivery

    async def _send(self, request: web.Request, body: JsonObject, answer: Answer) -> web.StreamResponse:
        plain, delivery = await self._unwrap(answer)
        match plain:
            case Disconnect():
                return _break(request, web.StreamResponse())
            case Reply():
                data, kind = self._write(plain, body)
                return await self._write_out(request, data, web.StreamResponse(headers={"Content-Type": kind}), delivery)
            case HttpError(status, _, _, retry_after):
                headers = {} if retry_after is None else {"Retry-After": f"{retry_after:g}"}
                return web.Response(body=write_error(plain), status=status, headers=headers, content_type="application/json")
            case Raw(_, status, kind):
                response = web.StreamResponse(status=status, headers={"Content-Type": kind})
                return await self._write_out(request, plain.bytes, response, delivery)
            case _:
                assert_never(plain)

    def _write(self, reply: Reply, body: JsonObject) -> tuple[bytes, str]:
        model, number = str(body.get("model")), len(self.requests)
        if not body.get("stream"):
            return write_body(reply, model, number), "application/json"
        with_usage = bool((body.get("stream_options") or {}).get("include_usage"))
        return write_events(reply, model, number, with_usage=with_usage), "text/event-stream"

    async def _write_out(
        self, request: web.Request, data: bytes, response: web.StreamResponse, delivery: _Delivery
    ) -> web.StreamResponse:
        sent = data[: int(len(data) * delivery.share)]
        step = 1 if delivery.interval is not None else len(sent) or 1
        with contextlib.suppress(ConnectionError):  # the client may leave at any time: that is what is being tested
            await response.prepare(request)
            for start in range(0, len(sent), step):
                await response.write(sent[start : start + step])
                await self._wait(delivery.interval or 0.0)
            if delivery.share == 1.0:
                await response.write_eof()
        return response if delivery.share == 1.0 else _break(request, response)

    async def _wait(self, seconds: float) -> None:
        """Sleep, but not past the server's end."""
        if seconds <= 0:
            return
        try:
            await asyncio.wait_for(self._closing.wait(), seconds)
        except TimeoutError:
            return


def _break(request: web.Request, response: web.StreamResponse) -> web.StreamResponse:
    """Close the connection as a crash would, without an orderly end of the body."""
    if request.transport is not None:
        request.transport.close()
    return response


def answer_plainly(body: JsonObject) -> Answer:
    """The built-in script: call the forced or the first tool once with minimal arguments, then answer in words."""
    tools = {tool["function"]["name"]: tool["function"].get("parameters", {}) for tool in body.get("tools", ())}
    choice = body.get("tool_choice")
    forced = choice["function"]["name"] if isinstance(choice, dict) else None
    if not tools or (forced is None and body["messages"][-1]["role"] == "tool"):
        return Reply("This is the scripted model's answer.")
    name = forced or next(iter(tools))
    return Reply(calls=[Call(name, fill_schema(tools[name]))])


def fill_schema(schema: JsonObject) -> Json:
    """A small value that fits a plain JSON Schema: the first of an enum, one item of an array, all properties of an object."""
    if "enum" in schema:
        return schema["enum"][0]
    match schema.get("type"):
        case "object":
            return {name: fill_schema(part) for name, part in schema.get("properties", {}).items()}
        case "array":
            return [fill_schema(schema["items"])] if "items" in schema else []
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return False
        case _:
            return "x"


async def serve(port: int, delay: float, *, strict: bool) -> None:
    """Serve the built-in script until cancelled; the URL is the first line of output."""
    async with ScriptedModelServer(default=answer_plainly, strict=strict, delay=delay, port=port) as server:
        print(server.url, flush=True)
        await asyncio.Event().wait()


def main() -> None:
    parser = argparse.ArgumentParser(description="A scripted model in OpenAI's wire format.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before each answer")
    parser.add_argument("--lax", action="store_true", help="accept what a strict provider refuses")
    options = parser.parse_args()
    try:
        asyncio.run(serve(options.port, options.delay, strict=not options.lax))
    except KeyboardInterrupt:
        return


if __name__ == "__main__":
    main()
