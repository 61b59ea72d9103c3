"""A turn's events as server-sent events."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from aiohttp import ClientConnectionResetError, web

from service.events import HEARTBEAT, Emit, Event, encode_event
from service.idempotency import Recording

HEADERS = {"Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no"}


class EventStream:
    """Sends what `produce` emits, each event with an id from 1, a comment when nothing happens for `heartbeat` seconds."""

    def __init__(self, request: web.Request, recording: Recording, *, heartbeat: float) -> None:
        self._request = request
        self._recording = recording
        self._heartbeat = heartbeat
        self._queue: asyncio.Queue[Event | None] = asyncio.Queue()
        self._client_is_there = True

    async def send(self, produce: Callable[[Emit], Awaitable[None]]) -> web.StreamResponse:
        """Run `produce` to its end and send its events meanwhile; a client that has left does not stop it."""
        response = web.StreamResponse(headers=HEADERS)
        await response.prepare(self._request)
        async with asyncio.TaskGroup() as group:
            group.create_task(self._run(produce))
            await self._forward(response)
        return response

    async def _run(self, produce: Callable[[Emit], Awaitable[None]]) -> None:
        try:
            await produce(self._queue.put_nowait)
        finally:
            self._queue.put_nowait(None)

    async def _forward(self, response: web.StreamResponse) -> None:
        event_id = 0
        while True:
            try:
                async with asyncio.timeout(self._heartbeat):
                    event = await self._queue.get()
            except TimeoutError:
                await self._write(response, HEARTBEAT)
                continue
            if event is None:
                break
            event_id += 1
            chunk = encode_event(event, event_id)
            self._recording.add(chunk)
            await self._write(response, chunk)
        if self._client_is_there:
            await response.write_eof()

    async def _write(self, response: web.StreamResponse, chunk: bytes) -> None:
        if not self._client_is_there:
            return
        try:
            await response.write(chunk)
        except ClientConnectionResetError:
            self._client_is_there = False
