"""A turn's events as server-sent events."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import structlog
from aiohttp import ClientConnectionResetError, web

from service.http.idempotency import Recording
from service.http.problems import InternalProblem, describe_problem
from service.turns.events import HEARTBEAT, Emit, Event, encode_event

HEADERS = {"Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no"}


class EventStream:
    """Sends what `produce` emits, a comment when nothing happens for `heartbeat` seconds.

    `kept`: the events that a conversation keeps come with the ids that they have there, others without one, so that a client
    which comes back with the last id misses nothing; else ids count from 1. A client that reads nothing for `timeout` seconds
    is taken for gone. `last_words` end a stream that is cancelled.
    """

    def __init__(
        self,
        request: web.Request,
        recording: Recording,
        *,
        heartbeat: float,
        timeout: float,
        last_words: Event,
        kept: bool = False,
    ) -> None:
        self._request = request
        self._recording = recording
        self._heartbeat = heartbeat
        self._timeout = timeout
        self._last_words = last_words
        self._kept = kept
        self._count = 0
        self._queue: asyncio.Queue[Event | None] = asyncio.Queue()
        self._client_is_there = True

    async def send(self, produce: Callable[[Emit], Awaitable[None]]) -> web.StreamResponse:
        """Run `produce` to its end and send its events meanwhile; a client that has left does not stop it."""
        response = web.StreamResponse(headers=HEADERS)
        await self._reach_client(response.prepare(self._request))
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._run(produce))
                await self._forward(response)
        except asyncio.CancelledError:
            await self._write(response, self._encode(self._last_words))
            await self._write(response, None)
            raise
        return response

    async def drained(self) -> None:
        """Wait until what was emitted has been sent, or has found its client gone."""
        await self._queue.join()

    async def _run(self, produce: Callable[[Emit], Awaitable[None]]) -> None:
        try:
            await produce(self._queue.put_nowait)
        finally:
            self._queue.put_nowait(None)

    async def _forward(self, response: web.StreamResponse) -> None:
        while True:
            try:
                async with asyncio.timeout(self._heartbeat):
                    event = await self._queue.get()
            except TimeoutError:
                await self._write(response, HEARTBEAT)
                continue
            if event is None:
                break
            chunk = self._encode(event)
            self._recording.add(chunk)
            await self._write(response, chunk)
            self._queue.task_done()
        await self._write(response, None)

    def _encode(self, event: Event) -> bytes:
        self._count += 1
        event_id = event.id if self._kept else self._count
        try:
            return encode_event(event, event_id)
        except (TypeError, ValueError) as error:
            structlog.get_logger(__name__).error("event_unwritable", name=event.name, exc_info=error)
            self._recording.discard()
            return encode_event(Event("error", describe_problem(InternalProblem(), None)), event_id)

    async def _write(self, response: web.StreamResponse, chunk: bytes | None) -> None:
        """Send the chunk, or the end of the stream, unless the client has left."""
        if self._client_is_there:
            await self._reach_client(response.write_eof() if chunk is None else response.write(chunk))

    async def _reach_client(self, step: Awaitable[object]) -> None:
        """Await what sends something; when that fails, or takes too long, the client has left."""
        try:
            async with asyncio.timeout(self._timeout):
                await step
        except (ClientConnectionResetError, TimeoutError):
            self._client_is_there = False
            if self._request.transport is not None:
                self._request.transport.abort()
