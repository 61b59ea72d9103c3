"""What skills may reach: real sockets on this machine, whose addresses are closed unless a rule opens them."""

from __future__ import annotations

import gzip
import socket
from collections.abc import AsyncIterator, Sequence

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import BaseTestServer, TestServer

from apps.sdk.http import session
from apps.sdk.http.errors import FetchFailed, FetchRefused
from apps.sdk.http.rules import EgressRules
from apps.sdk.http.session import open_session
from apps.sdk.jsontypes import JsonObject

BOMB = gzip.compress(b"\0" * 20_000_000)


async def show(request: web.Request) -> web.Response:
    """What arrived."""
    return web.json_response({"path": request.path_qs, "headers": dict(request.headers)})


async def redirect(request: web.Request) -> web.Response:
    """By `Location`, or by the older header that the library follows as well."""
    name = request.query.get("header", "Location")
    return web.Response(status=int(request.query.get("status", "302")), headers={name: request.query["to"]})


async def count_down(request: web.Request) -> web.Response:
    left = int(request.match_info["left"])
    return web.Response(status=302, headers={"Location": f"/count/{left - 1}"}) if left else web.Response(text="arrived")


async def explode(_: web.Request) -> web.Response:
    return web.Response(body=BOMB, headers={"Content-Encoding": "gzip", "Content-Type": "text/plain"})


def make_app() -> web.Application:
    app = web.Application()
    app.router.add_get("/show", show)
    app.router.add_post("/show", show)
    app.router.add_get("/to", redirect)
    app.router.add_get("/count/{left}", count_down)
    app.router.add_get("/bomb", explode)
    return app


@pytest.fixture
async def server() -> AsyncIterator[BaseTestServer]:
    async with TestServer(make_app()) as started:
        yield started


@pytest.fixture
async def other() -> AsyncIterator[BaseTestServer]:
    async with TestServer(make_app()) as started:
        yield started


def opening(*servers: BaseTestServer, **limits: int) -> EgressRules:
    return EgressRules(allowed_hosts=frozenset(f"127.0.0.1:{server.port}" for server in servers), **limits)


async def read(rules: EgressRules, url: object, **options: object) -> JsonObject:
    """The JSON of one GET in a session of its own."""
    async with open_session(rules) as session, session.get(str(url), **options) as response:  # type: ignore[arg-type]
        shown: JsonObject = await response.json()
        return shown


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "localhost", "LOCALHOST", "localhost.", "app.localhost", "printer.local", "metadata.google.internal", "[::1]",
     "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "0.0.0.0", "[::]", "0x7f.1", "0x7f000001", "0177.0.0.1",
     "１２７.0.0.1",
     "127。0。0。1", "ⓛocalhost", "10.0.0.1", "169.254.169.254", "[fd00:ec2::254]", "[fe80::1%25lo]", "[64:ff9b::7f00:1]",
     "[2002:7f00:1::]",
     "user:password@127.0.0.1"],
)  # fmt: skip
async def test_hosts_of_this_machine_and_its_networks_are_refused(server: BaseTestServer, host: str) -> None:
    """In any spelling; the server that listens there sees nothing."""
    with pytest.raises((FetchRefused, aiohttp.InvalidUrlClientError, aiohttp.ClientConnectorDNSError)):
        await read(EgressRules(), f"http://{host}:{server.port}/show")


@pytest.mark.parametrize("host", ["2130706433", "127.1", "017700000001", "a..b", "x" * 70 + ".org"])
async def test_hosts_that_are_none_are_refused(server: BaseTestServer, host: str) -> None:
    """Numbers that a resolver would read as an address, and labels that none can look up."""
    with pytest.raises(aiohttp.InvalidUrlClientError):
        await read(EgressRules(), f"http://{host}:{server.port}/show")


@pytest.mark.parametrize("url", ["ftp://example.org/", "file:///etc/passwd", "ws://127.0.0.1/", "tcp://127.0.0.1/", "unix://x/y"])
async def test_only_http_is_spoken(url: str) -> None:
    """Whatever else the library knows is refused."""
    with pytest.raises((FetchRefused, aiohttp.NonHttpUrlClientError)):
        await read(EgressRules(allowed_hosts=frozenset({"127.0.0.1"})), url)


async def test_websockets_are_not_opened(server: BaseTestServer) -> None:
    """Nothing bounds what comes through one."""
    async with open_session(opening(server)) as session:
        with pytest.raises(FetchRefused):
            await session.ws_connect(f"ws://127.0.0.1:{server.port}/show")


