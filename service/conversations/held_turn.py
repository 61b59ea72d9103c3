"""A turn that holds its conversation: it alone writes to it, and what it does is kept as it goes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace

import structlog

from apps.sdk.chat import Message
from apps.sdk.jsontypes import JsonObject
from service.completion import complete
from service.conversations.errors import TurnSuperseded
from service.conversations.event_writer import EventWriter, is_writable
from service.store.errors import LeaseLost, StoreUnavailable
from service.store.tables import utc_now
from service.store.turn_records import EVENTS_PER_EPOCH, Lease, StoredEvent, TurnEnd, TurnRecords
from service.turns.events import Emit, Event
from service.turns.request import TurnRequest
from service.turns.turn import TurnOutcome, TurnRunner
from service.views.preparation import describe_usage
from service.views.turn import describe_finished

RETRY_DELAYS = (0.2, 0.5, 1.0, 2.0, 4.0)
"""Seconds between the tries to write how a turn ended; a database that restarts is back by then."""
RETRY_TIME = 10.0
"""Seconds after which no further try begins: one at a database that says nothing at all takes long by itself."""


class HeldTurn:
    """One turn of a stored conversation; `ConversationTurns.hold` makes it and lets the conversation go."""

    def __init__(
        self,
        request: TurnRequest,
        lease: Lease,
        last_seq: int,
        *,
        runner: TurnRunner,
        records: TurnRecords,
        writer: EventWriter,
    ) -> None:
        self.request = request
        self.end_id: int | None = None
        self._lease = lease
        self._last_seq = last_seq
        self._runner = runner
        self._records = records
        self._writer = writer
        self._unkept: list[Message] = []
        self._told = 0
        self._ended = False
        self._lost = False
        self._alarm: asyncio.Timeout | None = None

    async def run(self, emit: Emit) -> TurnOutcome:
        """Answer the message; events carry the ids under which they are stored. Raises what `TurnRunner.run` raises.

        Raises `TurnSuperseded` as soon as somebody else has the conversation.
        """
        try:
            async with asyncio.timeout(None) as self._alarm:
                if self._lost:
                    raise TurnSuperseded
                with self._writer.watch(self._lease, self.lose):
                    return await self._runner.run(self.request, lambda event: emit(self._number(event)), self)
        except TimeoutError:
            if self._lost:
                raise TurnSuperseded from None
            raise
        finally:
            self._alarm = None

    def add(self, messages: Sequence[Message]) -> None:
        """Note what a round added."""
        self._unkept.extend(messages)

    async def flush(self) -> None:
        """Keep what was noted; while the store is away it waits for the next time. Raises `TurnSuperseded`."""
        await complete(self._keep())

    def lose(self) -> None:
        """Somebody else has the conversation: what runs is stopped, nothing more is written."""
        self._lost = self._ended = True
        if self._alarm is not None and not self._alarm.expired():
            self._alarm.reschedule(asyncio.get_running_loop().time())

    async def finish(self, outcome: TurnOutcome) -> None:
        """Keep the answer and let the conversation go. Raises `TurnSuperseded`, `StoreUnavailable`."""
        answer = outcome.answer
        self._unkept.append(Message("assistant", answer.text))
        usage = describe_usage(outcome.usage).model_dump()
        end = TurnEnd("done", model=answer.model, usage=usage, notices=tuple(notice.code for notice in answer.notices))
        await complete(self._end(end, Event("turn.finished", describe_finished(outcome))))

    async def fail(self, problem: JsonObject) -> None:
        """Keep that there is no answer, and why, if that can be written."""
        await self._try_to_end(TurnEnd("failed", problem=str(problem["code"])), Event("error", problem))

    async def close(self) -> None:
        """Note a turn as cancelled that has neither been finished nor failed; what its rounds did is kept."""
        told = {"id": self.request.id, "status": "cancelled"}
        await self._try_to_end(TurnEnd("cancelled"), Event("turn.finished", told))

    async def _keep(self) -> None:
        written = tuple(self._unkept)
        try:
            self._last_seq = await self._records.append(self._lease, written, after_seq=self._last_seq)
        except LeaseLost:
            self.lose()
            raise TurnSuperseded from None
        except StoreUnavailable as error:
            structlog.get_logger(__name__).warning("messages_not_written_yet", error_type=type(error).__name__)
        else:
            del self._unkept[: len(written)]

    async def _try_to_end(self, end: TurnEnd, event: Event) -> None:
        if self._ended:
            return
        try:
            await complete(self._end(end, event))
        except (StoreUnavailable, TurnSuperseded, ValueError) as error:
            # its lease runs out, and whoever comes next notes it as interrupted
            structlog.get_logger(__name__).warning("turn_end_not_written", error_type=type(error).__name__)

    async def _end(self, end: TurnEnd, event: Event) -> None:
        if self._lost:
            raise TurnSuperseded
        self._ended = True
        last = self._store(event)
        events = (*await self._writer.take(self._lease), *([last] if is_writable(last) else []))
        give_up = time.monotonic() + RETRY_TIME
        for delay in (*RETRY_DELAYS, None):
            try:
                await self._records.finish(
                    self._lease, end, messages=tuple(self._unkept), events=events, after_seq=self._last_seq
                )
                break
            except LeaseLost:
                self.lose()
                raise TurnSuperseded from None
            except StoreUnavailable:
                if delay is None or time.monotonic() > give_up:
                    raise
                await asyncio.sleep(delay)
        self.end_id = last.id
        self._writer.wake(self._lease.conversation_id)

    def _number(self, event: Event) -> Event:
        if self._told >= EVENTS_PER_EPOCH - 2:  # a model that never stops: the last number is for the turn's end
            return event
        stored = self._store(event)
        self._writer.add(self._lease, stored)
        return replace(event, id=stored.id)

    def _store(self, event: Event) -> StoredEvent:
        self._told += 1
        event_id = self._lease.epoch * EVENTS_PER_EPOCH + self._told
        return StoredEvent(event_id, self._lease.turn_id, event.name, event.data, utc_now())
