"""What it adds to a turn that its conversation is stored: the same turn with and without."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import aiohttp

from apps.sdk.jsontypes import JsonObject
from benchmarks import stored_bytes
from benchmarks.databases import Kind, Work, count_work, make_database
from benchmarks.measuring import BenchmarkError, Budget, differ, interleave, summarise, tell
from benchmarks.processes import Started, start_shortlist
from benchmarks.readiness import wait_until_ready
from benchmarks.report import Table, show_ms, show_ratio
from preprocessor.intent import Intent
from service.turns.begun import UnkeptTurn, carry_out
from service.turns.events import discard
from service.turns.request import start_limits, start_turn
from service.wiring import open_services
from tests.support.running import make_settings

CALL_LIMIT = 30.0
TOGETHER = 20
HISTORY_TURNS = 50
MESSAGE = {"role": "user", "content": stored_bytes.QUESTION.text}
WARM_UP = Budget(5, 5.0)
QUICK, FULL = Budget(15, 5.0), Budget(200, 25.0)
QUICK_BURSTS, BURSTS = Budget(3, 5.0), Budget(20, 20.0)
POLL_PAUSE = 0.002


@dataclass(slots=True)
class Client:
    """Of one service; `history` is a conversation that has gone on for a while, `sent` the same as a caller sends it."""

    http: aiohttp.ClientSession
    service: Started
    history: str = ""
    sent: list[JsonObject] = field(default_factory=list)

    async def ask(self, method: str, path: str, body: JsonObject | None = None) -> JsonObject:
        async with self.http.request(method, self.service.url + path, json=body) as response:
            told: JsonObject = await response.json()
        if response.status not in {200, 201}:
            raise BenchmarkError(f"HTTP {response.status}: {told}")
        return told

    async def say(self, conversation_id: str | None, history: list[JsonObject] | None = None) -> float:
        """One turn; its wall time."""
        body = {"messages": [*(history or ()), MESSAGE], "stream": False, "conversation_id": conversation_id}
        begun = time.perf_counter()
        turn = await self.ask("POST", "/v1/turns", body)
        seconds = time.perf_counter() - begun
        if turn["trace"]["rounds"][0]["calls"] == [] or turn["notices"]:
            raise BenchmarkError(f"not the turn that was meant: {turn['notices']}")
        return seconds

    async def prepare(self) -> None:
        """Make the history."""
        self.history = await self.make()
        for _ in range(HISTORY_TURNS):
            await self.say(self.history)
        page = await self.ask("GET", f"/v1/conversations/{self.history}/messages?limit=500")
        kept = ("role", "content", "tool_calls", "tool_call_id")
        self.sent = [{key: message[key] for key in kept if message[key] is not None} for message in page["messages"]]

    async def make(self) -> str:
        return str((await self.ask("POST", "/v1/conversations", {}))["id"])

    async def say_alone(self) -> float:
        return await self.say(None)

    async def say_kept(self) -> float:
        return await self.say(await self.make())

    async def say_alone_late(self) -> float:
        return await self.say(None, self.sent)

    async def say_kept_late(self) -> float:
        fork = await self.ask("POST", f"/v1/conversations/{self.history}/fork", {})
        return await self.say(fork["id"])


@dataclass(slots=True)
class Burst:
    """Turns at once, in conversations of their own or in none: each one's time, what others wait, and the processor's."""

    client: Client
    kept: bool
    turns: list[float] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)

    async def sample(self) -> float:
        """Until the last has its answer."""
        ids = [await self.client.make() if self.kept else None for _ in range(TOGETHER)]
        before = self.client.service.processor_seconds
        watching = asyncio.create_task(self._watch())
        begun = time.perf_counter()
        try:
            self.turns += await asyncio.gather(*map(self.client.say, ids))
        finally:
            watching.cancel()
            await asyncio.wait([watching])
        seconds = time.perf_counter() - begun
        after = self.client.service.processor_seconds
        if before is not None and after is not None:
            self.processor.append(after - before)
        return seconds

    async def _watch(self) -> None:
        while True:
            begun = time.perf_counter()
            await self.client.ask("GET", "/health/live")
            self.waits.append(time.perf_counter() - begun)
            await asyncio.sleep(POLL_PAUSE)

    def clear(self) -> None:
        for values in (self.turns, self.waits, self.processor):
            values.clear()


async def measure(kind: Kind, folder: Path, *, quick: bool) -> list[Table]:
    """One at a time, then many at once."""
    async with AsyncExitStack() as stack:
        url = stack.enter_context(make_database(kind, folder))
        service = await stack.enter_async_context(start_shortlist(folder, f"turns-{kind}", {"database_url": url}))
        timeout, connector = aiohttp.ClientTimeout(CALL_LIMIT), aiohttp.TCPConnector(limit=0)
        http = await stack.enter_async_context(aiohttp.ClientSession(timeout=timeout, connector=connector))
        await wait_until_ready(http, service.url)
        client = Client(http, service)
        await client.prepare()
        cases = {
            "alone": client.say_alone,
            "kept": client.say_kept,
            "alone late": client.say_alone_late,
            "kept late": client.say_kept_late,
        }
        await interleave(cases, WARM_UP)
        samples = await interleave(cases, QUICK if quick else FULL)
        tell(f"  {kind}: {TOGETHER} at once")
        bursts = {"alone": Burst(client, kept=False), "kept": Burst(client, kept=True)}
        together = {name: burst.sample for name, burst in bursts.items()}
        await interleave(together, Budget(2, 5.0))
        for burst in bursts.values():
            burst.clear()
        walls = await interleave(together, QUICK_BURSTS if quick else BURSTS)
    return [make_table(kind, samples, await count_turns(kind, folder)), make_burst_table(kind, walls, bursts)]


async def count_turns(kind: Kind, folder: Path) -> Mapping[str, Work]:
    """What a turn asks of the database, with what is asked once a second (overrides, deactivations) still in memory."""
    with make_database(kind, folder) as url:
        async with open_services(make_settings(folder, database_url=url, overrides_max_age=60)) as services:
            conversation = await services.conversations.create(stored_bytes.OWNER)

            async def run_alone() -> None:
                limits = start_limits(services.settings)
                messages = (stored_bytes.QUESTION,)
                request = start_turn(stored_bytes.CALLER, messages, Intent(), limits, stream=False)
                await carry_out(UnkeptTurn(request, services.turns), discard, stored_bytes.describe_error)

            run_kept = partial(stored_bytes.run_turn, services, conversation.id)
            calls: dict[str, Callable[[], Awaitable[None]]] = {"alone": run_alone, "kept": run_kept}
            for call in calls.values():
                await call()
            return {name: await count_work(call) for name, call in calls.items()}


def make_table(kind: Kind, samples: dict[str, list[float]], work: Mapping[str, Work]) -> Table:
    """Each pair, and what is between the two in the same round."""
    rows = []
    for suffix, words in (("", "a first message"), (" late", f"after {4 * HISTORY_TURNS} messages")):
        alone, kept = samples[f"alone{suffix}"], samples[f"kept{suffix}"]
        floor = summarise(alone).p50
        parts = {
            f"{words}, caller keeps the history (floor)": (alone, work["alone"]),
            f"{words}, in a conversation": (kept, work["kept"]),
            f"{words}: added": (differ(kept, alone), None),
        }
        for name, (values, done) in parts.items():
            spread = summarise(values)
            times = (show_ms(spread.p50), show_ms(spread.p99), show_ratio(spread.p50, floor))
            rows.append((name, *times, *(("", "") if done is None else (f"{done.transactions}", f"{done.statements}"))))
    header = (f"{kind}, {len(samples['kept'])} rounds", "p50 ms", "p99 ms", "p50 : floor", "transactions", "statements")
    return Table(header, rows)


def make_burst_table(kind: Kind, walls: dict[str, list[float]], bursts: Mapping[str, Burst]) -> Table:
    """Turns at once, and how long others wait meanwhile: an event loop that stands still, or a processor that is taken."""
    rows = []
    names = {"alone": "callers keep the history (floor)", "kept": "in conversations"}
    floor = summarise(bursts["alone"].turns).p50
    for name, burst in bursts.items():
        turns, waits = summarise(burst.turns), summarise(burst.waits)
        used = show_ms(sum(burst.processor) / len(burst.turns)) if burst.processor else "-"
        rate = f"{TOGETHER * len(walls[name]) / sum(walls[name]):,.0f}"
        times = (show_ms(turns.p50), show_ms(turns.p99), show_ratio(turns.p50, floor), rate, used)
        rows.append((names[name], *times, show_ms(waits.p50), show_ms(waits.p99)))
    header = (
        f"{kind}, {TOGETHER} turns at once, {len(walls['kept'])} times", "p50 ms", "p99 ms", "p50 : floor", "turns a second",
        "processor ms a turn", "`/health/live` meanwhile p50 ms", "p99 ms",
    )  # fmt: skip
    return Table(header, rows)