async def test_a_listed_host_is_reached_by_its_own_name_only(server: BaseTestServer) -> None:
    """Not under another name or port that leads to the same address, also while a connection to it is kept."""
    async with open_session(EgressRules(allowed_hosts=frozenset({f"localhost:{server.port}"}))) as session:
        async with session.get(f"http://localhost:{server.port}/show") as response:
            assert response.status == 200
        for url in (
            f"http://127.0.0.1:{server.port}/show",
            f"http://localhost:{(server.port or 0) + 1}/show",
            "http://localhost/",
        ):
            with pytest.raises(FetchRefused, match="SHORTLIST_EGRESS_ALLOWED_HOSTS"):
                await session.get(url)


async def test_a_host_without_a_port_is_opened_on_all(server: BaseTestServer) -> None:
    """But those of other protocols, which must be listed with the host."""
    rules = EgressRules(allowed_hosts=frozenset({"LocalHost."}))
    assert (await read(rules, f"http://localhost:{server.port}/show"))["path"] == "/show"
    with pytest.raises(FetchRefused, match="Port 22"):
        await read(rules, "http://localhost:22/")


@pytest.mark.parametrize("port", [0, 22, 25, 6667])
async def test_ports_of_other_protocols_are_refused(port: int) -> None:
    """Before any look-up."""
    with pytest.raises(FetchRefused, match=f"Port {port}"):
        await read(EgressRules(), f"http://example.org:{port}/")


async def test_a_bad_port_is_open_when_it_is_listed() -> None:
    """The attempt is made; nobody listens there."""
    with pytest.raises(aiohttp.ClientConnectorError):
        await read(EgressRules(allowed_hosts=frozenset({"127.0.0.1:1"})), "http://127.0.0.1:1/")


@pytest.mark.parametrize(
    "target", ["http://127.0.0.1:{port}/show", "//localhost:{port}/show", "http://[::1]:{port}/", "http://0x7f.1:{port}/"]
)
async def test_a_redirect_from_a_listed_host_is_looked_at_anew(
    server: BaseTestServer, other: BaseTestServer, target: str
) -> None:
    """What it leads to must be listed as well."""
    with pytest.raises(FetchRefused):
        await read(opening(server), server.make_url("/to").with_query(to=target.format(port=other.port)))


async def test_a_redirect_between_listed_hosts_is_followed(server: BaseTestServer, other: BaseTestServer) -> None:
    """The end of the chain answers."""
    url = server.make_url("/to").with_query(to=str(other.make_url("/show?x=1")))
    assert (await read(opening(server, other), url))["path"] == "/show?x=1"


@pytest.mark.parametrize(
    "target", ["file:///etc/passwd", "ftp://127.0.0.1/", "javascript:alert(1)", "http://", "http://[", "ws://127.0.0.1/"]
)
async def test_a_redirect_to_something_else_than_http_is_refused(server: BaseTestServer, target: str) -> None:
    """Other schemes and what is no URL."""
    with pytest.raises((aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError, FetchRefused)):
        await read(opening(server), server.make_url("/to").with_query(to=target))


async def test_five_redirects_are_followed_and_no_sixth(server: BaseTestServer) -> None:
    """Also when the skill asks for more; the error names the setting."""
    async with open_session(opening(server)) as session:
        async with session.get(server.make_url("/count/5")) as response:
            assert await response.text() == "arrived"
        with pytest.raises(FetchFailed, match=r"more than 5 times \(SHORTLIST_EGRESS_REDIRECTS\)"):
            await session.get(server.make_url("/count/6"), max_redirects=50)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_credentials_stay_with_their_origin(server: BaseTestServer, other: BaseTestServer, status: int) -> None:
    """Any header of the skill's own may be one; on the same origin they are kept."""
    sent = {"Authorization": "Bearer s3cret", "X-Subscription-Token": "s3cret", "Cookie": "a=s3cret", "Accept-Language": "de"}
    rules = opening(server, other)
    at_home = await read(rules, server.make_url("/to").with_query(to="/show", status=str(status)), headers=sent)
    assert sent.items() <= at_home["headers"].items()
    for header in ("Location", "URI"):
        url = server.make_url("/to").with_query(to=str(other.make_url("/show")), status=str(status), header=header)
        abroad = await read(rules, url, headers=sent)
        assert "s3cret" not in str(abroad)
        assert abroad["headers"]["Accept-Language"] == "de"


