"""Whether the store works, for probes that come every few seconds."""

from __future__ import annotations

import asyncio
from typing import Final

from service.background import OwnedTasks
from service.store.database import Database
from service.store.errors import StoreError

WAIT: Final = 1.0
"""Seconds that a probe waits for the store."""


class StoreCheck:
    """Asks the store one question at a time, however many want to know; a database that hangs holds nobody up."""

    def __init__(self, database: Database, tasks: OwnedTasks) -> None:
        self._database = database
        self._tasks = tasks
        self._asking: asyncio.Task[bool] | None = None

    async def works(self) -> bool:
        """Whether it says so within `WAIT`."""
        if self._asking is None or self._asking.done():
            self._asking = self._tasks.start(self._ask())
        asking = self._asking
        await asyncio.wait([asking], timeout=WAIT)
        return asking.done() and not asking.cancelled() and asking.result()

    async def _ask(self) -> bool:
        try:
            await self._database.check()
        except StoreError:
            return False
        return True
