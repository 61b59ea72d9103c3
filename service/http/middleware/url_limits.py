"""How long a URL may be, and how many parameters its query may have."""

from __future__ import annotations

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from service.http.problems import OverLimit


def limit_urls(*, length: int, parameters: int) -> Middleware:
    """The middleware that raises `OverLimit`."""

    @web.middleware
    async def limit(request: web.Request, handler: Handler) -> web.StreamResponse:
        if len(request.raw_path) > length:
            raise describe_long_url(length)
        if request.raw_path.count("&") >= parameters:
            what = f"A query may have at most {parameters} parameters"
            raise OverLimit("too_many_parameters", what, "SHORTLIST_QUERY_PARAMETERS_MAX", parameters)
        return await handler(request)

    return limit


def describe_long_url(length: int) -> OverLimit:
    """The problem of a URL over the limit."""
    return OverLimit("url_too_long", f"A path with its query may have at most {length} bytes", "SHORTLIST_URL_LIMIT", length)
