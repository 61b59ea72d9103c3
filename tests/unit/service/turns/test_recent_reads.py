"""What was read a moment ago is not read again, unless it may have changed."""

from __future__ import annotations

import asyncio

import pytest

from service.turns import recent_reads
from service.turns.recent_reads import RecentReads


class Source:
    """Gives how often it was asked; waits or fails when a test says so."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.now = 0.0
        self.door = asyncio.Event()
        self.door.set()
        self.fails = False
        self.reads: RecentReads[str, int] = RecentReads(self._read, max_age=1.0, clock=lambda: self.now)

    async def _read(self, key: str) -> int:
        self.asked.append(key)
        await self.door.wait()
        if self.fails:
            raise OSError("away")
        return len(self.asked)


async def test_a_value_is_good_for_a_while() -> None:
    """By its own key."""
    source = Source()
    assert [await source.reads.get("a"), await source.reads.get("b"), await source.reads.get("a")] == [1, 2, 1]
    source.now = 0.999
    assert await source.reads.get("a") == 1
    source.now = 1.0
    assert await source.reads.get("a") == 3


async def test_a_change_counts_at_once() -> None:
    """Of one key alone, also of one that was never read."""
    source = Source()
    await source.reads.get("a")
    await source.reads.get("b")
    source.reads.forget("a")
    source.reads.forget("c")
    assert [await source.reads.get("a"), await source.reads.get("b")] == [3, 2]


async def test_a_change_while_it_is_read() -> None:
    """What was read may be older: it is given, and not kept."""
    source = Source()
    source.door.clear()
    reading = asyncio.create_task(source.reads.get("a"))
    await asyncio.sleep(0)
    source.reads.forget("a")
    source.door.set()
    assert await reading == 1
    assert await source.reads.get("a") == 2
    assert await source.reads.get("a") == 2


async def test_a_slow_read_is_as_old_as_its_beginning() -> None:
    """Its age counts from when it was asked."""
    source = Source()
    source.door.clear()
    reading = asyncio.create_task(source.reads.get("a"))
    await asyncio.sleep(0)
    source.now = 1.0
    source.door.set()
    await reading
    assert await source.reads.get("a") == 2


async def test_a_failure_is_not_kept() -> None:
    """The next one asks again; what was good before is not given any longer than it is good."""
    source = Source()
    source.fails = True
    with pytest.raises(OSError, match="away"):
        await source.reads.get("a")
    source.fails = False
    assert await source.reads.get("a") == 2


async def test_the_oldest_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many keys there are."""
    monkeypatch.setattr(recent_reads, "MAX_KEYS", 2)
    source = Source()
    for key in "abc":
        await source.reads.get(key)
    assert [await source.reads.get(key) for key in "cba"] == [3, 2, 4]
