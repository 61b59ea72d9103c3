"""Follows the stored events of conversations, whichever process writes them."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager

import structlog

from service.store.conversations import Owner
from service.store.errors import StoreError, StoreUnavailable
from service.store.turn_records import StoredEvent, TurnRecords

PAGE = 200
"""Events that are read at once."""


class TooManyFollowers(Exception):
    """As many follow at once as the setting allows."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"{limit} follow already")
        self.limit = limit


class EventFeed:
    """Tells followers of new events: at once of this process' own, after `poll` seconds at most of another replica's.

    One query a poll serves all followers. Shutting down ends every stream.
    """

    def __init__(self, records: TurnRecords, *, poll: float, most: int) -> None:
        self._records = records
        self._poll = poll
        self._most = most
        self._signals: dict[str, set[asyncio.Event]] = defaultdict(set)
        self._seen: dict[str, int] = {}
        self._followers = 0
        self._closed = False

    @property
    def closed(self) -> bool:
        return self._closed

    def wake(self, conversation_id: str) -> None:
        """Let the followers of a conversation look."""
        for signal in self._signals.get(conversation_id, ()):
            signal.set()

    def close(self) -> None:
        """End every stream; new ones end with what is stored."""
        self._closed = True
        for conversation_id in self._signals:
            self.wake(conversation_id)

    @contextmanager
    def join(self, conversation_id: str) -> Iterator[asyncio.Event]:
        """Be counted as a follower, with the signal of news. Raises `TooManyFollowers`."""
        if self._followers >= self._most:
            raise TooManyFollowers(self._most)
        self._followers += 1
        signal = asyncio.Event()
        self._signals[conversation_id].add(signal)
        try:
            yield signal
        finally:
            self._followers -= 1
            self._signals[conversation_id].discard(signal)
            if not self._signals[conversation_id]:
                del self._signals[conversation_id]
                self._seen.pop(conversation_id, None)

    async def follow(
        self, owner: Owner, conversation_id: str, after: int, signal: asyncio.Event
    ) -> AsyncGenerator[tuple[StoredEvent, ...], None]:
        """The events behind `after`, page by page, then new ones as they come; ends when the service does.

        Raises `ConversationMissing`, also when it is deleted meanwhile. While the store is away it waits.
        """
        while True:
            signal.clear()
            while events := await self._read_when_it_can(owner, conversation_id, after):
                yield events
                after = events[-1].id
            if self._closed:
                return
            await signal.wait()

    async def _read_when_it_can(self, owner: Owner, conversation_id: str, after: int) -> tuple[StoredEvent, ...]:
        """The next page, empty when there is none; asked again while the store is away, unless the service ends."""
        while True:
            try:
                return await self._records.read_events(owner, conversation_id, after=after, limit=PAGE)
            except StoreUnavailable:
                if self._closed:
                    return ()
                await asyncio.sleep(self._poll)

    async def run(self) -> None:
        """Look for what other replicas wrote, until cancelled."""
        while True:
            await asyncio.sleep(self._poll)
            if self._signals:
                await self._look()

    async def _look(self) -> None:
        followed = tuple(self._signals)
        try:
            newest = await self._records.last_events(followed)
        except StoreError as error:
            structlog.get_logger(__name__).warning("events_not_read", error_type=type(error).__name__)
            return
        for conversation_id in followed:
            last = newest.get(conversation_id, -1)  # gone: its followers find that out by reading
            if conversation_id in self._signals and self._seen.get(conversation_id) != last:
                self._seen[conversation_id] = last
                self.wake(conversation_id)
