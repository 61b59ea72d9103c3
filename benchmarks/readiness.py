"""Waiting for a service, and how long it makes others wait meanwhile."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass

import aiohttp

from benchmarks.measuring import BenchmarkError

READY_LIMIT = 60.0
POLL_PAUSE = 0.002


@dataclass(frozen=True, slots=True)
class Watch:
    """What came of polling `/health/live`: round trips in seconds, the first answer's time, and when it was ready."""

    trips: Sequence[float]
    live_at: float
    ready_at: float


async def is_ready(client: aiohttp.ClientSession, url: str) -> bool:
    async with client.get(f"{url}/health/ready") as response:
        return response.status == 200


async def wait_until_ready(client: aiohttp.ClientSession, url: str) -> None:
    """Raises `BenchmarkError` after `READY_LIMIT`."""
    end = time.perf_counter() + READY_LIMIT
    while not await is_ready(client, url):
        if time.perf_counter() > end:
            raise BenchmarkError("not ready in time")
        await asyncio.sleep(0.02)


async def watch(client: aiohttp.ClientSession, url: str, at_least: float) -> Watch:
    """Poll `/health/live` without pause until ready, and for `at_least` seconds; times are of `time.perf_counter()`."""
    begun = time.perf_counter()
    trips: list[float] = []
    live_at = ready_at = 0.0
    while not ready_at or time.perf_counter() < begun + at_least:
        if time.perf_counter() > begun + READY_LIMIT:
            raise BenchmarkError("not ready in time")
        sent = time.perf_counter()
        async with client.get(f"{url}/health/live") as response:
            await response.read()
        trips.append(time.perf_counter() - sent)
        live_at = live_at or time.perf_counter()
        if not ready_at and len(trips) % 10 == 0 and await is_ready(client, url):
            ready_at = time.perf_counter()
        await asyncio.sleep(POLL_PAUSE)
    return Watch(trips, live_at, ready_at)
