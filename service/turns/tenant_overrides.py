"""The administrators' overrides, as the expansion takes them and as they are managed."""

from __future__ import annotations

import time
from collections.abc import Callable

from preprocessor.availability import Override, OverrideKind
from service.store.overrides import Overrides, StoredOverride
from service.turns.recent_reads import RecentReads


class TenantOverrides:
    """Reads and writes overrides. What this process writes counts at once, what another replica writes after `max_age` seconds.

    A read from the store costs 2 to 3 ms (benchmarks/), which every turn would pay.
    """

    def __init__(self, stored: Overrides, *, max_age: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._stored = stored
        self._recent = RecentReads(self._read, max_age=max_age, clock=clock)

    async def current(self, tenant: str) -> tuple[Override, ...]:
        """Those of the tenant. Raises `StoreUnavailable`."""
        return await self._recent.get(tenant)

    async def list(self, tenant: str) -> tuple[StoredOverride, ...]:
        """All that is stored, as it is now."""
        return await self._stored.list(tenant)

    async def put(self, tenant: str, kind: OverrideKind, item: str, *, enabled: bool, reason: str | None) -> StoredOverride:
        """Set one."""
        try:
            return await self._stored.put(tenant, kind, item, enabled=enabled, reason=reason)
        finally:
            self._recent.forget(tenant)

    async def delete(self, tenant: str, kind: OverrideKind, item: str) -> bool:
        """Take one back; whether there was one."""
        try:
            return await self._stored.delete(tenant, kind, item)
        finally:
            self._recent.forget(tenant)

    async def _read(self, tenant: str) -> tuple[Override, ...]:
        return tuple(Override(item.kind, item.id, item.enabled) for item in await self._stored.list(tenant))
