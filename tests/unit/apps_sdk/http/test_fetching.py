"""One GET for a skill, from a real server."""

from __future__ import annotations

import asyncio
import gzip
import socket
from collections.abc import AsyncIterator, Callable

import pytest
from aiohttp import web
from aiohttp.test_utils import BaseTestServer, TestServer

from apps.sdk.http.errors import FetchFailed, FetchRefused, WrongStatus, WrongType
from apps.sdk.http.fetching import Fetched, fetch
from apps.sdk.skill import SkillContext, SkillRetry
from apps.sdk.testing import make_context


async def show(request: web.Request) -> web.Response:
    return web.json_response({"q": request.query.get("q"), "accept": request.headers.get("Accept")})


async def linger(_: web.Request) -> web.Response:
    await asyncio.sleep(20)
    return web.Response()


ANSWERS: dict[str, Callable[[], web.Response]] = {
    "geo": lambda: web.Response(text="[]", content_type="application/geo+json"),
    "latin": lambda: web.Response(body="Grüße".encode("latin-1"), headers={"Content-Type": "text/plain; charset=iso-8859-1"}),
    "large": lambda: web.Response(body=b"x" * 5_000),
    "bomb": lambda: web.Response(body=gzip.compress(b"x" * 5_000_000), headers={"Content-Encoding": "gzip"}),
    "not-gzip": lambda: web.Response(body=b"plain", headers={"Content-Encoding": "gzip"}),
    "moved": lambda: web.Response(status=302, headers={"Location": "/json?q=moved"}),
    "gone-away": lambda: web.Response(status=302, headers={"Location": "http://gone.example/"}),
    "nowhere": lambda: web.Response(status=302, headers={"Location": "ftp://x/"}),
}


async def answer(request: web.Request) -> web.Response:
    kind = request.match_info["kind"]
    return ANSWERS[kind]() if kind in ANSWERS else web.Response(status=int(kind))


@pytest.fixture
async def server() -> AsyncIterator[BaseTestServer]:
    app = web.Application()
    app.router.add_get("/json", show)
    app.router.add_get("/slow", linger)
    app.router.add_get("/{kind}", answer)
    async with TestServer(app) as started:
        yield started


@pytest.fixture
async def context(server: BaseTestServer) -> AsyncIterator[SkillContext]:
    async with make_context(allowed_hosts=[f"127.0.0.1:{server.port}"]) as made:
        yield made


async def test_a_page_comes_with_its_last_address(context: SkillContext, server: BaseTestServer) -> None:
    """After redirects."""
    page = await fetch(context, str(server.make_url("/moved")))
    assert (page.url, page.status, page.content_type) == (str(server.make_url("/json?q=moved")), 200, "application/json")


async def test_parameters_and_wanted_types_are_sent(context: SkillContext, server: BaseTestServer) -> None:
    """Patterns that HTTP does not know stay at home."""
    page = await fetch(context, str(server.make_url("/json")), params={"q": "a b&c"}, accept=("application/json", "*+json"))
    assert page.json() == {"q": "a b&c", "accept": "application/json"}
    assert (await fetch(context, str(server.make_url("/geo")), accept=("*+json",))).json() == []


async def test_the_charset_of_the_header_is_used(context: SkillContext, server: BaseTestServer) -> None:
    """And no bytes raise."""
    assert (await fetch(context, str(server.make_url("/latin")))).text == "Grüße"


@pytest.mark.parametrize("status", [404, 410])
async def test_another_address_may_do(context: SkillContext, server: BaseTestServer, status: int) -> None:
    """What is gone is a `SkillRetry`."""
    with pytest.raises(SkillRetry, match=str(status)):
        await fetch(context, str(server.make_url(f"/{status}")))


@pytest.mark.parametrize("status", [304, 400, 401, 403, 418, 429, 500, 503])
async def test_other_statuses_fail(context: SkillContext, server: BaseTestServer, status: int) -> None:
    """With the status for those who can tell more."""
    with pytest.raises(WrongStatus) as caught:
        await fetch(context, str(server.make_url(f"/{status}?key=s3cret")))
    assert caught.value.status == status
    assert "s3cret" not in caught.value.message


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("large", "larger than 1000 bytes"),
        ("bomb", "larger than 1000 bytes"),
        ("not-gzip", "cannot be read"),
        ("slow", "within 0.2 s"),
    ],
)
async def test_answers_that_cannot_be_used_fail(context: SkillContext, server: BaseTestServer, path: str, words: str) -> None:
    """Too large, too slow, broken; the text is short and holds no query."""
    with pytest.raises(FetchFailed, match=words) as caught:
        await fetch(context, str(server.make_url(f"/{path}?key=s3cret")), max_bytes=1_000, timeout=0.2)
    assert "s3cret" not in caught.value.message


