"""Two replicas, each a process of its own, on one database: one turn at a time, whatever freezes or dies."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from apps.sdk.jsontypes import JsonObject
from tests.e2e.lab import read_id_events, user, wait_until
from tests.e2e.process import Server, serve
from tests.e2e.test_process import WAITING
from tests.support.apps import skill_manifest, write_app
from tests.support.databases import postgres_schema, postgres_url, shared_url

__all__ = ["postgres_schema", "postgres_url", "shared_url"]

LEASE = 1.0


class Replica:
    """One of the two, with an app of its own, so that each waits for its own file."""

    def __init__(self, server: Server, client: aiohttp.ClientSession, apps: Path) -> None:
        self.server = server
        self.files = apps / "waiting" / "skills"
        self._client = client

    async def send(self, method: str, path: str, body: JsonObject | None = None) -> tuple[int, JsonObject]:
        async with self._client.request(method, self.server.url + path, json=body) as response:
            return response.status, await response.json(content_type=None)

    async def say(self, conversation_id: str, text: str) -> tuple[int, JsonObject]:
        return await self.send("POST", "/v1/turns", {"conversation_id": conversation_id, "messages": [user(text)]})

    async def follow(self, conversation_id: str) -> str:
        """The stream of events until it ends."""
        url = f"{self.server.url}/v1/conversations/{conversation_id}/events"
        async with self._client.get(url, headers={"Accept": "text/event-stream"}) as response:
            return await response.text()

    def freeze(self) -> None:
        os.kill(self.server.process.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        os.kill(self.server.process.pid, signal.SIGCONT)


@asynccontextmanager
async def replica(folder: Path, name: str, database_url: str) -> AsyncIterator[Replica]:
    apps = folder / name
    wait = skill_manifest("waiting", "wait", class_path="apps.waiting.skills.wait.WaitSkill", examples=["wait for the bus"])
    write_app(apps, "waiting", {"name": "Waiting", "skills": [wait]}, {"wait": WAITING})
    settings = {"database_url": database_url, "apps_dirs": apps, "conversation_lease": LEASE, "event_poll": 0.1}
    async with serve(folder, **settings) as server, aiohttp.ClientSession() as client:
        yield Replica(server, client, apps)


@pytest.fixture
async def replicas(tmp_path: Path, shared_url: str) -> AsyncIterator[tuple[Replica, Replica]]:
    """Both running; the second one's skill never waits."""
    async with replica(tmp_path, "one", shared_url) as first, replica(tmp_path, "two", shared_url) as second:
        (second.files / "go").touch()
        yield first, second


async def begin_waiting(replica: Replica) -> tuple[str, asyncio.Task[tuple[int, JsonObject]]]:
    """A new conversation whose turn waits."""
    _, conversation = await replica.send("POST", "/v1/conversations", {})
    turn = asyncio.create_task(replica.say(conversation["id"], "wait for the bus"))
    await wait_until((replica.files / "started").exists)
    return conversation["id"], turn


async def list_messages(replica: Replica, conversation_id: str) -> list[JsonObject]:
    return list((await replica.send("GET", f"/v1/conversations/{conversation_id}/messages"))[1]["messages"])


async def test_a_turn_of_one_replica_holds_the_conversation_for_both(replicas: tuple[Replica, Replica]) -> None:
    """The other one is told to come back, sees the events, and may go on as soon as the turn has ended."""
    first, second = replicas
    conversation_id, turn = await begin_waiting(first)
    status, problem = await second.say(conversation_id, "me too")
    assert (status, problem["code"]) == (409, "conversation_busy")
    following = asyncio.create_task(second.follow(conversation_id))
    await asyncio.sleep(2 * LEASE)  # the lease is renewed meanwhile
    assert (await second.say(conversation_id, "me too"))[0] == 409
    (first.files / "go").touch()
    assert (await turn)[0] == 200
    assert (await second.say(conversation_id, "me too"))[0] == 200
    await second.send("DELETE", f"/v1/conversations/{conversation_id}")
    events = read_id_events(await following)
    assert [data["status"] for _, name, data in events if name == "turn.finished"] == ["done", "done"]
    assert [event_id for event_id, _, _ in events[:-1]] == sorted({event_id for event_id, _, _ in events[:-1]})


async def test_a_frozen_holder_can_write_nothing_more(replicas: tuple[Replica, Replica]) -> None:
    """Its lease runs out while it stands still; when it wakes, its turn ends without leaving a trace in what came after."""
    first, second = replicas
    conversation_id, turn = await begin_waiting(first)
    first.freeze()
    await asyncio.sleep(LEASE * 1.5)
    status, answer = await second.say(conversation_id, "still there?")
    assert status == 200
    before = await list_messages(second, conversation_id)
    (first.files / "go").touch()
    first.thaw()
    status, problem = await asyncio.wait_for(turn, 20)
    assert (status, problem["code"]) == (409, "turn_superseded")
    assert await list_messages(second, conversation_id) == before
    assert [message["role"] for message in before] == ["user", "user", "assistant"]
    events = (await second.send("GET", f"/v1/conversations/{conversation_id}/events"))[1]["events"]
    ends = [(event["turn_id"] == answer["id"], event["data"]["status"]) for event in events if event["event"] == "turn.finished"]
    assert ends == [(False, "failed"), (True, "done")]
    assert (await first.say(conversation_id, "all is well"))[0] == 200


async def test_a_killed_holder_blocks_nobody_for_longer_than_its_lease(replicas: tuple[Replica, Replica]) -> None:
    """kill -9 in the middle of a call: what was said stays, and the conversation goes on elsewhere."""
    first, second = replicas
    conversation_id, turn = await begin_waiting(first)
    first.server.process.kill()
    with pytest.raises(aiohttp.ClientError):
        await turn
    assert (await second.say(conversation_id, "anybody?"))[0] == 409
    await asyncio.sleep(LEASE * 1.2)
    assert (await second.say(conversation_id, "anybody?"))[0] == 200
    kept = [message["role"] for message in await list_messages(second, conversation_id)]
    assert kept == ["user", "user", "assistant"]


async def test_a_killed_holders_turn_ends_without_another_turn(replicas: tuple[Replica, Replica]) -> None:
    """Whoever follows the conversation is told in two leases' time, and no turn is said to run that does not."""
    first, second = replicas
    conversation_id, turn = await begin_waiting(first)
    following = asyncio.create_task(second.follow(conversation_id))
    first.server.process.kill()
    with pytest.raises(aiohttp.ClientError):
        await turn
    await asyncio.sleep(LEASE * 4)
    conversation = (await second.send("GET", f"/v1/conversations/{conversation_id}"))[1]
    assert conversation["running_turn"] is None
    await second.send("DELETE", f"/v1/conversations/{conversation_id}")
    ends = [data for _, name, data in read_id_events(await following) if name == "turn.finished"]
    assert [(data["status"], data["problem"]) for data in ends] == [("failed", "interrupted")]
