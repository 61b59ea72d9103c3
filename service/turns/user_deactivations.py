"""What users have switched off for themselves, as the expansion takes it and as it is managed."""

from __future__ import annotations

import time
from collections.abc import Callable

from preprocessor.availability import Deactivation, OverrideKind
from service.store.conversations import Owner
from service.store.deactivations import Deactivations, StoredDeactivation
from service.turns.recent_reads import RecentReads


class UserDeactivations:
    """Reads and writes deactivations. What this process writes counts at once, what another writes after `max_age` seconds."""

    def __init__(self, stored: Deactivations, *, max_age: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._stored = stored
        self._recent = RecentReads(self._read, max_age=max_age, clock=clock)

    async def current(self, owner: Owner) -> tuple[Deactivation, ...]:
        """Those of the user. Raises `StoreUnavailable`."""
        return await self._recent.get(owner)

    async def list(self, owner: Owner) -> tuple[StoredDeactivation, ...]:
        """All that is stored, as it is now."""
        return await self._stored.list(owner)

    async def put(self, owner: Owner, kind: OverrideKind, item: str) -> None:
        """Switch one off."""
        try:
            await self._stored.put(owner, kind, item)
        finally:
            self._recent.forget(owner)

    async def delete(self, owner: Owner, kind: OverrideKind, item: str) -> bool:
        """Switch one on again; whether it was off."""
        try:
            return await self._stored.delete(owner, kind, item)
        finally:
            self._recent.forget(owner)

    def forget(self, owner: Owner) -> None:
        """Everything of the user was erased."""
        self._recent.forget(owner)

    async def _read(self, owner: Owner) -> tuple[Deactivation, ...]:
        return tuple(Deactivation(item.kind, item.id) for item in await self._stored.list(owner))
