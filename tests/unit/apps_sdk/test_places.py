"""Places for many owners: the total holds, each one's share holds, and nothing is left of who went."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from apps.sdk.places import Places


async def test_neither_the_total_nor_a_share_is_passed() -> None:
    """Forty of two owners, the first one's all before the other's, and all of them get in at last."""
    places = Places(3, 2)
    inside: Counter[int] = Counter()
    most: Counter[int] = Counter()
    crowd = done = 0

    async def work(owner: int) -> None:
        nonlocal crowd, done
        async with places.take(owner):
            inside[owner] += 1
            crowd = max(crowd, inside.total())
            most[owner] = max(most[owner], inside[owner])
            await asyncio.sleep(0.001)
            inside[owner] -= 1
            done += 1

    await asyncio.gather(*(work(number // 20) for number in range(40)))
    assert (crowd, done, most) == (3, 40, {0: 2, 1: 2})


async def test_who_waits_takes_nothing_from_others() -> None:
    """An owner with many that wait leaves the rest of the places to the next one."""
    places = Places(3, 2)
    held = asyncio.Event()

    async def hold() -> None:
        async with places.take("eve"):
            await held.wait()

    crowd = [asyncio.create_task(hold()) for _ in range(10)]
    await asyncio.sleep(0.01)
    async with asyncio.timeout(5), places.take("ada"):
        pass
    held.set()
    await asyncio.gather(*crowd)


async def test_one_that_is_cancelled_or_fails_gives_its_place_back() -> None:
    """While it waits and while it is in; no owner is remembered."""
    places = Places(1, 1)
    with pytest.raises(ZeroDivisionError):
        async with places.take("ada"):
            1 / 0  # noqa: B018
    async with places.take("ada"):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01), places.take("ada"):
                pass
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01), places.take("eve"):
                pass
    async with asyncio.timeout(5), places.take("eve"):
        pass
    assert not places._shares
