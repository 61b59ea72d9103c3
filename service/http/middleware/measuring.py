"""Counts and times every request."""

from __future__ import annotations

import time

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from service.http.middleware.route_names import CLIENT_LEFT, judge_status, name_method, name_route
from service.metrics import Metrics


def measure_requests(metrics: Metrics) -> Middleware:
    """The middleware that writes into `metrics`."""

    @web.middleware
    async def measure(request: web.Request, handler: Handler) -> web.StreamResponse:
        started = time.perf_counter()
        status = CLIENT_LEFT
        try:
            response = await handler(request)
            status = judge_status(request, response)
            return response
        finally:
            seconds = time.perf_counter() - started
            metrics.count_request(name_route(request), name_method(request), status, seconds)

    return measure
