"""What turns tell is written together, in order and once, however the store behaves."""

from __future__ import annotations

import asyncio

import pytest

from service.conversations import event_writer
from service.conversations.event_writer import EventWriter
from service.store.tables import utc_now
from service.store.turn_records import EVENTS_PER_EPOCH, Lease, StoredEvent, TurnEnd
from tests.support.brittle_database import ANN, HELLO, Replica


@pytest.fixture
async def lease(replica: Replica) -> Lease:
    """The first turn of the conversation `c`."""
    return await begin(replica, "c")


async def begin(replica: Replica, conversation_id: str) -> Lease:
    turn_id = f"turn-{conversation_id}"
    taken, _ = await replica.records.begin(ANN, conversation_id, turn_id, lease=30, messages=[HELLO], source="chat")
    return taken


def tell(lease: Lease, number: int, name: str = "usage", **data: object) -> StoredEvent:
    return StoredEvent(lease.epoch * EVENTS_PER_EPOCH + number, lease.turn_id, name, {"n": number, **data}, utc_now())


async def numbers(replica: Replica, conversation_id: str = "c") -> list[int]:
    events = await replica.records.read_events(ANN, conversation_id, after=0, limit=10_000)
    return [event.id - EVENTS_PER_EPOCH for event in events]


async def test_many_turns_are_written_in_one_transaction(replica: Replica, lease: Lease) -> None:
    """Each in its order; followers of each are woken."""
    woken: list[str] = []
    writer = EventWriter(replica.records, woken.append)
    leases = [lease]
    for conversation_id in ("d", "e"):
        await replica.conversations.create(ANN, id=conversation_id)
        leases.append(await begin(replica, conversation_id))
    for number in (1, 2, 3):
        for each in leases:
            writer.add(each, tell(each, number))
    before = replica.database.writes
    await writer.flush()
    assert replica.database.writes == before + 1
    assert sorted(woken) == ["c", "d", "e"]
    assert [await numbers(replica, name) for name in "cde"] == [[1, 2, 3]] * 3
    await writer.flush()
    assert replica.database.writes == before + 1


@pytest.mark.parametrize("failure", ["before", "after"])
async def test_a_store_that_is_away(replica: Replica, lease: Lease, failure: str) -> None:
    """What could not be written comes first in the next try; what was written after all is there once."""
    replica.database.plan.extend([failure, failure])  # type: ignore[list-item]
    running = asyncio.create_task(replica.writer.run())
    for number in range(1, 6):
        replica.writer.add(lease, tell(lease, number))
        await asyncio.sleep(0.004)
    while await numbers(replica) != [1, 2, 3, 4, 5]:  # noqa: ASYNC110 - what is waited for is in the store
        await asyncio.sleep(0.001)
    running.cancel()
    await asyncio.wait([running])
    assert running.cancelled()


async def test_what_waits_is_bounded(replica: Replica, lease: Lease, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond that the pieces of text go, which the answer repeats; what else a turn told stays."""
    monkeypatch.setattr(event_writer, "MAX_WAITING", 10)
    replica.database.is_away = True
    for number in range(1, 101):
        replica.writer.add(lease, tell(lease, number, "usage" if number % 25 == 0 else "text.delta"))
        await replica.writer.flush()
    replica.database.is_away = False
    await replica.writer.flush()
    kept = await numbers(replica)
    assert [number for number in kept if number % 25 == 0] == [25, 50, 75, 100]
    assert len(kept) <= 10


async def test_a_turn_that_lost_its_conversation(replica: Replica, lease: Lease) -> None:
    """Its events are dropped, those of others written, and nothing is kept for a next try."""
    await replica.conversations.create(ANN, id="d")
    other = await begin(replica, "d")
    await replica.records.finish(lease, TurnEnd("done"))
    replica.writer.add(lease, tell(lease, 1))
    replica.writer.add(other, tell(other, 1))
    await replica.writer.flush()
    assert (await numbers(replica), await numbers(replica, "d")) == ([], [1])
    writes = replica.database.writes
    await replica.writer.flush()
    assert replica.database.writes == writes


async def test_what_is_taken_while_a_write_is_under_way(replica: Replica, lease: Lease) -> None:
    """The write ends first: what it put back is taken, what it wrote is not."""
    for failure, left in (("before", [1, 2]), ("no", [2])):
        replica.database.plan.append(failure)  # type: ignore[arg-type]
        replica.database.door.clear()
        replica.writer.add(lease, tell(lease, 1))
        writing = asyncio.create_task(replica.writer.flush())
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        replica.writer.add(lease, tell(lease, 2))
        taking = asyncio.create_task(replica.writer.take(lease))
        await asyncio.sleep(0.01)
        assert not taking.done()
        replica.database.door.set()
        assert [event.id - EVENTS_PER_EPOCH for event in await taking] == left
        await writing
        assert await replica.writer.take(lease) == []


async def test_a_writer_that_is_stopped_in_the_middle(replica: Replica, lease: Lease) -> None:
    """Its write ends; one that fails leaves its events for whoever ends the turn."""
    replica.database.plan.append("before")
    replica.database.door.clear()
    replica.writer.add(lease, tell(lease, 1))
    running = asyncio.create_task(replica.writer.run())
    await asyncio.sleep(0.05)
    running.cancel()
    replica.database.door.set()
    await asyncio.wait([running])
    assert [event.id for event in await replica.writer.take(lease)] == [EVENTS_PER_EPOCH + 1]


async def test_an_event_that_is_no_json(replica: Replica, lease: Lease) -> None:
    """It is dropped and keeps nobody else's away."""
    await replica.conversations.create(ANN, id="d")
    other = await begin(replica, "d")
    for number, what in ((1, "x"), (2, object()), (3, "y")):
        replica.writer.add(lease, tell(lease, number, what=what))
    replica.writer.add(other, tell(other, 1))
    await replica.writer.flush()
    await replica.writer.flush()
    assert (await numbers(replica), await numbers(replica, "d")) == ([1, 3], [1])
