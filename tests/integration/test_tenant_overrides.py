"""Overrides are read at most so often, and never older than what this process wrote."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from preprocessor.availability import Override
from service.store.database import Database
from service.store.overrides import Overrides, StoredOverride
from service.turns.tenant_overrides import TenantOverrides

OFF = (Override("skill", "math-calculate", enabled=False),)


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
async def stored() -> AsyncIterator[Overrides]:
    async with await Database.open(":memory:") as database:
        yield Overrides(database)


async def test_what_this_process_writes_counts_at_once(stored: Overrides) -> None:
    overrides = TenantOverrides(stored, max_age=1e9)
    assert await overrides.current("a") == ()
    await overrides.put("a", "skill", "math-calculate", enabled=False, reason=None)
    assert await overrides.current("a") == OFF
    assert await overrides.current("b") == ()
    await overrides.delete("a", "skill", "math-calculate")
    assert await overrides.current("a") == ()


async def test_what_another_replica_writes_counts_after_the_age(stored: Overrides) -> None:
    clock = Clock()
    overrides = TenantOverrides(stored, max_age=1.0, clock=clock)
    assert await overrides.current("a") == ()
    await stored.put("a", "skill", "math-calculate", enabled=False)
    assert await overrides.current("a") == ()
    clock.now += 1.0
    assert await overrides.current("a") == OFF


async def test_reads_and_writes_at_once_never_leave_something_old_behind(stored: Overrides) -> None:
    """Whoever reads after a write has returned sees it, however many reads were under way."""
    overrides = TenantOverrides(stored, max_age=1e9)
    for enabled in (True, False) * 10:
        reads = [asyncio.create_task(overrides.current("a")) for _ in range(5)]
        await overrides.put("a", "skill", "math-calculate", enabled=enabled, reason=None)
        await asyncio.gather(*reads)
        assert await overrides.current("a") == (Override("skill", "math-calculate", enabled=enabled),)


class SlowOverrides(Overrides):
    """Holds back what it has read until it is released."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.read = asyncio.Event()
        self.released = asyncio.Event()

    async def list(self, tenant: str) -> tuple[StoredOverride, ...]:
        found = await super().list(tenant)
        self.read.set()
        await self.released.wait()
        return found


async def test_a_read_that_a_write_overtakes_is_not_remembered() -> None:
    """It had begun before the write, and ended after it."""
    async with await Database.open(":memory:") as database:
        stored = SlowOverrides(database)
        overrides = TenantOverrides(stored, max_age=1e9)
        overtaken = asyncio.create_task(overrides.current("a"))
        await stored.read.wait()
        await overrides.put("a", "skill", "math-calculate", enabled=False, reason=None)
        stored.released.set()
        assert await overtaken == ()
        assert await overrides.current("a") == OFF
