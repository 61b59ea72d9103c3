"""`Idempotency-Key` over real sockets and a real store, on SQLite and PostgreSQL."""

import asyncio
from collections.abc import AsyncIterator, Callable

import aiohttp
import pytest
import sqlalchemy as sa
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from service.http.idempotency import IdempotentRoute, Recording
from service.http.middleware import init_app
from service.http.middleware.draining import Drain
from service.http.problems import NotFound
from service.metrics import Metrics
from service.store.database import Database
from service.store.idempotency import IdempotencyRecords

MAX_BODY = 1_000
Client = TestClient[web.Request, web.Application]


class Work:
    """Handlers that count how often they ran, and wait or fail as the body says."""

    def __init__(self, route: IdempotentRoute) -> None:
        self.route = route
        self.runs = 0
        self.going = asyncio.Event()
        self.gate = asyncio.Event()
        self.gate.set()

    async def post(self, request: web.Request) -> web.StreamResponse:
        return await self.route.run(request, lambda: self._produce(request))

    async def _produce(self, request: web.Request) -> web.Response:
        self.runs += 1
        self.going.set()
        await self.gate.wait()
        match await request.text():
            case "refused":
                raise NotFound("There is no such thing.")
            case "bug":
                raise RuntimeError
            case "failed":
                return web.json_response({"run": self.runs}, status=502)
            case "empty":
                return web.Response(status=204)
            case "large":
                return web.Response(body=b"x" * (MAX_BODY + 1), status=201)
            case _:
                return web.json_response({"run": self.runs, "é": "ü"}, status=201, headers={"Location": "/things/1"})

    async def stream(self, request: web.Request) -> web.StreamResponse:
        async def produce(recording: Recording) -> web.StreamResponse:
            self.runs += 1
            response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
            await response.prepare(request)
            for number in range(3):
                chunk = f"id: {number}\ndata: {self.runs}\n\n".encode()
                recording.add(chunk)
                await response.write(chunk)
            if await request.text() == "failed":
                recording.discard()
            return response

        return await self.route.run_stream(request, produce)


def identify(request: web.Request) -> tuple[str, str]:
    return "acme", request.headers.get("X-User-ID", "ann")


@pytest.fixture
def work(database: Database) -> Work:
    return Work(IdempotentRoute(IdempotencyRecords(database), identify=identify, lease=60, max_body=MAX_BODY))


@pytest.fixture
async def client(work: Work) -> AsyncIterator[Client]:
    app = init_app(web.Application(), metrics=Metrics(), drain=Drain())
    app.router.add_post("/work", work.post)
    app.router.add_post("/other", work.post)
    app.router.add_post("/stream", work.stream)
    async with TestClient(TestServer(app)) as opened:
        yield opened


async def send(
    client: Client, body: str = "", key: str | None = "k", path: str = "/work", user: str = "ann"
) -> tuple[int, bytes, aiohttp.ClientResponse]:
    headers = {"X-User-ID": user, **({} if key is None else {"Idempotency-Key": key})}
    async with client.post(path, data=body, headers=headers) as response:
        return response.status, await response.read(), response


async def wait_for(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.005)


async def test_a_repeated_request_is_answered_byte_for_byte(client: Client, work: Work) -> None:
    """The same key, path and body: same status, body and headers, marked as replayed, under a request id of its own."""
    status, body, first = await send(client, "hello")
    again, same, second = await send(client, "hello")
    assert (status, again, body, work.runs) == (201, 201, same, 1)
    assert "Idempotency-Replayed" not in first.headers
    assert second.headers["Idempotency-Replayed"] == "true"
    for name in ("Content-Type", "Location", "Content-Length"):
        assert first.headers[name] == second.headers[name]
    assert first.headers["X-Request-ID"] != second.headers["X-Request-ID"]


async def test_without_a_key_every_request_runs(client: Client, work: Work) -> None:
    """The header is optional."""
    assert [(await send(client, "hello", key=None))[0] for _ in range(2)] == [201, 201]
    assert work.runs == 2


async def test_twenty_at_once_run_once(client: Client, work: Work) -> None:
    """Of twenty simultaneous requests with one key one runs; the others, and one with another body, are refused."""
    work.gate.clear()
    tasks = [asyncio.create_task(send(client, "hello")) for _ in range(20)]
    await wait_for(lambda: sum(task.done() for task in tasks) == 19)
    assert (await send(client, "bye"))[0] == 422
    refused = [task.result() for task in tasks if task.done()]
    assert {status for status, _, _ in refused} == {409}
    assert all(
        b"idempotency_key_in_use" in body and 1 <= int(response.headers["Retry-After"]) <= 5 for _, body, response in refused
    )
    work.gate.set()
    answers = await asyncio.gather(*tasks)
    assert sorted(status for status, _, _ in answers) == [201] + [409] * 19
    assert work.runs == 1
    assert (await send(client, "hello"))[2].headers["Idempotency-Replayed"] == "true"


