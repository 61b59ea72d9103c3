"""SQLite on a disk without room: 503, readiness says so, nothing half-written, and all is well once there is room again.

A limit on the size of the files that the process may write stands for the disk: it needs no privileges, and a test moves it.
"""

from __future__ import annotations

import asyncio
import resource
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.test_replicas import LEASE, Replica, begin_waiting, list_messages, replica

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="prlimit is Linux's")


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[Replica]:
    """A server of its own, on a file."""
    async with replica(tmp_path, "one", f"sqlite:///{tmp_path / 'store.db'}") as opened:
        yield opened


@contextmanager
def full_disk(served: Replica) -> Iterator[None]:
    """No byte can be written to a file meanwhile."""
    pid = served.server.process.pid
    before = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, before)


async def test_without_room(served: Replica) -> None:
    """What is stored can be read; every write is refused and leaves nothing; readiness says so until there is room again."""
    _, conversation = await served.send("POST", "/v1/conversations", {})
    (served.files / "go").touch()
    assert (await served.say(conversation["id"], "hello"))[0] == 200
    path = f"/v1/conversations/{conversation['id']}"
    before = [(await served.send("GET", path + part))[1] for part in ("", "/messages", "/events")]
    with full_disk(served):
        for method, place, body in [
            ("POST", "/v1/conversations", {}),
            (
                "POST",
                "/v1/turns",
                {"conversation_id": conversation["id"], "messages": [{"role": "user", "content": "x" * 9_000}]},
            ),
            ("PATCH", path, {"title": "new"}),
            ("DELETE", path, None),
            ("DELETE", "/v1/users/anonymous", None),
        ]:
            status, problem = await served.send(method, place, body)
            assert (status, problem["code"]) == (503, "store_unavailable"), (method, place)
        assert [(await served.send("GET", path + part))[1] for part in ("", "/messages", "/events")] == before
        status, ready = await served.send("GET", "/health/ready")
        assert (status, ready["reasons"]) == (503, ["the database does not answer, or cannot be written"])
    assert (await served.send("GET", "/health/ready"))[0] == 200
    assert (await served.say(conversation["id"], "hello again"))[0] == 200
    assert len(await list_messages(served, conversation["id"])) == 4


async def test_a_turn_outlives_a_disk_that_is_full_for_a_moment(served: Replica) -> None:
    """It is kept whole."""
    conversation_id, turn = await begin_waiting(served)
    with full_disk(served):
        (served.files / "go").touch()
        await asyncio.sleep(LEASE * 0.8)
    assert (await turn)[0] == 200
    kept = await list_messages(served, conversation_id)
    assert [message["role"] for message in kept] == ["user", "assistant", "tool", "assistant"]


async def test_a_turn_whose_disk_stays_full(served: Replica) -> None:
    """503; the conversation goes on when there is room, without the half of an answer."""
    conversation_id, turn = await begin_waiting(served)
    with full_disk(served):
        (served.files / "go").touch()
        status, problem = await asyncio.wait_for(turn, 30)
        assert (status, problem["code"]) == (503, "store_unavailable")
    assert (await served.say(conversation_id, "and now?"))[0] == 200
    kept = await list_messages(served, conversation_id)
    assert [message["role"] for message in kept] == ["user", "user", "assistant", "tool", "assistant"][: len(kept)]
    _, found = await served.send("GET", f"/v1/conversations/{conversation_id}/events")
    assert [event["event"] for event in found["events"]].count("turn.started") <= 2
