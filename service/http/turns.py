"""`POST /v1/turns`: a message in, an answer out, as JSON or as events."""

from __future__ import annotations

from contextlib import ExitStack
from uuid import uuid4

from aiohttp import web

from service.events import Emit, Event, discard
from service.http.answers import encode_json
from service.http.detached import see_through
from service.http.reading import get_services, read_caller, read_timeout, start_deadline
from service.http.schemas import TurnBody, to_message
from service.http.sse import EventStream
from service.idempotency import Recording
from service.json_body import read_json
from service.middleware.problem_answers import log_problem, map_error
from service.middleware.request_ids import REQUEST_ID
from service.problems import ShuttingDown, describe_problem
from service.services import Services
from service.turn import TurnOutcome, TurnRequest
from service.turn_metrics import count_event, count_turn
from service.turn_views import describe_turn


async def post_turn(request: web.Request) -> web.StreamResponse:
    """Answer a message."""
    services = get_services(request)
    body = await read_json(request, TurnBody)
    timeout = read_timeout(request, services.settings)
    turn = _make_turn(request, body, timeout, services)

    async def produce(recording: Recording) -> web.StreamResponse:
        with ExitStack() as admission:
            admission.enter_context(services.gate.admit())
            if turn.stream:
                return await _stream_turn(request, turn, services, recording, admission)
            answer = encode_json(describe_turn(await _run_turn(turn, services, discard, admission)))
            recording.add(answer)
            return web.Response(body=answer, content_type="application/json")

    return await see_through(request, services.idempotency.run_stream(request, produce))


def _make_turn(request: web.Request, body: TurnBody, timeout: float, services: Services) -> TurnRequest:
    settings = services.settings
    return TurnRequest(
        id=uuid4().hex,
        caller=read_caller(request, body.source),
        messages=tuple(map(to_message, body.messages)),
        intent=body.wanted,
        timeout=timeout,
        deadline=start_deadline(timeout),
        token_budget=min(body.token_budget or settings.turn_token_budget, settings.turn_token_budget),
        max_rounds=min(body.max_rounds or settings.max_rounds, settings.max_rounds),
        stream=body.stream,
    )


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
