"""`Idempotency-Key`: a request that comes twice runs once.

A repeated request gets the first one's answer byte for byte, marked `Idempotency-Replayed: true`. While the first runs it gets
409 `idempotency_key_in_use`; with another method, path or body 422 `idempotency_key_reused`. Not kept, so that a retry runs
again: a refusal (a raised problem), a status from 500, and a run that was cancelled, for example because its client left.
An answer over the size limit is not kept either, but the request is done: the key then answers 409 `response_not_stored`.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Awaitable, Callable, Iterable
from typing import Final

import structlog
from aiohttp import web

from service.http.json_body import read_body
from service.http.problems import InvalidHeader, KeyInUse, KeyReused, ResponseNotStored
from service.store.errors import StoreError
from service.store.idempotency import IdempotencyRecords, KeyScope, Reused, Running, Started, StoredResponse

HEADER: Final = "Idempotency-Key"
REPLAYED: Final = "Idempotency-Replayed"
MAX_BODY: Final = 1024 * 1024
"""Bytes of an answer that is kept."""
POLL: Final = 5.0
"""Seconds after which a caller may ask again, at most, for a request that still runs."""
NOT_KEPT: Final = frozenset({
    "connection", "content-encoding", "content-length", "date", "keep-alive", "server", "traceparent", "transfer-encoding",
    "x-request-id",
})  # fmt: skip
"""Headers that belong to one exchange and are made anew when an answer is replayed."""

Recorded = Callable[["Recording"], Awaitable[web.StreamResponse]]
Identify = Callable[[web.Request], tuple[str, str]]
"""Gives a request's tenant and user."""


LEASE_MARGIN: Final = 60.0
"""Seconds beyond the time that a request may take after which a crashed one's key is free again."""


class Recording:
    """Collects the body of a streamed answer, up to the limit."""

    def __init__(self, limit: int = MAX_BODY) -> None:
        self._limit = limit
        self._chunks: list[bytes] = []
        self._size = 0
        self._discarded = False

    def add(self, chunk: bytes) -> None:
        """Note a piece that was, or would have been, sent."""
        self._size += len(chunk)
        if self._size <= self._limit:
            self._chunks.append(chunk)
        else:
            self._chunks.clear()

    def discard(self) -> None:
        """The stream ended in a failure: keep nothing, so that a retry runs again."""
        self._discarded = True

    @property
    def discarded(self) -> bool:
        return self._discarded

    @property
    def body(self) -> bytes | None:
        """All of it, or None when it is over the limit."""
        return b"".join(self._chunks) if self._size <= self._limit else None


class IdempotentRoute:
    """Runs handlers at most once per key. `lease`: seconds that no request outlives."""

    def __init__(self, records: IdempotencyRecords, *, identify: Identify, lease: float, max_body: int = MAX_BODY) -> None:
        self._records = records
        self._identify = identify
        self._lease = lease
        self._max_body = max_body

    async def run(
        self, request: web.Request, produce: Callable[[], Awaitable[web.Response]], *, lasts: float | None = None
    ) -> web.StreamResponse:
        """The answer of `produce`, or a replay. Raises `InvalidHeader`, `KeyInUse`, `KeyReused`, `ResponseNotStored`."""

        async def record(recording: Recording) -> web.Response:
            response = await produce()
            recording.add(_read_bytes(response))
            return response

        return await self.run_stream(request, record, lasts=lasts)

    async def run_stream(self, request: web.Request, produce: Recorded, *, lasts: float | None = None) -> web.StreamResponse:
        """The same for a handler that adds to the recording what it sends, and may discard it.

        `lasts`: seconds that this request takes at most, so that a crash frees its key sooner.
        """
        recording = Recording(self._max_body)
        started = await self.begin(request, lasts)
        if started is None:
            return await produce(recording)
        if isinstance(started, web.Response):
            return started
        try:
            response = await produce(recording)
        except BaseException:
            await self.abandon(started)
            raise
        await self._settle(started, response, recording)
        return response

    async def begin(self, request: web.Request, lasts: float | None = None) -> Started | web.Response | None:
        """None: there is no key, just run. A response: send it. `Started`: run, then `finish` or `abandon`."""
        key = read_key(request)
        if key is None:
            return None
        tenant, user = self._identify(request)
        digest = hash_request(request.method, request.raw_path, await read_body(request))
        outcome = await self._records.begin(KeyScope(tenant, user, key), digest, (lasts or self._lease) + LEASE_MARGIN)
        match outcome:
            case Started():
                return outcome
            case Running(seconds):
                raise KeyInUse(min(seconds, POLL))
            case Reused():
                raise KeyReused
            case StoredResponse():
                return self._replay(outcome)

    async def finish(self, started: Started, status: int, headers: Iterable[tuple[str, str]], body: bytes | None) -> None:
        """Keep the answer; `body` None = it is too large. A store that fails is logged: the answer itself is still good."""
        kept = tuple((name, value) for name, value in headers if name.lower() not in NOT_KEPT)
        too_large = body is not None and len(body) > self._max_body
        try:
            await self._records.finish(started, StoredResponse(status, kept, None if too_large else body))
        except StoreError as error:
            _log_failure("finish", error)

    async def abandon(self, started: Started) -> None:
        """Free the key. When the store fails, its lease frees it later."""
        try:
            await self._records.abandon(started)
        except StoreError as error:
            _log_failure("abandon", error)

    async def purge_forever(self, interval: float) -> None:
        """Delete what is over every `interval` seconds, until cancelled. A store that fails is tried again."""
        while True:
            try:
                await self._records.purge()
            except StoreError as error:
                _log_failure("purge", error)
            await asyncio.sleep(interval)

    async def _settle(self, started: Started, response: web.StreamResponse, recording: Recording) -> None:
        if recording.discarded or response.status >= 500:
            await self.abandon(started)
        else:
            await self.finish(started, response.status, response.headers.items(), recording.body)

    def _replay(self, stored: StoredResponse) -> web.Response:
        if stored.body is None:
            raise ResponseNotStored(stored.status, self._max_body)
        return web.Response(status=stored.status, body=stored.body, headers=[*stored.headers, (REPLAYED, "true")])


def read_key(request: web.Request) -> str | None:
    """The request's key, None without one. Raises `InvalidHeader`."""
    values = request.headers.getall(HEADER, [])
    if not values:
        return None
    if len(values) > 1 or not re.fullmatch(r"[\x21-\x7e]{1,200}", values[0]):
        raise InvalidHeader(HEADER, "given once, as 1 to 200 visible ASCII characters")
    return values[0]


def hash_request(method: str, path: str, body: bytes) -> str:
    """What makes two requests the same: SHA-256 over method, path with query, and body bytes."""
    return hashlib.sha256(f"{method}\n{path}\n".encode(errors="surrogateescape") + body).hexdigest()


def _read_bytes(response: web.Response) -> bytes:
    if response.body is None:
        return b""
    if not isinstance(response.body, bytes | bytearray):
        raise TypeError("An idempotent handler answers with bytes, or adds them to a recording.")
    return bytes(response.body)


def _log_failure(step: str, error: StoreError) -> None:
    structlog.get_logger(__name__).warning("idempotency_store_failed", step=step, error=str(error))
