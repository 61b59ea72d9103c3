"""Samples: taken in turns, so that whatever else the machine does falls on every case alike."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Sample: TypeAlias = Callable[[], Awaitable[float]]
"""Does its work once and gives what it measured, in seconds or in any other unit of its own."""


class BenchmarkError(Exception):
    """What was to be measured did not do what it should; its numbers would mean nothing."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How often: at most `rounds`, and no new round after `seconds`; at least one."""

    rounds: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Spread:
    """What many samples come to, in their unit."""

    p50: float
    p99: float
    count: int


def percentile(values: Sequence[float], share: float) -> float:
    """The nearest-rank percentile: the smallest value that at least `share` (0 to 1) of `values` do not exceed.

    Raises `ValueError` when there are none.
    """
    if not values:
        raise ValueError("no values")
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def summarise(values: Sequence[float]) -> Spread:
    """Raises `ValueError` when there are no values."""
    return Spread(percentile(values, 0.5), percentile(values, 0.99), len(values))


def differ(values: Sequence[float], floor: Sequence[float]) -> tuple[float, ...]:
    """What each value is above the floor's of the same round."""
    return tuple(value - least for value, least in zip(values, floor, strict=True))


async def interleave(cases: Mapping[str, Sample], budget: Budget) -> dict[str, list[float]]:
    """A B C A B C ...: every case once a round, its samples by its name."""
    samples: dict[str, list[float]] = {name: [] for name in cases}
    end = time.perf_counter() + budget.seconds
    for round_number in range(budget.rounds):
        if round_number and time.perf_counter() >= end:
            break
        for name, case in cases.items():
            samples[name].append(await case())
    return samples


async def time_call(call: Callable[[], Awaitable[object]]) -> float:
    """Wall time in seconds."""
    begun = time.perf_counter()
    await call()
    return time.perf_counter() - begun


def tell(text: str) -> None:
    """Progress, on standard error."""
    print(text, file=sys.stderr, flush=True)
