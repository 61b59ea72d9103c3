"""What was read from the store a moment ago."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Final, Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")

MAX_KEYS: Final = 10_000
"""Keys that are remembered; the one read longest ago is forgotten first."""


class RecentReads(Generic[K, V]):
    """Reads a value by its key, at most once in `max_age` seconds.

    What this process changes counts at once, if it is forgotten then; what another replica writes, `max_age` later.
    """

    def __init__(self, read: Callable[[K], Awaitable[V]], *, max_age: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._read = read
        self._max_age = max_age
        self._clock = clock
        self._kept: OrderedDict[K, tuple[float, V]] = OrderedDict()
        self._changes = 0

    async def get(self, key: K) -> V:
        """The value. Raises what reading raises."""
        now, changes = self._clock(), self._changes
        if (kept := self._kept.get(key)) is not None and now - kept[0] < self._max_age:
            return kept[1]
        value = await self._read(key)
        if changes == self._changes:  # else this may be older than a change that came meanwhile
            self._kept[key] = (now, value)
            self._kept.move_to_end(key)
            while len(self._kept) > MAX_KEYS:
                self._kept.popitem(last=False)
        return value

    def forget(self, key: K) -> None:
        """It was changed, or may have been."""
        self._changes += 1
        self._kept.pop(key, None)