async def test_another_request_with_the_key_is_refused(client: Client, work: Work) -> None:
    """Another body or another path: 422; another user's same key is another key."""
    await send(client, "hello")
    for body, path in (("bye", "/work"), ("hello", "/other"), ("hello", "/work?x=1")):
        status, answer, _ = await send(client, body, path=path)
        assert (status, b"idempotency_key_reused" in answer) == (422, True)
    assert (await send(client, "bye", user="bob"))[0] == 201
    assert work.runs == 2


@pytest.mark.parametrize("key", ["", "x" * 201, "a b", "é"])
async def test_a_key_must_be_visible_ascii(client: Client, work: Work, key: str) -> None:
    """An empty, too long or odd key is a 400 that says what a key is, and nothing runs."""
    status, body, _ = await send(client, "hello", key=key)
    assert (status, b"invalid_header" in body, work.runs) == (400, True, 0)


async def test_two_keys_are_refused(client: Client) -> None:
    """A request with two keys is ambiguous."""
    headers = [("Idempotency-Key", "a"), ("Idempotency-Key", "b")]
    async with client.post("/work", data="hello", headers=headers) as response:
        assert response.status == 400


@pytest.mark.parametrize(("body", "status"), [("refused", 404), ("bug", 500), ("failed", 502)])
async def test_failures_and_refusals_may_run_again(client: Client, work: Work, body: str, status: int) -> None:
    """A raised problem, a bug and a status from 500 are not kept; the key is free at once, for a corrected body too."""
    for runs in (1, 2):
        assert (await send(client, body))[0] == status
        assert work.runs == runs
    assert (await send(client, "corrected"))[0] == 201


async def test_an_empty_answer_is_replayed(client: Client, work: Work) -> None:
    """204 without a body is an answer like any other."""
    assert [(await send(client, "empty"))[:2] for _ in range(2)] == [(204, b""), (204, b"")]
    assert work.runs == 1


async def test_an_answer_too_large_to_keep_says_so(client: Client, work: Work) -> None:
    """The first caller gets it whole; a retry learns that it is done, with which status, and does not run it again."""
    status, body, _ = await send(client, "large")
    assert (status, len(body)) == (201, MAX_BODY + 1)
    status, body, _ = await send(client, "large")
    assert (status, work.runs) == (409, 1)
    assert b'"code":"response_not_stored","original_status":201,"limit":1000' in body


async def test_a_cancelled_run_frees_its_key(client: Client, work: Work) -> None:
    """case 48: a client that leaves cancels its run; the same key may run again."""
    work.gate.clear()
    task = asyncio.create_task(send(client, "hello"))
    await work.going.wait()
    task.cancel()
    work.gate.set()

    async def retry() -> int:
        async with asyncio.timeout(5):
            while (status := (await send(client, "hello"))[0]) == 409:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        return status

    assert await retry() == 201


async def test_a_stream_is_replayed_whole(client: Client, work: Work) -> None:
    """A streamed answer comes again byte for byte with its media type; one that was discarded runs again."""
    status, body, first = await send(client, path="/stream")
    again, same, second = await send(client, path="/stream")
    assert (status, again, body, work.runs) == (200, 200, same, 1)
    assert first.headers["Content-Type"] == second.headers["Content-Type"] == "text/event-stream"
    assert second.headers["Idempotency-Replayed"] == "true"
    for _ in range(2):
        await send(client, "failed", key="f", path="/stream")
    assert work.runs == 3


async def test_a_store_that_fails_at_the_end_does_not_take_the_answer(client: Client, work: Work, database: Database) -> None:
    """When the answer cannot be kept it is still given; when the key cannot be taken nothing runs."""
    work.gate.clear()
    task = asyncio.create_task(send(client, "hello"))
    await work.going.wait()
    await database.write(lambda connection: connection.execute(sa.text("DROP TABLE idempotency_records")))
    work.gate.set()
    assert (await task)[0] == 201
    status, body, _ = await send(client, "hello")
    assert (status, b"store_unavailable" in body, work.runs) == (503, True, 1)


async def test_purging_goes_on_when_the_store_fails(database: Database) -> None:
    """The background task survives a database that does not answer and ends when it is cancelled."""
    route = IdempotentRoute(IdempotencyRecords(database), identify=identify, lease=60)
    await database.write(lambda connection: connection.execute(sa.text("DROP TABLE idempotency_records")))
    task = asyncio.create_task(route.purge_forever(0.01))
    await asyncio.sleep(0.05)
    assert not task.done()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_recordings_hold_no_more_than_their_limit() -> None:
    """Over the limit the pieces are let go at once, whatever comes afterwards."""
    recording = Recording(5)
    recording.add(b"abc")
    assert recording.body == b"abc"
    recording.add(b"def")
    recording.add(b"g")
    assert recording.body is None
