"""A database that goes away and comes back: readiness, 503, nothing half-written, and no restart."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

import pytest
import sqlalchemy as sa

from apps.sdk.jsontypes import Json, JsonObject
from tests.e2e.conftest import OpenLab
from tests.e2e.lab import OFFLINE, Lab, read_id_events, user, wait_until
from tests.support.databases import postgres_schema, postgres_url
from tests.support.tcp_proxy import TcpProxy

__all__ = ["postgres_schema", "postgres_url"]

LEASE, PATIENCE = 3.0, 2.0
DRIVER = 10.0
"""Seconds that psycopg takes to give up a query: five to cancel it, five to see it end."""


@pytest.fixture
async def proxy(postgres_url: str) -> AsyncIterator[TcpProxy]:
    """Before the test's PostgreSQL."""
    url = sa.make_url(postgres_url)
    async with TcpProxy(url.host or "127.0.0.1", url.port or 5432) as opened:
        yield opened


@pytest.fixture
async def away(postgres_url: str, proxy: TcpProxy, start_lab: OpenLab) -> AsyncIterator[Lab]:
    """A service without models whose database is behind the proxy."""
    url = sa.make_url(postgres_url).set(host="127.0.0.1", port=proxy.port).render_as_string(hide_password=False)
    async with start_lab(**OFFLINE, database_url=url, conversation_lease=LEASE, database_timeout=PATIENCE) as lab:
        yield lab


async def create(lab: Lab) -> str:
    status, made = await lab.running.post("/v1/conversations", {})
    assert status == 201, made
    return str(made["id"])


async def say(lab: Lab, conversation_id: str, text: str, **body: Json) -> tuple[int, JsonObject]:
    return await lab.running.post("/v1/turns", {"conversation_id": conversation_id, "messages": [user(text)], **body})


async def roles(lab: Lab, conversation_id: str) -> list[str]:
    status, page = await lab.running.get(f"/v1/conversations/{conversation_id}/messages")
    assert status == 200, page
    return [message["role"] for message in page["messages"]]


async def readiness(lab: Lab) -> tuple[int, JsonObject]:
    start = time.monotonic()
    answer = await lab.running.get("/health/ready")
    assert time.monotonic() - start < 2.0
    return answer


async def wait_until_ready(lab: Lab) -> None:
    async with asyncio.timeout(15):
        while (await readiness(lab))[0] != 200:  # noqa: ASYNC110 - it is asked over HTTP
            await asyncio.sleep(0.1)


async def cut(proxy: TcpProxy, how: str) -> None:
    if how == "hanging":
        proxy.silence()
    else:
        await proxy.close()


async def mend(proxy: TcpProxy, how: str) -> None:
    if how == "hanging":
        proxy.speak()
    else:
        await proxy.open()


@pytest.mark.parametrize("how", ["refused", "hanging"])
async def test_while_it_is_away(away: Lab, proxy: TcpProxy, how: str) -> None:
    """Readiness says so within a probe's time; what needs it is told 503 within the documented one; then all is well again."""
    conversation_id = await create(away)
    assert (await say(away, conversation_id, "echo one"))[0] == 200
    await cut(proxy, how)
    status, ready = await readiness(away)
    assert (status, ready["reasons"]) == (503, ["the database does not answer, or cannot be written"])
    asked: list[tuple[str, str, Json]] = [
        ("POST", "/v1/turns", {"conversation_id": conversation_id, "messages": [user("echo two")]}),
        ("POST", "/v1/turns", {"conversation_id": conversation_id, "messages": [user("echo two")], "stream": True}),
        ("POST", "/v1/conversations", {}),
        ("GET", "/v1/conversations", None),
        ("PATCH", f"/v1/conversations/{conversation_id}", {"title": "x"}),
        ("DELETE", f"/v1/conversations/{conversation_id}", None),
        ("GET", f"/v1/conversations/{conversation_id}/messages", None),
        ("GET", f"/v1/conversations/{conversation_id}/events", None),
        ("DELETE", "/v1/users/anonymous", None),
    ]

    async def ask(method: str, path: str, body: Json) -> tuple[int, str]:
        async with away.running.client.request(method, away.running.url + path, json=body) as response:
            return response.status, (await response.json(content_type=None))["code"]

    start = time.monotonic()
    answers = await asyncio.gather(*(ask(*one) for one in asked))
    assert answers == [(503, "store_unavailable")] * len(asked)
    assert time.monotonic() - start < PATIENCE + DRIVER + 2
    assert (await away.running.get("/health/live"))[0] == 200
    await mend(proxy, how)
    await wait_until_ready(away)
    assert (await say(away, conversation_id, "echo three"))[0] == 200
    kept = await roles(away, conversation_id)
    assert kept == ["user", "assistant", "tool", "assistant"] * 2