async def test_the_wrong_type_fails_before_the_body_is_read(context: SkillContext, server: BaseTestServer) -> None:
    """The error knows the type."""
    with pytest.raises(WrongType, match="application/json, wanted was text/html or text/") as caught:
        await fetch(context, str(server.make_url("/json")), accept=("text/html", "text/*"))
    assert caught.value.content_type == "application/json"


@pytest.mark.parametrize("body", [b"", b"{", b"NaN", b"[" * 100_000, b'"\xff"', b"1" * 5_000])
def test_broken_json_fails(body: bytes) -> None:
    """As a skill's error, whatever is wrong with it."""
    with pytest.raises(FetchFailed, match="not JSON"):
        Fetched("http://x.example/", 200, "application/json", body).json()


def test_half_a_character_is_no_broken_json() -> None:
    """It is replaced; whole characters stay, also when they are written as two halves."""
    body = rb'{"cut": "a\ud83d", "whole": "\ud83d\ude00", "text": "\\ud83d"}'
    assert Fetched("http://x.example/", 200, "application/json", body).json() == {
        "cut": "a?",
        "whole": "\U0001f600",
        "text": "\\ud83d",
    }


@pytest.mark.parametrize(
    "url",
    [
        "",
        "nonsense",
        "http://",
        "http://[::1",
        "https:///x",
        "http://x:99999/",
        "http://127.1/",
        "http://xn--/",
        "http://a.xn--a/",
        "http://xn--zz--/",
        "http://xn--" + "a" * 60 + "/",
        "x" * 9_000,
    ],
)
async def test_what_is_no_address_may_be_corrected(context: SkillContext, url: str) -> None:
    """Malformed ones are a `SkillRetry`."""
    with pytest.raises(SkillRetry, match="not a web address"):
        await fetch(context, url)


@pytest.mark.parametrize(("code", "error"), [(socket.EAI_NONAME, SkillRetry), (socket.EAI_AGAIN, FetchFailed)])
async def test_a_name_that_is_not_found(
    context: SkillContext, monkeypatch: pytest.MonkeyPatch, code: int, error: type[Exception]
) -> None:
    """Unknown: another one may do. Not known at present: none will."""

    def look_up(*_: object) -> None:
        raise socket.gaierror(code, "as a name server says")

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    with pytest.raises(error, match=r"nobody\.example"):
        await fetch(context, "http://nobody.example/")


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "ftp://x/", "http://localhost/", "http://user:pw@example.org/", "javascript:alert(1)"]
)
async def test_what_may_not_be_reached_is_refused(context: SkillContext, url: str) -> None:
    """Finally."""
    with pytest.raises(FetchRefused):
        await fetch(context, url)


async def test_a_redirect_that_leaves_the_web_is_refused(context: SkillContext, server: BaseTestServer) -> None:
    """With a skill's error, not the library's."""
    with pytest.raises(FetchRefused, match="no web address"):
        await fetch(context, str(server.make_url("/nowhere")))


async def test_a_host_that_refuses_fails(server: BaseTestServer) -> None:
    """Nobody listens there."""
    port = server.port
    await server.close()
    async with make_context(allowed_hosts=["127.0.0.1"]) as context:
        with pytest.raises(FetchFailed, match="cannot be connected to"):
            await fetch(context, f"http://127.0.0.1:{port}/")


async def test_no_time_is_left(server: BaseTestServer) -> None:
    """Past the deadline a request ends at once instead of having no limit."""
    async with make_context(allowed_hosts=["127.0.0.1"], timeout=0) as context:
        with pytest.raises(FetchFailed, match=r"did not answer within 0\.01 s"):
            await fetch(context, str(server.make_url("/slow")))


async def test_the_host_that_a_redirect_led_to_is_named(
    context: SkillContext, server: BaseTestServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is the one that is not there; the one that was asked for is."""

    def look_up(*_: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "as a name server says")

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    with pytest.raises(SkillRetry, match=r"There is no host gone\.example\.") as caught:
        await fetch(context, str(server.make_url("/gone-away")))
    assert caught.value.hint is not None
    assert "no network" in caught.value.hint  # whoever has none sees every name missing
