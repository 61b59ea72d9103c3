"""Streams whose client has left, over real sockets."""

from __future__ import annotations

import asyncio

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from service.http.idempotency import Recording
from service.http.sse import EventStream
from service.turns.events import Emit, Event
from tests.e2e.lab import read_events, wait_until

LAST_WORDS = Event("error", {"code": "shutting_down"})


@pytest.mark.parametrize("events_before", [None, 0, 1], ids=["before the headers", "before an event", "after an event"])
async def test_a_client_that_has_left_does_not_stop_the_work(events_before: int | None) -> None:
    """Wherever it leaves, the work ends and everything that it told is recorded."""
    recording, told = Recording(), asyncio.Event()
    tasks: list[asyncio.Task[web.StreamResponse]] = []

    async def handle(request: web.Request) -> web.StreamResponse:
        async def wait_for_leaving() -> None:
            told.set()
            await wait_until(lambda: request.transport is None)

        async def produce(emit: Emit) -> None:
            if events_before is not None:
                for number in range(events_before):
                    emit(Event("text.delta", {"text": str(number)}))
                await wait_for_leaving()
            emit(Event("turn.finished", {}))

        async def work() -> web.StreamResponse:
            if events_before is None:
                await wait_for_leaving()
            stream = EventStream(request, recording, heartbeat=5, timeout=5, last_words=LAST_WORDS)
            return await stream.send(produce)

        tasks.append(asyncio.create_task(work()))
        return await asyncio.shield(tasks[0])

    app = web.Application()
    app.router.add_post("/", handle)
    async with TestServer(app) as server:
        _, writer = await asyncio.open_connection(server.host, server.port)
        writer.write(b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 0\r\n\r\n")
        await told.wait()
        writer.close()
        await asyncio.wait_for(tasks[0], 10)
    assert recording.body is not None
    names = [name for name, _ in read_events(recording.body.decode())]
    assert names == ["text.delta"] * (events_before or 0) + ["turn.finished"]


async def test_an_event_that_cannot_be_written_ends_in_an_error_event() -> None:
    """The client is told, and nothing of it is kept for a replay."""
    recording = Recording()

    async def handle(request: web.Request) -> web.StreamResponse:
        async def produce(emit: Emit) -> None:
            emit(Event("usage", {"prompt_tokens": 10**30}))

        return await EventStream(request, recording, heartbeat=5, timeout=5, last_words=LAST_WORDS).send(produce)

    app = web.Application()
    app.router.add_post("/", handle)
    async with TestServer(app) as server, aiohttp.ClientSession() as client, client.post(server.make_url("/")) as response:
        events = read_events(await response.text())
    assert [(name, data["code"]) for name, data in events] == [("error", "internal_error")]
    assert recording.discarded
