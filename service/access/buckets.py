"""Token buckets: so many requests a minute, all at once if need be."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

MAX_BUCKETS: Final = 10_000
"""Names that are remembered; the one used longest ago is forgotten first, and starts with a full bucket again."""
MINUTE: Final = 60.0


@dataclass(frozen=True, slots=True)
class Share:
    """What is left after a request. `refused`: it was one too many, and may come again after `wait` seconds."""

    limit: int
    left: int
    refused: bool
    wait: float
    full_after: float


class TokenBuckets:
    """A bucket for each name, holding `per_minute` tokens, filled evenly. One event loop only."""

    def __init__(self, per_minute: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit = per_minute
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def holds(self, name: str) -> bool:
        """Whether there is a token in the name's bucket."""
        return self._count(name, self._clock()) >= 1

    def take(self, name: str) -> Share:
        """Take one token of the name's bucket, if there is one."""
        now = self._clock()
        tokens = self._count(name, now)
        refused = tokens < 1
        tokens -= 0 if refused else 1
        self._buckets[name] = (tokens, now)
        self._buckets.move_to_end(name)
        if len(self._buckets) > MAX_BUCKETS:
            self._buckets.popitem(last=False)
        return Share(self._limit, math.floor(tokens), refused, self._fill_time(1 - tokens), self._fill_time(self._limit - tokens))

    def _count(self, name: str, now: float) -> float:
        tokens, seen = self._buckets.get(name, (float(self._limit), now))
        return min(self._limit, tokens + (now - seen) * self._limit / MINUTE)

    def _fill_time(self, tokens: float) -> float:
        return max(0.0, tokens * MINUTE / self._limit)
