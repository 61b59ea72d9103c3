"""`POST /v1/turns`: a message in, an answer out, as JSON or as events."""

from __future__ import annotations

from contextlib import ExitStack

from aiohttp import web

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
from service.turns.events import Emit, Event, discard
from service.turns.metering import count_event, count_turn
from service.turns.request import TurnRequest, start_limits, start_turn
from service.turns.turn import TurnOutcome
from service.views.turn import describe_turn


async def post_turn(request: web.Request) -> web.StreamResponse:
    """Answer a message."""
    services = get_services(request)
    body = await read_json(request, TurnBody)
    limits = start_limits(
        services.settings, timeout=read_timeout(request), token_budget=body.token_budget, max_rounds=body.max_rounds
    )
    messages = tuple(map(to_message, body.messages))
    turn = start_turn(read_caller(request, body.source), messages, body.wanted, limits, stream=body.stream)

    async def produce(recording: Recording) -> web.StreamResponse:
        with ExitStack() as admission:
            admission.enter_context(services.gate.admit(turn.caller.tenant))
            if turn.stream:
                return await _stream_turn(request, turn, services, recording, admission)
            answer = encode_json(describe_turn(await _run_turn(turn, services, discard, admission)))
            recording.add(answer)
            return web.Response(body=answer, content_type="application/json")

    return await see_through(request, services.idempotency.run_stream(request, produce, lasts=limits.timeout))


async def _run_turn(turn: TurnRequest, services: Services, emit: Emit, admission: ExitStack) -> TurnOutcome:
    """Run it, counted; its place is free as soon as it has ended, however slowly its client reads."""

    def count_and_emit(event: Event) -> None:
        count_event(services.metrics, event)
        emit(event)

    with admission, count_turn(services.metrics):
        return await services.turns.run(turn, count_and_emit)


async def _stream_turn(
    request: web.Request, turn: TurnRequest, services: Services, recording: Recording, admission: ExitStack
) -> web.StreamResponse:
    """The same as events; a problem is the last of them, since the status line is out by then."""

    async def produce(emit: Emit) -> None:
        try:
            outcome = await _run_turn(turn, services, emit, admission)
        except Exception as error:  # noqa: BLE001 - as the middleware does: the status line is out already
            recording.discard()
            problem = map_error(error)
            log_problem(request, problem, error)
            emit(Event("error", describe_problem(problem, request[REQUEST_ID])))
        else:
            emit(Event("turn.finished", describe_turn(outcome).model_dump(mode="json")))

    last_words = Event("error", describe_problem(ShuttingDown(), request[REQUEST_ID]))
    settings = services.settings
    stream = EventStream(request, recording, heartbeat=settings.heartbeat, timeout=settings.client_timeout, last_words=last_words)
    return await stream.send(produce)
