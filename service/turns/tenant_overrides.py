"""The administrators' overrides as the expansion takes them, read at most so often."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from preprocessor.availability import Override, OverrideKind
from service.store.overrides import Overrides, StoredOverride

MAX_TENANTS: Final = 10_000
"""Tenants that are remembered; the one read longest ago is forgotten first."""


class TenantOverrides:
    """Reads and writes overrides. What this process writes counts at once, what another replica writes after `max_age` seconds.

    A read from the store costs 2 to 3 ms (benchmarks/), which every turn would pay.
    """

    def __init__(self, stored: Overrides, *, max_age: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._stored = stored
        self._max_age = max_age
        self._clock = clock
        self._read: OrderedDict[str, tuple[float, tuple[Override, ...]]] = OrderedDict()
        self._writes = 0

    async def current(self, tenant: str) -> tuple[Override, ...]:
        """Those of the tenant. Raises `StoreUnavailable`."""
        read_at, overrides = self._read.get(tenant, (float("-inf"), ()))
        now, writes = self._clock(), self._writes
        if now - read_at < self._max_age:
            return overrides
        overrides = tuple(Override(item.kind, item.id, item.enabled) for item in await self._stored.list(tenant))
        if writes != self._writes:
            return overrides  # a write came meanwhile: this may be older
        self._read[tenant] = (now, overrides)
        self._read.move_to_end(tenant)
        while len(self._read) > MAX_TENANTS:
            self._read.popitem(last=False)
        return overrides

    async def list(self, tenant: str) -> tuple[StoredOverride, ...]:
        """All that is stored, as it is now."""
        return await self._stored.list(tenant)

    async def put(self, tenant: str, kind: OverrideKind, item: str, *, enabled: bool, reason: str | None) -> StoredOverride:
        """Set one."""
        try:
            return await self._stored.put(tenant, kind, item, enabled=enabled, reason=reason)
        finally:
            self._forget(tenant)

    async def delete(self, tenant: str, kind: OverrideKind, item: str) -> bool:
        """Take one back; whether there was one."""
        try:
            return await self._stored.delete(tenant, kind, item)
        finally:
            self._forget(tenant)

    def _forget(self, tenant: str) -> None:
        self._writes += 1
        self._read.pop(tenant, None)
