"""What happens around every handler, in one visible order."""

from __future__ import annotations

from aiohttp import web

from service.http.middleware.access_log import log_access
from service.http.middleware.draining import Drain, refuse_while_draining
from service.http.middleware.measuring import measure_requests
from service.http.middleware.problem_answers import answer_problems, note_start
from service.http.middleware.request_ids import identify_request, send_request_ids
from service.http.middleware.safe_headers import send_safe_headers
from service.metrics import Metrics


def init_app(app: web.Application, *, metrics: Metrics, drain: Drain) -> web.Application:
    """Install the middlewares, outermost first, and the headers of every response; returns the application."""
    app.middlewares.extend(
        [identify_request, log_access, measure_requests(metrics), answer_problems, refuse_while_draining(drain)]
    )
    # Signals, because a stream's headers are gone before its handler returns.
    app.on_response_prepare.extend([send_request_ids, send_safe_headers, note_start])
    return app
