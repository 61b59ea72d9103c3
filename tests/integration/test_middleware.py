"""What surrounds every handler, over real sockets."""

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Callable, Iterator

import aiohttp
import pytest
import structlog
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from pydantic import BaseModel, ConfigDict
from structlog.testing import LogCapture
from structlog.typing import EventDict

from apps.sdk.chat import ModelRateLimited, ModelTimeout
from apps.sdk.jsontypes import JsonObject
from service.http.json_body import read_json
from service.http.middleware import init_app
from service.http.middleware.draining import Drain
from service.http.problems import KeyInUse, NotFound
from service.metrics import Metrics
from service.store.errors import StoreUnavailable

LIMIT = 4_096
SECRET = "the user's own words"
Client = TestClient[web.Request, web.Application]


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    count: int


RAISED: dict[str, Callable[[], Exception]] = {
    "problem": lambda: NotFound("There is no app 'x'."),
    "in-use": lambda: KeyInUse(3),
    "timeout": lambda: ModelTimeout("gpt-x", SECRET),
    "rate": lambda: ModelRateLimited("gpt-x", SECRET),
    "store": lambda: StoreUnavailable("disk full"),
    "bug": lambda: RuntimeError(SECRET),
    "asyncio": TimeoutError,
    "teapot": web.HTTPUnauthorized,
    "redirect": lambda: web.HTTPFound("/elsewhere"),
}


async def raise_named(request: web.Request) -> web.Response:
    error = RAISED[request.match_info["name"]]()
    raise error


async def echo(request: web.Request) -> web.Response:
    body = await read_json(request, Body)
    structlog.get_logger("handler").info("inside")
    return web.json_response({"count": body.count})


