"""Ends the turns of processes that crashed, when nobody else takes their conversations."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import structlog

from service.store.errors import StoreError
from service.store.turn_records import TurnRecords


class AbandonedTurns:
    """Looks once in every `lease` seconds for turns whose lease has been over for as long: a holder that was only cut off from
    the database has that time to renew it.

    `wake` is told which conversations have something new.
    """

    def __init__(self, records: TurnRecords, wake: Callable[[str], None], *, lease: float) -> None:
        self._records = records
        self._wake = wake
        self._lease = lease

    async def run(self) -> None:
        """Look until cancelled; a store that fails is tried again."""
        while True:
            try:
                await self.end()
            except StoreError as error:
                structlog.get_logger(__name__).warning("abandoned_turns_not_ended", error_type=type(error).__name__)
            await asyncio.sleep(self._lease)

    async def end(self) -> None:
        """End those of now. Raises `StoreUnavailable`."""
        for conversation_id in await self._records.end_abandoned(self._lease):
            structlog.get_logger(__name__).warning("turn_interrupted", conversation=conversation_id)
            self._wake(conversation_id)
