"""Requests side by side: five in one call, and two hundred calls at once."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import aiohttp

from apps.sdk.jsontypes import JsonObject
from benchmarks.bare_server import PAUSE
from benchmarks.measuring import BenchmarkError, Budget, interleave, summarise, tell, time_call
from benchmarks.processes import Started, start_module, start_shortlist
from benchmarks.report import Section, Table, show_ms, show_ratio
from tests.support.apps import REQUESTS_SCHEMA, skill_manifest, write_app

QUICK, FULL = Budget(4, 5.0), Budget(20, 30.0)
CALLS = 200
REQUESTS = 5
CALL_LIMIT = 30.0
WAIT_MODULE = f"""
import asyncio

from apps.sdk.skill import Skill


class WaitSkill(Skill):
    async def execute(self, request, context):
        await asyncio.sleep({PAUSE})
        return {{"echo": request}}
"""
READING = f"""
A skill that waits {PAUSE * 1000:.0f} ms, called through `POST /v1/execute`: one call of {REQUESTS} requests, and {CALLS}
calls of one request at once, until the last is answered. Floors in the same rounds: as many bare `asyncio.sleep`s, gathered,
in the client's own process; and for the {CALLS} calls a bare aiohttp server that reads JSON, waits and writes JSON, asked by
the same client. Processor time is that of the serving process, all threads, for each call.
"""


@dataclass(frozen=True, slots=True)
class Burst:
    """Calls made at once; `processor` collects the server's processor time of each burst."""

    run: Callable[[], Awaitable[object]]
    server: Started | None = None
    processor: list[float] = field(default_factory=list)

    async def sample(self) -> float:
        before = self.server.processor_seconds if self.server else None
        seconds = await time_call(self.run)
        after = self.server.processor_seconds if self.server else None
        if before is not None and after is not None:
            self.processor.append(after - before)
        return seconds


async def measure(*, quick: bool) -> Section:
    """The whole benchmark."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        skill = skill_manifest("pause", "wait", class_path="apps.pause.skills.wait.WaitSkill", tool_schema=REQUESTS_SCHEMA)
        write_app(folder / "apps", "pause", {"name": "Pause", "skills": [skill]}, {"wait": WAIT_MODULE})
        settings = {"apps_dirs": str(folder / "apps"), "turns_parallel": str(CALLS)}
        service = await stack.enter_async_context(start_shortlist(folder, "service", settings))
        bare = await stack.enter_async_context(start_module("benchmarks.bare_server", folder=folder))
        client = await stack.enter_async_context(open_client())
        bursts = make_bursts(client, service, bare)
        cases = {name: burst.sample for name, burst in bursts.items()}
        await interleave(cases, Budget(2, 3.0))
        for burst in bursts.values():
            burst.processor.clear()
        tell("  bursts and floors, in turns")
        samples = await interleave(cases, QUICK if quick else FULL)
    return Section("Fan-out", READING, [make_table(samples, bursts)])


def open_client() -> aiohttp.ClientSession:
    """As many connections as it takes."""
    return aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), timeout=aiohttp.ClientTimeout(CALL_LIMIT))


def make_bursts(client: aiohttp.ClientSession, service: Started, bare: Started) -> dict[str, Burst]:
    """Each kind of call with its floors before it."""
    return {
        f"{REQUESTS} sleeps": Burst(partial(sleep_together, REQUESTS)),
        f"1 call of {REQUESTS} requests": Burst(partial(execute, client, service.url, REQUESTS), service),
        f"{CALLS} sleeps": Burst(partial(sleep_together, CALLS)),
        f"{CALLS} calls, bare server": Burst(partial(execute_together, client, bare.url), bare),
        f"{CALLS} calls": Burst(partial(execute_together, client, service.url), service),
    }


async def sleep_together(count: int) -> None:
    await asyncio.gather(*(asyncio.sleep(PAUSE) for _ in range(count)))


async def execute_together(client: aiohttp.ClientSession, url: str) -> None:
    await asyncio.gather(*(execute(client, url, 1) for _ in range(CALLS)))


async def execute(client: aiohttp.ClientSession, url: str, requests: int) -> None:
    """One call, and a look whether all of it was done."""
    arguments: JsonObject = {"requests": [{"query": f"entry {place}"} for place in range(requests)]}
    body = {"name": "pause-wait", "arguments": arguments}
    async with client.post(f"{url}/v1/execute", json=body) as response:
        told = await response.json()
    if response.status != 200 or told.get("outcome", "ok") != "ok":
        raise BenchmarkError(f"HTTP {response.status}: {told}")


def make_table(samples: dict[str, list[float]], bursts: dict[str, Burst]) -> Table:
    """Walls against the ideal, which is one pause however many wait."""
    rows = []
    for name, values in samples.items():
        spread = summarise(values)
        calls = CALLS if name.startswith(str(CALLS)) else 1
        used = bursts[name].processor
        processor = show_ms(sum(used) / len(used) / calls) if used else "-"
        rows.append((name, show_ms(spread.p50), show_ms(max(values)), show_ratio(spread.p50, PAUSE), processor))
    header = (f"ideal {PAUSE * 1000:.0f} ms, {len(values)} rounds", "p50 ms", "worst ms", "p50 : ideal", "processor ms a call")
    return Table(header, rows)
