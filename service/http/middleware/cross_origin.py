"""CORS: which pages of other origins may call the API. A key is never a cookie here, so no credentials are allowed."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler, Middleware

ALLOWED_METHODS: Final = "GET, HEAD, POST, PUT, PATCH, DELETE"
ALLOWED_HEADERS: Final = (
    "Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-Request-ID, X-Tenant-ID, X-Turn-Timeout, X-User-ID, "
    "traceparent"
)
EXPOSED_HEADERS: Final = (
    "Idempotency-Replayed, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-ID, traceparent"
)
MAX_AGE: Final = "600"
"""Seconds for which a browser may remember a preflight's answer."""
ORIGIN: Final = web.RequestKey("origin", str)


def answer_preflights(origins: Collection[str]) -> Middleware:
    """The middleware that answers preflights of `origins`; a request of another origin is answered without CORS headers."""

    @web.middleware
    async def answer(request: web.Request, handler: Handler) -> web.StreamResponse:
        origin = request.headers.get(hdrs.ORIGIN)
        if origin is None or origin not in origins:
            return await handler(request)
        request[ORIGIN] = origin
        if request.method != hdrs.METH_OPTIONS or hdrs.ACCESS_CONTROL_REQUEST_METHOD not in request.headers:
            return await handler(request)
        headers = {
            hdrs.ACCESS_CONTROL_ALLOW_METHODS: ALLOWED_METHODS,
            hdrs.ACCESS_CONTROL_ALLOW_HEADERS: ALLOWED_HEADERS,
            hdrs.ACCESS_CONTROL_MAX_AGE: MAX_AGE,
        }
        return web.Response(status=204, headers=headers)

    return answer


async def send_origin(request: web.Request, response: web.StreamResponse) -> None:
    """Let the page of an allowed origin read the answer."""
    if ORIGIN in request:
        response.headers[hdrs.ACCESS_CONTROL_ALLOW_ORIGIN] = request[ORIGIN]
        response.headers[hdrs.ACCESS_CONTROL_EXPOSE_HEADERS] = EXPOSED_HEADERS
        response.headers[hdrs.VARY] = hdrs.ORIGIN
