"""`X-Request-ID` and W3C `traceparent`, in and out."""

from __future__ import annotations

import re
import secrets
import uuid
from dataclasses import dataclass
from typing import Final

from aiohttp import web
from aiohttp.typedefs import Handler
from structlog.contextvars import bound_contextvars

REQUEST_ID: Final = web.RequestKey("request_id", str)
SAFE_ID: Final = re.compile(r"[A-Za-z0-9._~-]{1,128}")
"""What is taken from a client: nothing that would need escaping in a log, a header or a URI."""
TRACEPARENT: Final = re.compile(r"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-[^\s]*)?")
"""W3C Trace Context, section 3.2: version, trace id, parent id, flags; later versions may append fields."""


@dataclass(frozen=True, slots=True)
class Trace:
    """Where this request stands in a distributed trace; `span_id` is this service's own."""

    trace_id: str
    span_id: str
    flags: str

    def __str__(self) -> str:
        return f"00-{self.trace_id}-{self.span_id}-{self.flags}"


TRACE: Final = web.RequestKey("trace", Trace)


@web.middleware
async def identify_request(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Give the request its ids, and every log line inside it too."""
    request[REQUEST_ID] = choose_request_id(request.headers.get("X-Request-ID"))
    request[TRACE] = continue_trace(request.headers.get("traceparent"))
    with bound_contextvars(request_id=request[REQUEST_ID], trace_id=request[TRACE].trace_id):
        return await handler(request)


async def send_request_ids(request: web.Request, response: web.StreamResponse) -> None:
    """Put both ids into the response."""
    if REQUEST_ID in request:
        response.headers["X-Request-ID"] = request[REQUEST_ID]
        response.headers["traceparent"] = str(request[TRACE])


def choose_request_id(offered: str | None) -> str:
    """The client's id when it is safe, else a new one."""
    return offered if offered and SAFE_ID.fullmatch(offered) else uuid.uuid4().hex


def continue_trace(header: str | None) -> Trace:
    """The caller's trace with a new span; a new trace when there is none or the header is invalid."""
    span_id = secrets.token_hex(8)
    match = TRACEPARENT.fullmatch(header or "")
    if match is None:
        return Trace(secrets.token_hex(16), span_id, "00")
    version, trace_id, parent_id, flags, more = match.groups()
    if version == "ff" or (version == "00" and more) or not int(trace_id, 16) or not int(parent_id, 16):
        return Trace(secrets.token_hex(16), span_id, "00")
    return Trace(trace_id, span_id, flags)