async def stream(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-cache"})
    await response.prepare(request)
    await response.write(b"data: 1\n\n")
    if "break" in request.query:
        raise RuntimeError("in the middle")
    return response


async def hang(request: web.Request) -> web.Response:
    request.app[HANGING].set()
    await asyncio.sleep(60)
    return web.Response()


HANGING = web.AppKey("hanging", asyncio.Event)


@pytest.fixture
def metrics() -> Metrics:
    return Metrics()


@pytest.fixture
def drain() -> Drain:
    return Drain(retry_after=7)


@pytest.fixture
async def client(metrics: Metrics, drain: Drain) -> AsyncIterator[Client]:
    app = init_app(web.Application(client_max_size=LIMIT), metrics=metrics, drain=drain)
    app[HANGING] = asyncio.Event()
    app.router.add_get("/raise/{name}", raise_named)
    app.router.add_post("/echo", echo)
    app.router.add_get("/stream", stream)
    app.router.add_get("/hang", hang)
    async with TestClient(TestServer(app)) as opened:
        yield opened


@pytest.fixture
def logged() -> Iterator[list[EventDict]]:
    capture = LogCapture()
    structlog.configure(processors=[structlog.contextvars.merge_contextvars, capture])
    yield capture.entries
    structlog.reset_defaults()


async def problem_of(response: aiohttp.ClientResponse) -> JsonObject:
    assert response.content_type == "application/problem+json"
    problem: JsonObject = json.loads(await response.read())
    assert problem["status"] == response.status
    assert problem["type"] == f"urn:shortlist:problem:{problem['code']}"
    assert problem["instance"] == response.headers["X-Request-ID"]
    return problem


async def wait_for(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.005)


# --- problems


@pytest.mark.parametrize(
    ("name", "status", "code"),
    [
        ("problem", 404, "not_found"),
        ("in-use", 409, "idempotency_key_in_use"),
        ("timeout", 504, "model_timeout"),
        ("rate", 503, "model_rate_limited"),
        ("store", 503, "store_unavailable"),
        ("bug", 500, "internal_error"),
        ("asyncio", 500, "internal_error"),
        ("teapot", 401, "http_401"),
    ],
)
async def test_whatever_is_raised_becomes_a_problem(client: Client, name: str, status: int, code: str) -> None:
    """Problems, model errors, store errors, aiohttp's own and bugs are answered as problem details, and tell no internals."""
    async with client.get(f"/raise/{name}") as response:
        problem = await problem_of(response)
        assert (response.status, problem["code"]) == (status, code)
        assert SECRET not in await response.text()
        assert "disk full" not in await response.text()
        assert response.headers.get("Retry-After") == (str(problem["retry_after"]) if "retry_after" in problem else None)


async def test_a_bug_is_logged_under_the_requests_id(client: Client, logged: list[EventDict]) -> None:
    """The caller gets the request's id; the log has the exception under it."""
    async with client.get("/raise/bug", headers={"X-Request-ID": "req-7"}) as response:
        assert (await problem_of(response))["instance"] == "req-7"
    (line,) = [line for line in logged if line["event"] == "unexpected_error"]
    assert line["request_id"] == "req-7"
    assert isinstance(line["exc_info"], RuntimeError)


async def test_unknown_paths_and_methods_are_problems(client: Client) -> None:
    """404 and 405 are problem details; 405 keeps Allow and says what is allowed."""
    async with client.get("/nowhere") as response:
        assert (await problem_of(response))["code"] == "not_found"
    async with client.delete("/echo") as response:
        problem = await problem_of(response)
        assert (problem["code"], problem["allowed"], response.headers["Allow"]) == ("method_not_allowed", ["POST"], "POST")


async def test_a_redirect_is_no_problem(client: Client) -> None:
    """What aiohttp raises below 400 passes."""
    async with client.get("/raise/redirect", allow_redirects=False) as response:
        assert (response.status, response.headers["Location"]) == (302, "/elsewhere")


@pytest.mark.parametrize(
    ("data", "headers", "status", "code"),
    [
        (b'{"count": 1}', {}, 415, "unsupported_media_type"),
        (b'{"count": 1}', {"Content-Type": "text/plain"}, 415, "unsupported_media_type"),
        (b'{"count": 1}', {"Content-Type": "application/json; charset=utf-16"}, 415, "unsupported_media_type"),
        (b"", {"Content-Type": "application/json"}, 400, "malformed_body"),
        (b'{"count": ', {"Content-Type": "application/json"}, 400, "malformed_body"),
        (b"[" * LIMIT, {"Content-Type": "application/json"}, 400, "malformed_body"),
        (b'{"count": "1"}', {"Content-Type": "application/json"}, 422, "invalid_request"),
        (b" " * (LIMIT + 1), {"Content-Type": "application/json"}, 413, "body_too_large"),
        (
            gzip.compress(b" " * 1_000_000),
            {"Content-Type": "application/json", "Content-Encoding": "gzip"},
            413,
            "body_too_large",
        ),
        (b"no gzip", {"Content-Type": "application/json", "Content-Encoding": "gzip"}, 400, "malformed_body"),
    ],
)
async def test_bad_bodies(client: Client, data: bytes, headers: dict[str, str], status: int, code: str) -> None:
    """Each kind of bad body has its problem; the size limit is named and holds for what a compressed body unpacks to."""
    async with client.post("/echo", data=data, headers=headers) as response:
        problem = await problem_of(response)
        assert (response.status, problem["code"]) == (status, code)
        if status == 413:
            assert problem["limit"] == LIMIT
        if status == 422:
            assert problem["errors"] == [{"pointer": "/count", "message": "Input should be a valid integer"}]


async def test_good_bodies(client: Client) -> None:
    """JSON under a name of its own, and compressed, is read as well."""
    for headers, data in (
        ({"Content-Type": "application/vnd.x+json"}, b'{"count": 2}'),
        ({"Content-Type": "application/json", "Content-Encoding": "gzip"}, gzip.compress(b'{"count": 2}')),
    ):
        async with client.post("/echo", data=data, headers=headers) as response:
            assert await response.json() == {"count": 2}


async def test_a_stream_that_breaks_cannot_be_taken_for_whole(client: Client, logged: list[EventDict]) -> None:
    """After the headers are gone an error ends the connection, so that the reader notices; it is logged."""

    async def read_all() -> None:
        async with client.get("/stream?break=1") as response:
            assert response.status == 200
            await response.read()

    with pytest.raises(aiohttp.ClientPayloadError):
        await read_all()
    await wait_for(lambda: any(line["event"] == "request" for line in logged))
    assert [line["event"] for line in logged] == ["stream_broken_off", "request"]


# --- ids and headers


async def test_ids_come_back_and_reach_every_log_line(client: Client, logged: list[EventDict]) -> None:
    """The client's request id and trace are echoed with a span of our own and bound to what a handler logs."""
    trace_id, parent = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
    headers = {"X-Request-ID": "req-1", "traceparent": f"00-{trace_id}-{parent}-01"}
    async with client.post("/echo", json={"count": 1}, headers=headers) as response:
        assert response.headers["X-Request-ID"] == "req-1"
        version, echoed, span, flags = response.headers["traceparent"].split("-")
        assert (version, echoed, flags) == ("00", trace_id, "01")
        assert span != parent
    assert [(line["event"], line["request_id"], line["trace_id"]) for line in logged] == [
        ("inside", "req-1", trace_id),
        ("request", "req-1", trace_id),
    ]


async def test_an_unsafe_id_is_not_echoed(client: Client) -> None:
    """A request without a usable id gets a new one, each its own."""
    seen = set()
    for headers in ({}, {"X-Request-ID": "a b"}, {"X-Request-ID": "x" * 500}, {"X-Request-ID": ""}):
        async with client.get("/stream", headers=headers) as response:
            seen.add(response.headers["X-Request-ID"])
    assert len(seen) == 4
    assert all(len(one) == 32 for one in seen)


async def test_every_answer_has_the_safe_headers(client: Client) -> None:
    """Also problems and streams; a handler's own Cache-Control stays."""
    for path, cache in (("/nowhere", "no-store"), ("/raise/bug", "no-store"), ("/stream", "no-cache")):
        async with client.get(path) as response:
            assert response.headers["X-Content-Type-Options"] == "nosniff"
            assert response.headers["Cache-Control"] == cache


# --- access log, metrics


async def test_the_access_log_tells_no_texts(client: Client, logged: list[EventDict]) -> None:
    """case 20: method, route template, status and time, but neither path nor query nor body."""
    async with client.get("/raise/problem?q=words-of-the-user") as response:
        assert response.status == 404
    async with client.get("/words-of-the-user") as response:
        assert response.status == 404
    async with client.request("PROPFIND", "/words-of-the-user") as response:
        assert response.status == 404
    lines = [line for line in logged if line["event"] == "request"]
    assert [(line["method"], line["route"], line["status"]) for line in lines] == [
        ("GET", "/raise/{name}", 404),
        ("GET", "unmatched", 404),
        ("OTHER", "unmatched", 404),
    ]
    assert all(line["ms"] >= 0 for line in lines)
    assert "words-of-the-user" not in repr(logged)


async def test_requests_are_counted_by_template(client: Client, metrics: Metrics) -> None:
    """case 20: the metrics' labels are templates, known methods and statuses."""
    for name in ("problem", "bug"):
        async with client.get(f"/raise/{name}"):
            pass
    text = metrics.render().decode()
    assert 'shortlist_http_requests_total{method="GET",route="/raise/{name}",status="404"} 1.0' in text
    assert 'shortlist_http_requests_total{method="GET",route="/raise/{name}",status="500"} 1.0' in text
    assert "problem" not in text


async def test_a_client_that_left_is_logged_and_counted(client: Client, metrics: Metrics, logged: list[EventDict]) -> None:
    """A client that hangs up cancels its handler; the log and the metrics have it as 499."""
    task = asyncio.create_task(client.get("/hang").__aenter__())
    await client.app[HANGING].wait()
    task.cancel()
    await wait_for(lambda: bool(logged))
    assert [(line["route"], line["status"]) for line in logged] == [("/hang", 499)]
    assert 'route="/hang",status="499"} 1.0' in metrics.render().decode()


# --- draining


async def test_no_new_work_while_draining(client: Client, drain: Drain) -> None:
    """POST gets 503 with Retry-After; reads, health among them, still answer."""
    drain.begin()
    assert drain.begun
    async with client.post("/echo", json={"count": 1}) as response:
        problem = await problem_of(response)
        assert (problem["code"], response.headers["Retry-After"]) == ("shutting_down", "7")
    async with client.get("/stream") as response:
        assert response.status == 200
