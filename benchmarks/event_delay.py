"""How much later than the turn's own client those hear of an event who follow its conversation."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterable, AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import aiohttp

from apps.sdk.jsontypes import JsonObject
from benchmarks.databases import Kind, make_database
from benchmarks.measuring import BenchmarkError, summarise
from benchmarks.processes import Started, start_shortlist
from benchmarks.readiness import wait_until_ready
from benchmarks.report import Table, show_ms
from tests.support.apps import REQUESTS_SCHEMA, skill_manifest, write_app

PAUSE = 1.0
"""Seconds that the turn's skill takes, so that its first events are told long before its last ones."""
LIMIT = 30.0
TOGETHER = 5
QUICK, FULL = 1, 8
MODULE = f"""
import asyncio

from apps.sdk.skill import Skill


class WaitSkill(Skill):
    async def execute(self, request, context):
        await asyncio.sleep({PAUSE})
        return {{"waited": request["query"]}}

    def from_message(self, text):
        return {{"query": text}}
"""
END = "turn.finished"
FOLLOWERS = ("same process", "another process")


async def measure(kind: Kind, folder: Path, *, quick: bool) -> Table:
    """Turns of one replica, followed at it and at another one."""
    async with AsyncExitStack() as stack:
        url = stack.enter_context(make_database(kind, folder))
        apps = folder / f"apps-{kind}"
        skill = skill_manifest("pause", "wait", class_path="apps.pause.skills.wait.WaitSkill", tool_schema=REQUESTS_SCHEMA)
        write_app(apps, "pause", {"name": "Pause", "skills": [skill]}, {"wait": MODULE})
        settings = {"apps_dirs": str(apps), "database_url": url}
        replicas = [
            await stack.enter_async_context(start_shortlist(folder, f"{name} {kind}", settings)) for name in ("one", "two")
        ]
        http = await stack.enter_async_context(aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)))
        for replica in replicas:
            await wait_until_ready(http, replica.url)
        delays: dict[tuple[str, bool], list[float]] = {(name, late): [] for name in FOLLOWERS for late in (False, True)}
        for _ in range(QUICK if quick else FULL):
            for told in await asyncio.gather(*(follow_turn(http, *replicas) for _ in range(TOGETHER))):
                for key, values in told.items():
                    delays[key] += values
    rows = []
    for (name, late), values in delays.items():
        spread = summarise(values)
        when = "its end" if late else f"while it runs ({PAUSE:.0f} s)"
        rows.append((f"{name}, {when}", show_ms(spread.p50), show_ms(spread.p99), f"{spread.count}"))
    return Table((f"{kind}: a follower hears later by", "p50 ms", "p99 ms", "events"), rows)


async def follow_turn(http: aiohttp.ClientSession, one: Started, two: Started) -> dict[tuple[str, bool], list[float]]:
    """One turn; the delays in seconds of the events that all three were told, by follower and by whether it was the last."""
    async with asyncio.timeout(LIMIT):
        async with http.post(f"{one.url}/v1/conversations", json={}) as response:
            conversation_id = (await response.json())["id"]
        async with asyncio.TaskGroup() as group:
            followers = {
                name: group.create_task(listen(http, "GET", f"{replica.url}/v1/conversations/{conversation_id}/events"))
                for name, replica in zip(FOLLOWERS, (one, two), strict=True)
            }
            await asyncio.sleep(random.uniform(0.2, 1.2))
            body = {"conversation_id": conversation_id, "messages": [{"role": "user", "content": "wait"}], "stream": True}
            own = await listen(http, "POST", f"{one.url}/v1/turns", body)
    if END not in {name for name, _ in own.values()} or len(own) < 4:
        raise BenchmarkError(f"not the turn that was meant: {own}")
    delays: dict[tuple[str, bool], list[float]] = {}
    for follower, task in followers.items():
        for event_id, (name, heard) in task.result().items():
            delays.setdefault((follower, name == END), []).append(heard - own[event_id][1])
    return delays


async def listen(
    http: aiohttp.ClientSession, method: str, url: str, body: JsonObject | None = None
) -> dict[int, tuple[str, float]]:
    """The name of each event and when it was heard, by its id, up to the turn's end."""
    heard: dict[int, tuple[str, float]] = {}
    async with http.request(method, url, json=body, headers={"Accept": "text/event-stream"}) as response:
        async for event_id, name in read_names(response.content):
            heard[event_id] = (name, time.perf_counter())
            if name in {END, "error"}:
                return heard
    raise BenchmarkError(f"the stream ended before the turn: {heard}")


async def read_names(lines: AsyncIterable[bytes]) -> AsyncIterator[tuple[int, str]]:
    """Id and name of each event that has both."""
    event_id = None
    async for line in lines:
        key, _, value = line.decode().strip().partition(": ")
        if key == "id":
            event_id = int(value)
        elif key == "event" and event_id is not None:
            yield event_id, value
            event_id = None
