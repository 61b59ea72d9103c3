"""`POST /v1/turns`: a message in, an answer out, as JSON or as events."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from functools import partial

from aiohttp import web

from apps.sdk.jsontypes import JsonObject
from service.http.detached import see_through
from service.http.idempotency import Recording
from service.http.json_body import read_json
from service.http.middleware.problem_answers import log_problem, map_error
from service.http.middleware.request_ids import REQUEST_ID
from service.http.problems import ShuttingDown, describe_problem
from service.http.reading import get_services, read_caller, read_timeout
from service.http.responses import encode_json
from service.http.schemas import TurnBody, to_message
from service.http.sse import EventStream
from service.services import Services
from service.turns.begun import BegunTurn, UnkeptTurn, carry_out
from service.turns.events import Emit, Event, discard
from service.turns.metering import count_event, count_turn
from service.turns.request import Caller, TurnLimits, start_limits, start_turn
from service.turns.turn import TurnOutcome
from service.views.turn import describe_turn


async def post_turn(request: web.Request) -> web.StreamResponse:
    """Answer a message."""
    services = get_services(request)
    body = await read_json(request, TurnBody)
    limits = start_limits(
        services.settings, timeout=read_timeout(request), token_budget=body.token_budget, max_rounds=body.max_rounds
    )
    caller = read_caller(request, body.source)

    async def produce(recording: Recording) -> web.StreamResponse:
        async with AsyncExitStack() as stack:
            place = stack.enter_context(ExitStack())
            place.enter_context(services.gate.admit(caller.tenant))
            turn = await stack.enter_async_context(_begin_turn(services, caller, body, limits))
            if body.stream:
                return await _stream_turn(request, turn, services, recording, place)
            outcome = await _carry_out(request, turn, services, discard, place)
            answer = encode_json(describe_turn(outcome))
            recording.add(answer)
            return web.Response(body=answer, content_type="application/json")

    return await see_through(request, services.idempotency.run_stream(request, produce, lasts=limits.timeout))


@asynccontextmanager
async def _begin_turn(services: Services, caller: Caller, body: TurnBody, limits: TurnLimits) -> AsyncIterator[BegunTurn]:
    messages = tuple(map(to_message, body.messages))
    if body.conversation_id is None:
        yield UnkeptTurn(start_turn(caller, messages, body.wanted, limits, stream=body.stream), services.turns)
        return
    async with services.conversation_turns.hold(
        caller, body.conversation_id, messages, body.intent, limits, stream=body.stream
    ) as turn:
        yield turn


async def _carry_out(request: web.Request, turn: BegunTurn, services: Services, emit: Emit, place: ExitStack) -> TurnOutcome:
    """See to it, counted; its place is free as soon as it has ended, however slowly its client reads."""

    def count_and_emit(event: Event) -> None:
        count_event(services.metrics, event)
        emit(event)

    with place, count_turn(services.metrics):
        return await carry_out(turn, count_and_emit, partial(_describe, request))


def _describe(request: web.Request, error: Exception) -> JsonObject:
    return describe_problem(map_error(error), request[REQUEST_ID])


async def _stream_turn(
    request: web.Request, turn: BegunTurn, services: Services, recording: Recording, place: ExitStack
) -> web.StreamResponse:
    """The same as events; a problem is the last of them, since the status line is out by then."""

    async def produce(emit: Emit) -> None:
        try:
            outcome = await _carry_out(request, turn, services, emit, place)
        except Exception as error:  # noqa: BLE001 - as the middleware does: the status line is out already
            recording.discard()
            log_problem(request, map_error(error), error)
            emit(Event("error", _describe(request, error), turn.end_id))
        else:
            emit(Event("turn.finished", describe_turn(outcome).model_dump(mode="json"), turn.end_id))

    settings = services.settings
    stream = EventStream(
        request,
        recording,
        heartbeat=settings.heartbeat,
        timeout=settings.client_timeout,
        last_words=Event("error", _describe(request, ShuttingDown())),
        kept=turn.request.caller.conversation is not None,
    )
    return await stream.send(produce)