async def test_no_proxy_is_used(server: BaseTestServer, other: BaseTestServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither one of the environment, which would connect in our stead, nor one that a skill names."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, str(other.make_url("/")))
    assert (await read(opening(server), server.make_url("/show")))["headers"]["Host"] == f"127.0.0.1:{server.port}"
    with pytest.raises(FetchRefused, match="proxy"):
        await read(opening(server, other), server.make_url("/show"), proxy=str(other.make_url("/")))


async def test_a_request_cannot_leave_the_rules_out(server: BaseTestServer) -> None:
    """Middlewares of its own, which replace a session's, change nothing."""
    with pytest.raises(FetchRefused):
        await read(EgressRules(), server.make_url("/show"), middlewares=())


async def test_no_cookie_is_kept(server: BaseTestServer) -> None:
    """What one user was given is not sent for the next."""

    async def bake(_: web.Request) -> web.Response:
        response = web.Response()
        response.set_cookie("session", "1")
        return response

    app = make_app()
    app.router.add_get("/bake", bake)
    async with TestServer(app) as baker, open_session(EgressRules(allowed_hosts=frozenset({"localhost"}))) as session:
        await session.get(f"http://localhost:{baker.port}/bake")
        async with session.get(f"http://localhost:{baker.port}/show") as response:
            assert "Cookie" not in (await response.json())["headers"]


async def test_a_body_is_bounded_after_decompression(server: BaseTestServer) -> None:
    """20 MB in 20 KB: the error names the setting, and the next request works."""
    async with open_session(opening(server, response_bytes=1_000_000)) as session:
        async with session.get(server.make_url("/bomb")) as response:
            with pytest.raises(FetchFailed, match=r"1000000 bytes \(SHORTLIST_EGRESS_RESPONSE_BYTES\)"):
                await response.read()
        async with session.get(server.make_url("/show")) as response:
            assert (await response.json())["path"] == "/show"
            assert await response.read() == await response.read()


class Names:
    """Answers look-ups in the place of a name server."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self.answers = list(answers)

    def getaddrinfo(self, host: str, port: int, *_: object) -> list[object]:
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in answer]


@pytest.fixture
def second_address(monkeypatch: pytest.MonkeyPatch) -> str:
    """One address of this machine counts as public; there is no other way to have one in a test."""
    monkeypatch.setattr(session, "is_public", lambda address: address == "127.0.0.2")
    return "127.0.0.2"


async def listen(address: str, port: int, text: str) -> web.AppRunner:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(text=text, headers={"Connection": "close"})

    app = web.Application()
    app.router.add_get("/", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, address, port).start()
    return runner


async def read_text(session: aiohttp.ClientSession, url: str) -> str:
    async with session.get(url) as response:
        return await response.text()


@pytest.mark.parametrize("host", ["localhost", "localhost.", "printer.local", "metadata.google.internal."])
async def test_local_names_are_not_even_looked_up(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What an answer says would not matter, and the question tells of the network."""
    asked: list[object] = []

    def look_up(*question: object) -> list[object]:
        asked.append(question)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    async with open_session(EgressRules()) as session:
        with pytest.raises(FetchRefused):
            await read_text(session, f"http://{host}/")
    assert asked == []


async def test_a_listed_name_is_the_same_with_its_last_dot(monkeypatch: pytest.MonkeyPatch) -> None:
    """As name servers see it."""
    runner = await listen("127.0.0.1", 0, "here")
    port = runner.addresses[0][1]
    monkeypatch.setattr(socket, "getaddrinfo", Names(["127.0.0.1"]).getaddrinfo)
    try:
        async with open_session(EgressRules(allowed_hosts=frozenset({f"printer.local:{port}"}))) as session:
            assert await read_text(session, f"http://printer.local.:{port}/") == "here"
    finally:
        await runner.cleanup()


async def test_private_records_among_public_ones_are_never_used(second_address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever comes first: the public one answers."""
    private = await listen("127.0.0.1", 0, "private")
    port = private.addresses[0][1]
    public = await listen(second_address, port, "public")
    try:
        for records in (["127.0.0.1", "127.0.0.2"], ["127.0.0.2", "127.0.0.1"], ["10.0.0.1", "127.0.0.1", "127.0.0.2"]):
            async with open_session(EgressRules()) as session:
                monkeypatch.setattr(socket, "getaddrinfo", Names(records).getaddrinfo)
                assert await read_text(session, f"http://mixed.example:{port}/") == "public"
    finally:
        await private.cleanup()
        await public.cleanup()


async def test_a_name_that_moves_to_a_private_address_is_refused(second_address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The address is looked at when the socket is opened, not when the name is."""
    private = await listen("127.0.0.1", 0, "private")
    port = private.addresses[0][1]
    public = await listen(second_address, port, "public")
    try:
        async with open_session(EgressRules()) as session:
            monkeypatch.setattr(socket, "getaddrinfo", Names(["127.0.0.2"], ["127.0.0.1"]).getaddrinfo)
            assert await read_text(session, f"http://moving.example:{port}/") == "public"
            assert isinstance(session.connector, aiohttp.TCPConnector)
            session.connector.clear_dns_cache()
            with pytest.raises(FetchRefused, match=r"moving\.example"):
                await read_text(session, f"http://moving.example:{port}/")
    finally:
        await private.cleanup()
        await public.cleanup()
