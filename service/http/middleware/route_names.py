"""The names under which requests are logged and counted: templates and known methods, never what a client made up."""

from __future__ import annotations

from typing import Final

from aiohttp import hdrs, web

UNMATCHED: Final = "unmatched"
METHODS: Final = frozenset(
    {hdrs.METH_GET, hdrs.METH_HEAD, hdrs.METH_POST, hdrs.METH_PUT, hdrs.METH_PATCH, hdrs.METH_DELETE, hdrs.METH_OPTIONS}
)
CLIENT_LEFT: Final = 499
"""The status, as nginx has it, under which a request whose client left is logged and counted."""


def name_route(request: web.Request) -> str:
    """The route's template, say `/v1/overrides/{kind}/{id}`."""
    resource = request.match_info.route.resource
    return UNMATCHED if resource is None else resource.canonical


def name_method(request: web.Request) -> str:
    """The method, or OTHER."""
    return request.method if request.method in METHODS else "OTHER"


def judge_status(request: web.Request, response: web.StreamResponse) -> int:
    """The response's status, or `CLIENT_LEFT` when nobody is there to read it."""
    return CLIENT_LEFT if request.transport is None else response.status
