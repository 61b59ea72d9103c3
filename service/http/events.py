"""`GET /v1/conversations/{id}/events`: what its turns told, as a page or as a stream that goes on."""

from __future__ import annotations

from typing import Final, cast

from aiohttp import hdrs, web

from service.conversations.event_feed import TooManyFollowers
from service.http.idempotency import Recording
from service.http.middleware.problem_answers import log_problem, map_error
from service.http.middleware.request_ids import REQUEST_ID
from service.http.problems import InvalidHeader, ShuttingDown, TooBusy, describe_problem
from service.http.reading import get_services, read_number, read_owner, read_query
from service.http.responses import answer_json
from service.http.sse import EventStream
from service.store.turn_records import StoredEvent
from service.turns.events import Emit, Event, EventName
from service.views.conversations import EventsView, describe_event

LAST_EVENT_ID: Final = "Last-Event-ID"
MAX_ID: Final = 2**53
PAGE: Final = 100
MOST: Final = 500


async def get_events(request: web.Request) -> web.StreamResponse:
    """Those behind `after`, or behind the `Last-Event-ID` of a client that comes back; as a stream if it accepts one."""
    query = read_query(request, "limit", "after")
    after = read_number(query, "after", _read_last_id(request), least=0, most=MAX_ID)
    if request.method == hdrs.METH_GET and "text/event-stream" in request.headers.get(hdrs.ACCEPT, ""):
        return await _follow(request, after)
    limit = read_number(query, "limit", PAGE, least=1, most=MOST)
    found = await get_services(request).turn_records.read_events(
        read_owner(request), request.match_info["id"], after=after, limit=limit
    )
    return answer_json(EventsView(events=tuple(map(describe_event, found)), next=found[-1].id if found else after))


async def _follow(request: web.Request, after: int) -> web.StreamResponse:
    services = get_services(request)
    owner, conversation_id = read_owner(request), request.match_info["id"]
    await services.conversations.get(owner, conversation_id)  # a problem must come before the stream begins
    settings = services.settings
    try:
        with services.event_feed.join(conversation_id) as signal:
            stream = EventStream(
                request,
                Recording(limit=0),
                heartbeat=settings.heartbeat,
                timeout=settings.client_timeout,
                last_words=Event("error", describe_problem(ShuttingDown(), request[REQUEST_ID])),
                kept=True,
            )

            async def produce(emit: Emit) -> None:
                try:
                    async for page in services.event_feed.follow(owner, conversation_id, after, signal):
                        for stored in page:
                            emit(_read_event(stored))
                        await stream.drained()
                except Exception as error:  # noqa: BLE001 - as the middleware does: the status line is out already
                    problem = map_error(error)
                    log_problem(request, problem, error)
                    emit(Event("error", describe_problem(problem, request[REQUEST_ID])))

            return await stream.send(produce)
    except TooManyFollowers as error:
        raise TooBusy("SHORTLIST_EVENT_STREAMS", error.limit) from None


def _read_event(stored: StoredEvent) -> Event:
    return Event(cast("EventName", stored.name), stored.data, stored.id)


def _read_last_id(request: web.Request) -> int:
    given = request.headers.get(LAST_EVENT_ID, "0")
    if not given.isascii() or not given.isdigit() or len(given) > 18:
        raise InvalidHeader(LAST_EVENT_ID, "the id of an event that was received")
    return int(given)
