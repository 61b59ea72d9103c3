"""What happens around every handler, in one visible order."""

from __future__ import annotations

from collections.abc import Sequence

from aiohttp import web
from aiohttp.typedefs import Middleware

from service.http.middleware.access_log import log_access
from service.http.middleware.cross_origin import send_origin
from service.http.middleware.draining import Drain, refuse_while_draining
from service.http.middleware.measuring import measure_requests
from service.http.middleware.problem_answers import answer_problems, note_start
from service.http.middleware.rate_limits import send_rate_limits
from service.http.middleware.request_ids import identify_request, send_request_ids
from service.http.middleware.safe_headers import send_safe_headers
from service.metrics import Metrics


def init_app(app: web.Application, *, metrics: Metrics, drain: Drain, guards: Sequence[Middleware] = ()) -> web.Application:
    """Install the middlewares, outermost first, and the headers of every response; returns the application.

    `guards`: what may refuse or answer a request before its handler, in their order.
    """
    around = [identify_request, log_access, measure_requests(metrics), answer_problems]
    app.middlewares.extend([*around, refuse_while_draining(drain), *guards])
    # Signals, because a stream's headers are gone before its handler returns.
    app.on_response_prepare.extend([send_request_ids, send_origin, send_rate_limits, send_safe_headers, note_start])
    return app