@pytest.mark.parametrize("how", ["refused", "hanging"])
@pytest.mark.parametrize("stream", [False, True], ids=["json", "sse"])
async def test_a_turn_outlives_a_short_absence(away: Lab, proxy: TcpProxy, how: str, stream: bool) -> None:
    """It ends well and is kept whole, its events with it."""
    conversation_id = await create(away)
    body = {"conversation_id": conversation_id, "messages": [user("linger until released")], "stream": stream}

    async def ask() -> tuple[int, str]:
        async with away.running.client.post(away.running.url + "/v1/turns", json=body) as response:
            return response.status, await response.text()

    turn = asyncio.create_task(ask())
    await wait_until(lambda: away.log)
    await cut(proxy, how)
    away.release.set()
    await asyncio.sleep(1.0)
    await mend(proxy, how)
    status, text = await asyncio.wait_for(turn, 20)
    assert (status, "turn.finished" in text) == (200, stream), text
    assert await roles(away, conversation_id) == ["user", "assistant", "tool", "assistant"]
    _, found = await away.running.get(f"/v1/conversations/{conversation_id}/events")
    names = [event["event"] for event in found["events"]]
    assert (names[0], names[-1]) == ("turn.started", "turn.finished")
    if stream:
        told = [(event_id, name) for event_id, name, _ in read_id_events(text) if name != "text.delta"]
        assert told == [(event["id"], event["event"]) for event in found["events"]]


async def test_a_turn_whose_database_does_not_come_back(away: Lab, proxy: TcpProxy) -> None:
    """503; once the database is back and the lease is over the conversation goes on, with what was kept before."""
    conversation_id = await create(away)
    turn = asyncio.create_task(say(away, conversation_id, "linger until released"))
    await wait_until(lambda: away.log)
    await proxy.close()
    away.release.set()
    status, problem = await asyncio.wait_for(turn, 30)
    assert (status, problem["code"]) == (503, "store_unavailable")
    await proxy.open()
    await wait_until_ready(away)
    async with asyncio.timeout(LEASE * 2):
        while (await say(away, conversation_id, "echo again"))[0] == 409:  # noqa: ASYNC110 - it is asked over HTTP
            await asyncio.sleep(0.1)
    kept = await roles(away, conversation_id)
    assert kept == ["user", "user", "assistant", "tool", "assistant"]


async def test_connections_that_were_broken_off(away: Lab, proxy: TcpProxy) -> None:
    """As by a restart between two requests: nobody notices."""
    conversation_id = await create(away)
    for number in range(3):
        await proxy.reset()
        assert (await say(away, conversation_id, f"echo {number}"))[0] == 200


async def test_a_stream_of_events_outlives_a_short_absence(away: Lab, proxy: TcpProxy) -> None:
    """What happened meanwhile comes when it can be read, each event once."""
    conversation_id = await create(away)
    url = f"{away.running.url}/v1/conversations/{conversation_id}/events"
    async with away.running.client.get(url, headers={"Accept": "text/event-stream"}) as response:
        turn = asyncio.create_task(say(away, conversation_id, "linger until released"))
        await wait_until(lambda: away.log)
        await proxy.close()
        away.release.set()
        await asyncio.sleep(1.0)
        await proxy.open()
        assert (await turn)[0] == 200
        told = b""
        async with asyncio.timeout(20):
            while b"event: turn.finished" not in told:
                told += await response.content.readany()
            await away.running.client.delete(f"{away.running.url}/v1/conversations/{conversation_id}")
            told += await response.content.read()
        *events, last = read_id_events(told.decode())
    names = [name for _, name, _ in events]
    assert (names[0], names[-1]) == ("turn.started", "turn.finished")
    assert [event_id for event_id, _, _ in events] == sorted({event_id for event_id, _, _ in events})
    assert last[2]["code"] == "not_found"
