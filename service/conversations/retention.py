"""Deletes what has been kept for long enough."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta

import structlog

from service.store.conversations import Conversations
from service.store.errors import StoreError
from service.store.tables import utc_now
from service.store.turn_records import TurnRecords


class Retention:
    """`unused`: after how long without a turn or a change a conversation goes, None = never; `events`: how long those stay.

    `empty_log`: takes what anybody deleted out of what the database keeps beside its tables.
    """

    def __init__(
        self,
        conversations: Conversations,
        records: TurnRecords,
        empty_log: Callable[[], Awaitable[object]],
        *,
        unused: timedelta | None,
        events: timedelta,
    ) -> None:
        self._empty_log = empty_log
        self._conversations = conversations
        self._records = records
        self._unused = unused
        self._events = events

    async def purge_forever(self, interval: float) -> None:
        """Delete what is over every `interval` seconds, until cancelled. A store that fails is tried again."""
        while True:
            try:
                await self.purge()
            except StoreError as error:
                structlog.get_logger(__name__).warning("retention_failed", error_type=type(error).__name__)
            await asyncio.sleep(interval)

    async def purge(self) -> None:
        """Delete what is over now. Raises `StoreUnavailable`."""
        now = utc_now()
        if self._unused is not None:
            await self._conversations.purge(now - self._unused)
        await self._records.purge_events(now - self._events)
        await self._empty_log()
