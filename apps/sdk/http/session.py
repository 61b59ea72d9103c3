"""aiohttp under the egress rules: where it connects, where it is redirected, how much it reads.

    async with open_session(EgressRules(allowed_hosts=frozenset({"searx.internal:8888"}))) as session: ...

Importing it imports aiohttp, which costs every command that loads the apps: do so where a session is opened.
"""

from __future__ import annotations

import errno
import socket
from types import SimpleNamespace
from typing import TYPE_CHECKING

import aiohttp
from yarl import URL

from apps.sdk.http.addresses import is_public
from apps.sdk.http.errors import FetchFailed, FetchRefused
from apps.sdk.http.name_lookups import NameLookups
from apps.sdk.http.rules import BYTES_SETTING, HOSTS_SETTING, REDIRECTS_SETTING, EgressRules, join_port

if TYPE_CHECKING:
    from aiohttp.client_reqrep import ClientRequest
    from aiohttp.connector import AddrInfoType, Connection
    from aiohttp.tracing import Trace

USER_AGENT = "Mozilla/5.0 (compatible; Shortlist)"
"""In the form of crawlers, which sites that refuse bare libraries let pass."""

CONNECT_TIMEOUT = 10.0
"""Seconds for one address to answer; three lost SYN packets are sent anew after 1, 3 and 7 (RFC 6298)."""

LOCAL_NAMES = ("localhost", "local", "internal", "home.arpa")
"""Names, and what ends in them, that no public name server knows (RFC 6761, 6762, 8375 and ICANN's `internal`)."""

CROSSING_HEADERS = frozenset({"accept", "accept-encoding", "accept-language", "content-type", "range", "user-agent"})
"""What a redirect to another origin still carries; any other header may be a credential."""

BAD_PORTS = frozenset(
    {0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110, 111}
    | {113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548}
    | {554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566}
    | {6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080}
)
"""Ports of other protocols, which the Fetch standard of the WHATWG blocks ("port blocking")."""


class AddressNotPublic(OSError):
    """The address that a socket was to be opened to; told apart from what the network says."""

    def __init__(self) -> None:
        super().__init__(errno.EACCES, "not a public address")


class GuardedConnector(aiohttp.TCPConnector):
    """Connects to public addresses, and to hosts that the rules open through connections of their own."""

    def __init__(self, rules: EgressRules) -> None:
        lookups = NameLookups()
        super().__init__(socket_factory=open_public_socket, resolver=lookups)
        self._rules = rules
        self._opened = aiohttp.TCPConnector(resolver=lookups)

    async def connect(self, req: ClientRequest, traces: list[Trace], timeout: aiohttp.ClientTimeout) -> Connection:  # noqa: ASYNC109
        """Called for each hop of a request, also where a connection is reused. Raises `FetchRefused`."""
        host, port = (req.url.raw_host or "").rstrip("."), req.url.port
        self._check(req, host, port)
        try:
            if self._rules.opens(host, port):
                return await self._opened.connect(req, traces, timeout)
            if is_local_name(host):
                raise _refuse(host)
            return await super().connect(req, traces, timeout)
        except aiohttp.ClientConnectorError as error:
            if isinstance(error.os_error, AddressNotPublic):
                raise _refuse(host) from None
            raise
        except UnicodeError as error:  # a label that is empty or too long for a name server
            raise aiohttp.InvalidUrlClientError(req.url, "is not a host name") from error

    async def close(self, *, abort_ssl: bool = False) -> None:
        await self._opened.close(abort_ssl=abort_ssl)
        await super().close(abort_ssl=abort_ssl)

    def _check(self, req: ClientRequest, host: str, port: int | None) -> None:
        if req.url.scheme not in {"http", "https"}:
            raise FetchRefused("Only http and https addresses can be fetched.")
        if req.proxy is not None:
            raise FetchRefused("Requests cannot go through a proxy.")
        if port in BAD_PORTS and join_port(host, port) not in self._rules.allowed_hosts:
            raise FetchRefused(f"Port {port} is not for web servers; {HOSTS_SETTING} opens a host with its port.")


def make_response_class(limit: int) -> type[aiohttp.ClientResponse]:
    """A response whose body is read as a whole only up to `limit` bytes; streaming is the skill's to bound.

    A class for each limit, since a session makes its responses itself and takes nothing for them but their class.
    """

    class BoundedResponse(aiohttp.ClientResponse):
        async def read(self) -> bytes:
            """The body. Raises `FetchFailed` when it is too large."""
            if self._body is None:
                self._body = await read_at_most(self, limit, BYTES_SETTING)
            return await super().read()

    return BoundedResponse


async def read_at_most(response: aiohttp.ClientResponse, limit: int, limit_name: str) -> bytes:
    """The body after decompression; closes the connection and raises `FetchFailed` once it passes `limit` bytes."""
    too_large = FetchFailed(f"The answer is larger than {limit} bytes ({limit_name}).")
    try:
        if response.method != "HEAD" and (response.content_length or 0) > limit:
            raise too_large
        body = bytearray()
        async for piece in response.content.iter_any():
            body += piece
            if len(body) > limit:
                raise too_large
    except BaseException:
        response.close()
        raise
    return bytes(body)


def open_public_socket(address: AddrInfoType) -> socket.socket:
    """A socket for a public address; raises `AddressNotPublic`, upon which the name's next address is tried."""
    family, kind, protocol, _, target = address
    if not is_public(str(target[0])):
        raise AddressNotPublic
    return socket.socket(family, kind, protocol)


def is_local_name(host: str) -> bool:
    """Whether a name is one that only a local network resolves."""
    return any(host == name or host.endswith(f".{name}") for name in LOCAL_NAMES)


def open_session(rules: EgressRules) -> aiohttp.ClientSession:
    """A session with connections of its own, without cookies and without proxies; call in a running loop, close at the end."""
    return aiohttp.ClientSession(
        connector=GuardedConnector(rules),
        cookie_jar=aiohttp.DummyCookieJar(),
        headers={"User-Agent": USER_AGENT},
        response_class=make_response_class(rules.response_bytes),
        timeout=aiohttp.ClientTimeout(total=rules.timeout, sock_connect=CONNECT_TIMEOUT),
        trace_configs=[_watch_redirects(rules.redirects)],
    )


def _watch_redirects(limit: int) -> aiohttp.TraceConfig:
    """Tracing, since nothing else in a session sees a redirect before it is followed and cannot be left out by a request."""

    async def follow(_: aiohttp.ClientSession, state: SimpleNamespace, redirect: aiohttp.TraceRequestRedirectParams) -> None:
        state.redirects = getattr(state, "redirects", 0) + 1
        if state.redirects > limit:
            raise FetchFailed(f"The address redirects more than {limit} times ({REDIRECTS_SETTING}).")
        answered = redirect.response.headers
        if _leaves_origin(redirect.url, answered.get("Location") or answered.get("URI") or ""):
            for name in [name for name in redirect.headers if name.lower() not in CROSSING_HEADERS]:
                redirect.headers.popall(name, None)

    config = aiohttp.TraceConfig()
    config.on_request_redirect.append(follow)
    return config


def _leaves_origin(url: URL, location: str) -> bool:
    try:
        return url.join(URL(location)).origin() != url.origin()
    except ValueError:  # aiohttp refuses it in a moment
        return True


def _refuse(host: str) -> FetchRefused:
    return FetchRefused(
        f"{host} is not on the public internet; {HOSTS_SETTING} lists the hosts that may be reached all the same."
    )
