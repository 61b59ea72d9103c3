"""Room for so many at once, of which nobody takes all."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from dataclasses import dataclass


@dataclass(slots=True)
class _Share:
    """One owner's part: how many of it may be in, and how many of it are in or wait."""

    places: asyncio.Semaphore
    users: int = 0


class Places:
    """At most `total` are in at once, of one owner at most `each`; further ones wait, those of an owner in their order.

    Who waits for its owner's share takes no place from others.
    """

    def __init__(self, total: int, each: int) -> None:
        self._places = asyncio.Semaphore(total)
        self._each = each
        self._shares: dict[Hashable, _Share] = {}

    @asynccontextmanager
    async def take(self, owner: Hashable) -> AsyncIterator[None]:
        """Wait for a place, and hold it within the block."""
        share = self._shares.setdefault(owner, _Share(asyncio.Semaphore(self._each)))
        share.users += 1
        try:
            async with share.places, self._places:
                yield
        finally:
            share.users -= 1
            if not share.users:
                self._shares.pop(owner, None)
