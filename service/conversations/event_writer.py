"""Stores what running turns tell."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import structlog

from service.completion import complete
from service.store.errors import StoreError
from service.store.json_text import write_json
from service.store.turn_records import Lease, StoredEvent, TurnRecords

BEAT = 0.1
"""Seconds between two writes; a follower in another process learns of an event that much later at most, and its own poll."""
MAX_WAITING = 2_000
"""Events of one turn that wait for a store that is away; beyond it the pieces of text go, which the answer repeats."""


class EventWriter:
    """Writes the events of all turns of the process together, one transaction a beat, in the order of each turn.

    `wake` is told which conversations have something new. A turn that is watched learns when it has lost its conversation.
    """

    def __init__(self, records: TurnRecords, wake: Callable[[str], None], *, beat: float = BEAT) -> None:
        self._records = records
        self.wake = wake
        self._beat = beat
        self._waiting: dict[Lease, list[StoredEvent]] = {}
        self._watched: dict[Lease, Callable[[], None]] = {}
        self._has_some = asyncio.Event()
        self._writing = asyncio.Lock()

    @contextmanager
    def watch(self, lease: Lease, lose: Callable[[], None]) -> Iterator[None]:
        """Call `lose` when a write finds that somebody else has the turn's conversation."""
        self._watched[lease] = lose
        try:
            yield
        finally:
            del self._watched[lease]

    def add(self, lease: Lease, event: StoredEvent) -> None:
        """Have it written soon; an event that cannot be JSON is logged and dropped, so that it costs no other."""
        if not is_writable(event):
            return
        self._waiting.setdefault(lease, []).append(event)
        self._has_some.set()

    async def take(self, lease: Lease) -> list[StoredEvent]:
        """What is not written yet of a turn, for the caller to write; a write under way ends first."""
        async with self._writing:
            return self._waiting.pop(lease, [])

    async def run(self) -> None:
        """Write until cancelled; a store that fails is tried again with the next beat."""
        while True:
            await self._has_some.wait()
            await asyncio.sleep(self._beat)
            await self.flush()

    async def flush(self) -> None:
        """Write everything that waits; what belongs to a turn that has lost its conversation is dropped."""
        await complete(self._flush())

    async def _flush(self) -> None:
        async with self._writing:
            batches, self._waiting = self._waiting, {}
            self._has_some.clear()
            if not batches:
                return
            try:
                lost = await self._records.write_events(tuple(batches.items()))
            except StoreError as error:
                structlog.get_logger(__name__).warning("events_not_written", error_type=type(error).__name__)
                self._put_back(batches)
                return
        for lease in batches:
            if lease in lost and lease in self._watched:
                self._watched[lease]()
            self.wake(lease.conversation_id)

    def _put_back(self, batches: dict[Lease, list[StoredEvent]]) -> None:
        for lease, events in batches.items():
            kept = [*events, *self._waiting.get(lease, ())]
            self._waiting[lease] = kept if len(kept) <= MAX_WAITING else [event for event in kept if event.name != "text.delta"]
        self._has_some.set()


def is_writable(event: StoredEvent) -> bool:
    """Whether the event can be kept."""
    try:
        write_json(event.data)
    except ValueError as error:
        structlog.get_logger(__name__).error("event_unwritable", name=event.name, turn=event.turn_id, error=str(error))
        return False
    return True
