"""How soon commands and the service are there, in how much memory."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import aiohttp

from benchmarks.measuring import Budget, interleave, percentile, tell
from benchmarks.processes import SHORTLIST, Finished, Started, run_command, start_module, start_shortlist
from benchmarks.readiness import READY_LIMIT, Watch, watch
from benchmarks.report import Section, Table, show_mb, show_ms, show_ratio

QUICK, FULL = Budget(2, 4.0), Budget(15, 40.0)
WATCH = 1.0
"""Seconds that a service is watched at least, so that one that is ready at once can be compared."""
FLOOR = "python -c pass (floor)"
COMMANDS: dict[str, tuple[str, ...]] = {
    FLOOR: (sys.executable, "-c", "pass"),
    "python -c 'import aiohttp, pydantic'": (sys.executable, "-c", "import aiohttp, pydantic"),
    "shortlist --help": (str(SHORTLIST), "--help"),
    "shortlist lint": (str(SHORTLIST), "lint"),
    "shortlist doctor": (str(SHORTLIST), "doctor"),
    "shortlist expand": (str(SHORTLIST), "expand"),
    "shortlist call": (str(SHORTLIST), "call", "math-calculate", "--json", '{"requests": [{"expression": "1/3 + 1/6"}]}'),
}
READING = """
Commands, each run to its end with the bundled apps and alternating with the floor: wall time, and peak memory as the system
counts it.

The service: the time from its start until `/health/live` answers and until `/health/ready` says 200, resident memory, and
what a client that polls `/health/live` all the while waits at worst: a long wait is an event loop that stood still. The
service without models never loads litellm; with one it loads it in a thread after it listens, and what it is compared with is
the other's waits.
"""


@dataclass(frozen=True, slots=True)
class ServerStart:
    """One service from its start until it was ready; memory in bytes."""

    started: Started
    watched: Watch
    resident_live: float | None
    resident_ready: float | None


async def measure(*, quick: bool) -> Section:
    """The whole benchmark."""
    with tempfile.TemporaryDirectory() as folder:
        commands = await measure_commands(Path(folder), QUICK if quick else FULL)
        servers = await measure_servers(Path(folder), 1 if quick else 3)
    return Section("Start-up and memory", READING, [commands, servers])


async def measure_commands(folder: Path, budget: Budget) -> Table:
    """Wall time and peak memory of each."""
    tell("  commands")
    peaks: dict[str, float] = {}

    async def sample(name: str) -> float:
        finished: Finished = await run_command(COMMANDS[name], folder)
        peaks[name] = max(finished.peak, peaks.get(name, 0.0))
        return finished.seconds

    cases = {name: partial(sample, name) for name in COMMANDS}
    await interleave(cases, Budget(1, 60.0))  # bytecode and the store's first tables
    samples = await interleave(cases, budget)
    times = {name: percentile(values, 0.5) for name, values in samples.items()}
    rows = [(f"`{name}`", show_ms(times[name]), show_ratio(times[name], times[FLOOR]), show_mb(peaks[name])) for name in COMMANDS]
    return Table((f"command, {len(samples[FLOOR])} rounds", "p50 ms", "p50 : floor", "peak MB"), rows)


async def measure_servers(folder: Path, times: int) -> Table:
    """Without and with models, in turns."""
    starts: dict[str, list[ServerStart]] = {"without models": [], "with models (litellm)": []}
    async with start_module("benchmarks.scripted_model", str(folder), folder=folder) as model:
        models = {"main_models": "openai/main", "preselection_model": "openai/cheap", "model_api_base": model.url}
        for place in range(times):
            for name, settings in zip(starts, ({}, models), strict=True):
                tell(f"  the service {name}, {place + 1} of {times}")
                starts[name].append(await start_and_watch(folder, f"{name}{place}", settings))
    header = (f"the service, p50 of {times}", "live ms", "ready ms", "live MB", "ready MB", "p99 wait ms", "worst wait ms")
    return Table(header, [make_row(name, runs) for name, runs in starts.items()])


async def start_and_watch(folder: Path, name: str, settings: dict[str, str]) -> ServerStart:
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(READY_LIMIT)))
        service = await stack.enter_async_context(start_shortlist(folder, name, settings))
        resident_live = service.resident
        watched = await watch(client, service.url, WATCH)
        await asyncio.sleep(0.1)
        return ServerStart(service, watched, resident_live, service.resident)


def make_row(name: str, runs: Sequence[ServerStart]) -> tuple[str, ...]:
    trips = [trip for run in runs for trip in run.watched.trips]
    live = [run.watched.live_at - run.started.begun for run in runs]
    ready = [run.watched.ready_at - run.started.begun for run in runs]
    memory = ([run.resident_live for run in runs], [run.resident_ready for run in runs])
    return (
        name,
        show_ms(percentile(live, 0.5)),
        show_ms(percentile(ready, 0.5)),
        *(show_mb(percentile([size for size in sizes if size is not None] or [0.0], 0.5)) for sizes in memory),
        show_ms(percentile(trips, 0.99)),
        show_ms(max(trips)),
    )
