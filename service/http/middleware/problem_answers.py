"""The one map from exceptions to responses."""

from __future__ import annotations

from typing import Final

import structlog
from aiohttp import hdrs, web
from aiohttp.typedefs import Handler

from apps.sdk.chat import ModelError
from service.conversations.errors import TurnSuperseded
from service.http.middleware.request_ids import REQUEST_ID
from service.http.middleware.route_names import name_route
from service.http.problems import (
    BodyTooLarge,
    ConversationBusyNow,
    DeadlineExceeded,
    ForkPointRefused,
    HttpProblem,
    InternalProblem,
    MalformedBody,
    MethodNotAllowed,
    ModelFailed,
    NotFound,
    Problem,
    StoreDown,
    Superseded,
    TenantBusy,
    TokenBudgetExhausted,
    TooBusy,
    Unreadable,
    UnsupportedMediaType,
    render_problem,
)
from service.store.errors import (
    ConversationBusy,
    ConversationMissing,
    ForkPointInvalid,
    LeaseLost,
    RowTooNew,
    RowUnreadable,
    StoreError,
)
from service.turns.errors import BudgetSpent, DeadlinePassed, TooManyOfTenant, TooManyTurns, TurnError

STARTED: Final = web.RequestKey("started", web.StreamResponse)
KEPT_HEADERS: Final = (hdrs.WWW_AUTHENTICATE, hdrs.RETRY_AFTER, hdrs.UPGRADE)
"""What aiohttp's own refusals say in headers; `Allow` comes with the problem."""


@web.middleware
async def answer_problems(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Turn whatever a handler raises into problem details; a cancellation goes through."""
    try:
        return await handler(request)
    except Exception as error:  # noqa: BLE001 (the last place where it can become an answer)
        if STARTED in request:
            return _break_off(request, error)
        if isinstance(error, web.HTTPException):
            return _answer_http(request, error)
        return _answer(request, map_error(error), error)


async def note_start(request: web.Request, response: web.StreamResponse) -> None:
    """Remember that headers are being sent: from then on no problem can be answered."""
    request[STARTED] = response


def map_error(error: Exception) -> Problem:
    """The problem that any exception is told as; without details when nobody meant it for callers."""
    match error:
        case Problem():
            return error
        case ModelError():
            return ModelFailed(error)
        case TurnError():
            return map_turn_error(error)
        case StoreError():
            return map_store_error(error)
        case web.RequestPayloadError():
            return MalformedBody("The body ended early, or its Content-Encoding is not what it says.")
        case _:
            return InternalProblem()


def map_store_error(error: StoreError) -> Problem:
    """The problem for what the store refuses, or cannot do now."""
    match error:
        case ConversationMissing():
            return NotFound("There is no such conversation.")
        case ConversationBusy():
            return ConversationBusyNow(error.seconds)
        case LeaseLost():
            return Superseded()
        case ForkPointInvalid():
            return ForkPointRefused()
        case RowUnreadable():
            return Unreadable(newer=isinstance(error, RowTooNew))
        case _:
            return StoreDown()


def map_turn_error(error: TurnError) -> Problem:
    """The problem for a turn that gave no answer."""
    match error:
        case TurnSuperseded():
            return Superseded()
        case DeadlinePassed():
            return DeadlineExceeded(error.seconds)
        case BudgetSpent():
            return TokenBudgetExhausted(error.tokens)
        case TooManyOfTenant():
            return TenantBusy("SHORTLIST_TURNS_PARALLEL_PER_TENANT", error.limit)
        case TooManyTurns():
            return TooBusy("SHORTLIST_TURNS_PARALLEL", error.limit)
        case _:
            return InternalProblem()


def map_http_error(error: web.HTTPException, request: web.Request) -> Problem:
    """The problem for what aiohttp itself refuses."""
    match error:
        case web.HTTPNotFound():
            return NotFound("There is nothing at this path.")
        case web.HTTPMethodNotAllowed():
            return MethodNotAllowed(error.method, sorted(error.allowed_methods))
        case web.HTTPRequestEntityTooLarge():
            return BodyTooLarge(request.client_max_size)
        case web.HTTPUnsupportedMediaType():
            return UnsupportedMediaType()
        case web.HTTPInternalServerError():
            return InternalProblem()
        case _:
            return HttpProblem(error.status)


def log_problem(request: web.Request, problem: Problem, error: Exception) -> None:
    """Log a problem as loudly as it concerns whoever runs the service; never a text of the request."""
    log = structlog.get_logger(__name__)
    match problem:
        case InternalProblem():
            log.error("unexpected_error", route=name_route(request), exc_info=error)
        case ModelFailed() | StoreDown() | Unreadable():
            log.warning("problem", code=problem.code, route=name_route(request), error_type=type(error).__name__)
        case _:
            log.debug("problem", code=problem.code, route=name_route(request))


def _answer(request: web.Request, problem: Problem, error: Exception) -> web.Response:
    log_problem(request, problem, error)
    return render_problem(problem, request.get(REQUEST_ID))


def _answer_http(request: web.Request, error: web.HTTPException) -> web.Response:
    if error.status < 400:
        raise error
    response = _answer(request, map_http_error(error, request), error)
    response.headers.extend({name: error.headers[name] for name in KEPT_HEADERS if name in error.headers})
    return response


def _break_off(request: web.Request, error: Exception) -> web.StreamResponse:
    """End a response that has begun so that its reader cannot take it for a whole one."""
    if not isinstance(error, ConnectionError):
        structlog.get_logger(__name__).error("stream_broken_off", route=name_route(request), exc_info=error)
    if request.transport is not None:
        request.transport.close()
    return request[STARTED]
