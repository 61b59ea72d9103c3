"""One log line per request, also for one whose client left."""

from __future__ import annotations

import time

import structlog
from aiohttp import web
from aiohttp.typedefs import Handler

from service.http.middleware.route_names import CLIENT_LEFT, judge_status, name_method, name_route
from service.http.principal import PRINCIPAL


@web.middleware
async def log_access(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Log method, route template, status, time and the key's name: no path, query or text. The request's id is bound already."""
    started = time.perf_counter()
    status = CLIENT_LEFT  # stays when the handler is cancelled
    try:
        response = await handler(request)
        status = judge_status(request, response)
        return response
    finally:
        milliseconds = round((time.perf_counter() - started) * 1000, 1)
        log = structlog.get_logger(__name__)
        key = {"key_name": request[PRINCIPAL].name} if PRINCIPAL in request else {}
        log.info("request", method=name_method(request), route=name_route(request), status=status, ms=milliseconds, **key)
