"""What the service adds to its two model calls: a turn, the same two calls through litellm, and the same two from a bare client.

The scripted model answers at once, so that what the bare client needs is the model's own time and the wire: the floor.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import aiohttp
import orjson

from apps.sdk.jsontypes import Json, JsonObject
from benchmarks.apps import MESSAGE, write_apps
from benchmarks.measuring import BenchmarkError, Budget, Sample, differ, interleave, summarise, tell, time_call
from benchmarks.processes import Started, start_module, start_shortlist
from benchmarks.readiness import wait_until_ready
from benchmarks.report import Section, Table, show_ms, show_ratio
from service.models.llm import LiteLLM

KEY = "none"
CALL_LIMIT = 30.0
"""Seconds for one turn or one call; nothing here takes a tenth of it."""
SIZES = (50, 1_000)
WARM_UP = Budget(5, 5.0)
QUICK, FULL = Budget(30, 6.0), Budget(400, 75.0)
READING = """
Wall time of `POST /v1/turns` (not streamed: one preselection call, one main call that answers) against a scripted model that
answers at once. Beside it, alternating with it, the same two requests made one after the other: by a bare aiohttp client,
which is the floor (the model's own time and the wire), and by litellm called directly. *Overhead* is a turn less the floor of
the same round: ranking, prompts, litellm, the tool loop, the trace, and one more HTTP request. *Of the service* is a turn
less litellm's two calls.
"""


@dataclass(frozen=True, slots=True)
class Trio:
    """A service with so many skills, and the two request bodies that it sends."""

    skills: int
    url: str
    bodies: Sequence[JsonObject]


async def measure(*, quick: bool) -> Section:
    """The whole benchmark."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        model = await stack.enter_async_context(start_module("benchmarks.scripted_model", str(folder), folder=folder))
        client = await stack.enter_async_context(aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(CALL_LIMIT)))
        library = LiteLLM()
        stack.push_async_callback(library.close)
        services = {}
        for skills in SIZES:
            tell(f"  starting a service with {skills} skills")
            settings = make_settings(write_apps(folder / f"apps{skills}", skills // 10), model, skills)
            services[skills] = await stack.enter_async_context(start_shortlist(folder, f"service{skills}", settings))
        tell("  loading litellm, here and there")
        waits = (wait_until_ready(client, service.url) for service in services.values())
        litellm, *_ = await asyncio.gather(library.load(), *waits)
        trios = [await prepare(client, service, folder, skills) for skills, service in services.items()]
        cases = {name: case for trio in trios for name, case in make_cases(client, litellm, model.url, trio).items()}
        await interleave(cases, WARM_UP)
        tell("  turn, bare client, litellm, in turns")
        samples = await interleave(cases, QUICK if quick else FULL)
    return Section("Turn overhead", READING, [make_table(samples, trio.skills) for trio in trios])


def make_settings(apps: Path, model: Started, skills: int) -> dict[str, str]:
    """Of the service: both models are the scripted one, under names of this size."""
    return {
        "apps_dirs": str(apps),
        "main_models": f"openai/main-{skills}",
        "preselection_model": f"openai/cheap-{skills}",
        "model_api_base": model.url,
    }


async def prepare(client: aiohttp.ClientSession, service: Started, folder: Path, skills: int) -> Trio:
    """Run one turn, see that it did what is to be measured, and read what it sent to the models."""
    turn = await post_turn(client, service.url)
    preselection, rounds = turn["trace"]["preselection"], turn["trace"]["rounds"]
    if preselection["decided_by"] != "model" or preselection["considered"] != skills or len(rounds) != 1 or turn["notices"]:
        raise BenchmarkError(f"not the turn that was meant: {turn['notices']} {preselection['degraded']}")
    bodies = [orjson.loads((folder / f"{name}-{skills}.json").read_bytes()) for name in ("cheap", "main")]
    return Trio(skills, service.url, bodies)


def make_cases(client: aiohttp.ClientSession, litellm: Json, model_url: str, trio: Trio) -> dict[str, Sample]:
    """The three that take turns."""
    calls: dict[str, Callable[[], Awaitable[object]]] = {
        "bare": partial(call_bare, client, model_url, trio.bodies),
        "litellm": partial(call_litellm, litellm, model_url, trio.bodies),
        "turn": partial(post_turn, client, trio.url),
    }
    return {f"{name} {trio.skills}": partial(time_call, call) for name, call in calls.items()}


async def post_turn(client: aiohttp.ClientSession, url: str) -> JsonObject:
    """One message, answered."""
    body = {"messages": [{"role": "user", "content": MESSAGE}], "stream": False}
    async with client.post(f"{url}/v1/turns", json=body) as response:
        turn: JsonObject = await response.json()
    if response.status != 200:
        raise BenchmarkError(f"HTTP {response.status}: {turn}")
    return turn


async def call_bare(client: aiohttp.ClientSession, model_url: str, bodies: Sequence[JsonObject]) -> None:
    for body in bodies:
        async with client.post(f"{model_url}/chat/completions", json=body) as response:
            reply = await response.json()
        if "choices" not in reply:
            raise BenchmarkError(f"HTTP {response.status}: {reply}")


async def call_litellm(litellm: Json, model_url: str, bodies: Sequence[JsonObject]) -> None:
    for body in bodies:
        given = body | {"model": f"openai/{body['model']}", "api_base": model_url, "api_key": KEY, "max_retries": 0}
        reply = await litellm.acompletion(**given, timeout=CALL_LIMIT)
        if not reply.choices:
            raise BenchmarkError("litellm gave no choices")


def make_table(samples: dict[str, list[float]], skills: int) -> Table:
    """Times of one size, the floor first."""
    bare, peer, turn = (samples[f"{name} {skills}"] for name in ("bare", "litellm", "turn"))
    floor = summarise(bare).p50
    rows = {
        "bare client, the same two calls (floor)": bare,
        "litellm, the same two calls": peer,
        "turn": turn,
        "overhead: turn - floor": differ(turn, bare),
        "of the service: turn - litellm": differ(turn, peer),
    }
    header = (f"{skills:,} skills, {len(turn)} rounds", "p50 ms", "p99 ms", "p50 : floor")
    return Table(header, [make_row(name, values, floor) for name, values in rows.items()])


def make_row(name: str, values: Sequence[float], floor: float) -> tuple[str, ...]:
    spread = summarise(values)
    return name, show_ms(spread.p50), show_ms(spread.p99), show_ratio(spread.p50, floor)
