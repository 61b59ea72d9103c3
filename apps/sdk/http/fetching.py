"""One GET for a skill: bounded, under the egress rules, with errors that a model can read.

    page = await fetch(context, "https://example.org/data", params={"q": "x"}, accept=("application/json",))
    rows = page.json()

What it raises is drawn in `apps.sdk.http.errors`.
"""

from __future__ import annotations

import json
import socket
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import orjson

from apps.sdk.http.charsets import decode
from apps.sdk.http.errors import FetchFailed, FetchRefused, WrongStatus, WrongType
from apps.sdk.jsontypes import Json
from apps.sdk.skill import SkillContext, SkillRetry

if TYPE_CHECKING:
    import aiohttp
    from yarl import URL

MAX_BYTES = 2_000_000
"""Of a body after decompression, unless a skill sets its own: a long article's page has a few hundred thousand."""

TIMEOUT = 10.0
"""Seconds, redirects and body included, unless a skill sets its own: a part of what a skill usually has (30)."""

MAX_URL_LENGTH = 8_000
"""Characters; servers are to take at least 8,000 octets (RFC 9110, section 4.1)."""

GONE = (404, 410)
"""Statuses that say: nothing is here (RFC 9110, sections 15.5.5 and 15.5.11)."""

NOT_A_HOST = "Check the spelling or try another address; if others fail too, the service has no network or no name server."


@dataclass(frozen=True, slots=True)
class Fetched:
    """A successful answer; `url` is where it came from in the end, `content_type` is without parameters, `""` when not given."""

    url: str
    status: int
    content_type: str
    body: bytes
    charset: str | None = None

    @property
    def text(self) -> str:
        """The body as text, by the charset that the header, the page or a mark at its start names; never raises."""
        return decode(self.body, self.charset)

    def json(self) -> Json:
        """The body as JSON; raises `FetchFailed` when it is none. Half a character becomes `?`."""
        try:
            return orjson.loads(self.body)
        except orjson.JSONDecodeError:
            return _read_lenient_json(self.body)


def _read_lenient_json(body: bytes) -> Json:
    try:
        text = json.dumps(json.loads(body), ensure_ascii=False, allow_nan=False)
        return orjson.loads(text.encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        raise FetchFailed("The answer is not JSON.") from None


async def fetch(
    context: SkillContext,
    url: str,
    *,
    params: Mapping[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
    max_bytes: int = MAX_BYTES,
    timeout: float = TIMEOUT,  # noqa: ASYNC109 - aiohttp watches it, over redirects and body
    accept: Sequence[str] = (),
) -> Fetched:
    """GET `url`, following redirects; `timeout` in seconds, not past the deadline, `max_bytes` after decompression.

    `accept` holds media types that will do, with `*` for any part (`text/*`, `*+json`), `""` for none named; empty = all.
    Raises `SkillRetry`, `FetchRefused` or `FetchFailed`.
    """
    import aiohttp  # noqa: PLC0415 - an app's module is imported to load the catalog

    target = _read_url(url)
    seconds = max(0.01, min(timeout, context.time_left))  # zero would mean no limit
    wanted = {"Accept": ", ".join(kind for kind in accept if kind and not kind.startswith("*"))} if accept else {}
    async with (
        _told_plainly(str(target.host), seconds),
        context.http.get(
            target,
            params=params,
            headers={**wanted, **(headers or {})},
            timeout=aiohttp.ClientTimeout(total=seconds, sock_connect=seconds),
        ) as response,
    ):
        return await _read(response, str(target.host), max_bytes, accept)


async def _read(response: aiohttp.ClientResponse, host: str, max_bytes: int, accept: Sequence[str]) -> Fetched:
    from apps.sdk.http.session import read_at_most  # noqa: PLC0415 - imports aiohttp

    if response.status in GONE:
        raise SkillRetry(f"{host} has nothing at this address (HTTP status {response.status}).", hint="Try another address.")
    if not 200 <= response.status < 300:
        raise WrongStatus(host, response.status)
    kind = response.content_type.lower() if response.headers.get("Content-Type") else ""
    if accept and not any(fnmatchcase(kind, pattern) for pattern in accept):
        raise WrongType(host, kind, accept)
    return Fetched(
        url=str(response.url),
        status=response.status,
        content_type=kind,
        body=await read_at_most(response, max_bytes, "max_bytes"),
        charset=response.charset,
    )


def _read_url(text: str) -> URL:
    from yarl import URL  # noqa: PLC0415 - as aiohttp

    try:
        url = URL(text.strip()) if len(text) <= MAX_URL_LENGTH else URL()
        host = url.host  # decoded only now, which a name in Punycode may not bear
    except ValueError:
        url, host = URL(), None
    if url.scheme and url.scheme not in {"http", "https"}:
        raise FetchRefused("Only http and https addresses can be fetched.")
    if not host or not url.scheme:
        raise SkillRetry("This is not a web address.", hint="Give a full one, such as https://example.org/page.")
    if url.raw_user is not None or url.raw_password is not None:
        raise FetchRefused("Addresses with a user name or password in them cannot be fetched.")
    return url


@asynccontextmanager
async def _told_plainly(host: str, seconds: float) -> AsyncIterator[None]:
    """Turn what aiohttp raises into a skill's errors; where it is known, the host named is the one that a redirect led to."""
    import aiohttp  # noqa: PLC0415 - as above

    try:
        yield
    except TimeoutError:
        raise FetchFailed(f"{host} did not answer within {seconds:.3g} s.") from None
    except (aiohttp.NonHttpUrlRedirectClientError, aiohttp.InvalidUrlRedirectClientError):
        raise FetchRefused(f"{host} redirects to something that is no web address.") from None
    except aiohttp.InvalidURL:
        raise SkillRetry("This is not a web address.", hint="Give a full one, such as https://example.org/page.") from None
    except aiohttp.ClientConnectorDNSError as error:
        if error.os_error.errno in {socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)}:
            raise SkillRetry(f"There is no host {error.host}.", hint=NOT_A_HOST) from None
        raise FetchFailed(f"The name of {error.host} cannot be looked up at present.") from None
    except (aiohttp.ClientConnectorCertificateError, aiohttp.ClientConnectorSSLError) as error:
        raise FetchFailed(f"{error.host} offers no trustworthy encryption.") from None
    except aiohttp.ClientConnectorError as error:
        raise FetchFailed(f"{error.host} cannot be connected to.") from None
    except aiohttp.ClientError:
        raise FetchFailed(f"{host} broke off, or its answer cannot be read.") from None
