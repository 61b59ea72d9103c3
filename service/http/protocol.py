"""The server as aiohttp makes it, except that what is no HTTP, or over a limit of it, is answered with a problem too.

aiohttp's own answer is plain text that quotes what came, perhaps a key, and so is its log line.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import structlog
from aiohttp import hdrs, http_exceptions, web

from service.http.middleware.request_ids import choose_request_id
from service.http.middleware.safe_headers import add_safe_headers
from service.http.middleware.url_limits import describe_long_url
from service.http.problems import (
    HttpProblem,
    InternalProblem,
    MalformedRequest,
    OverLimit,
    Problem,
    UnsupportedEncoding,
    render_problem,
)

RequestHandler: TypeAlias = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]
TOO_MANY_HEADERS: Final = "Too many headers received"
"""The parser's words; it has no type of its own for them."""


@dataclass(frozen=True, slots=True)
class HeadLimits:
    """What comes before a body may have: bytes of the URL, bytes of one header, headers."""

    url: int
    header: int
    headers: int

    @property
    def parser_line(self) -> int:
        """Above the limit of a URL, which a middleware knows better to refuse, and never the limit of a header."""
        return self.url + self.header + 1


class ProblemRunner(web.AppRunner):
    """An `AppRunner` whose connections answer with problems only."""

    __slots__ = ("_limits",)

    def __init__(self, app: web.Application, limits: HeadLimits, *, shutdown_timeout: float) -> None:
        super().__init__(
            app, handler_cancellation=True, shutdown_timeout=shutdown_timeout, access_log=None,
            max_line_size=limits.parser_line, max_field_size=limits.header, max_headers=limits.headers,
        )  # fmt: skip
        self._limits = limits

    async def _make_server(self) -> web.Server:
        server = await super()._make_server()
        server.__class__ = _ProblemServer
        assert isinstance(server, _ProblemServer)
        server.limits = self._limits
        server.request_handler = answer_refusals(server.request_handler)
        return server


class _ProblemServer(web.Server):
    limits: HeadLimits

    def __call__(self) -> web.RequestHandler:
        return _Connection(self, self.limits, loop=self._loop, **self._kwargs)


class _Connection(web.RequestHandler):
    __slots__ = ("_limits",)

    def __init__(self, server: web.Server, limits: HeadLimits, **options: object) -> None:
        super().__init__(server, **options)  # type: ignore[arg-type] # the server's own, passed on
        self._limits = limits

    def log_exception(self, *args: Any, **options: Any) -> None:
        """As aiohttp does, but for the rest of a body that cannot be read: its sender was told, and it is no fault of ours."""
        if not isinstance(options.get("exc_info"), web.RequestPayloadError):
            super().log_exception(*args, **options)

    def handle_error(
        self, request: web.BaseRequest, status: int = 500, exc: BaseException | None = None, message: str | None = None
    ) -> web.StreamResponse:
        """A problem instead of plain text; nothing of what came is told or logged."""
        problem = map_protocol_error(exc, self._limits)
        log = structlog.get_logger(__name__)
        if isinstance(problem, InternalProblem):
            log.error("unexpected_error", status=status, exc_info=exc)
        else:
            log.info("request_refused", code=problem.code, status=problem.kind.status)
        if request.writer.output_size > 0:
            raise ConnectionError("an answer has begun already")
        return render_last(problem)


def answer_refusals(handle: RequestHandler) -> RequestHandler:
    """The handler, with a problem for what aiohttp refuses before any middleware: an expectation other than `100-continue`."""

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        try:
            return await handle(request)
        except web.HTTPException as error:
            structlog.get_logger(__name__).info("request_refused", code=HttpProblem(error.status).code, status=error.status)
            return render_last(HttpProblem(error.status))

    return answer


def render_last(problem: Problem) -> web.Response:
    """The problem as the last answer of its connection."""
    request_id = choose_request_id(None)
    response = render_problem(problem, request_id)
    response.headers["X-Request-ID"] = request_id
    response.headers[hdrs.CONNECTION] = "close"
    add_safe_headers(response)
    response.force_close()
    return response


def map_protocol_error(error: BaseException | None, limits: HeadLimits) -> Problem:
    """The problem for what the parser refuses; anything else is ours."""
    match error:
        case http_exceptions.LineTooLong(args=(_, limit, *_)) if limit == limits.parser_line:
            return describe_long_url(limits.url)
        case http_exceptions.LineTooLong():
            what = f"A header may have at most {limits.header} bytes"
            return OverLimit("headers_too_large", what, "SHORTLIST_HEADER_LIMIT", limits.header)
        case http_exceptions.HttpProcessingError(message=message) if message == TOO_MANY_HEADERS:
            what = f"A request may have at most {limits.headers} headers"
            return OverLimit("headers_too_large", what, "SHORTLIST_HEADERS_MAX", limits.headers)
        case http_exceptions.ContentEncodingError():  # br without its library
            return UnsupportedEncoding()
        case http_exceptions.HttpProcessingError():
            return MalformedRequest()
        case _:
            return InternalProblem()
