"""Turns of conversations: who holds one, and what a holder that lost it can still do, on SQLite and PostgreSQL."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from datetime import datetime, timedelta

import pytest
import sqlalchemy as sa

from apps.sdk.chat import Message, ToolCall
from preprocessor.intent import Intent
from service.store import lease_clock
from service.store import turn_records as turn_records_module
from service.store.connection import StoreConnection
from service.store.conversations import Conversations, Owner
from service.store.database import Database
from service.store.errors import ConversationBusy, ConversationMissing, LeaseLost, StoreUnavailable
from service.store.tables import events as events_table
from service.store.tables import metadata, utc_now
from service.store.turn_records import EVENTS_PER_EPOCH, INTERRUPTED, Lease, StoredEvent, TurnEnd, TurnRecords, TurnStart
from tests.support.databases import Clock, hold_up

ANN = Owner("acme", "ann")
USER, ANSWER = Message("user", "hello"), Message("assistant", "it is 42")
ROUND = (Message("assistant", "", (ToolCall("c1", "math-calculate", "{}"),)), Message("tool", "42", (), "c1"))


class Store:
    """One replica, with a clock that the test moves."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self.clock = clock
        self.database = database
        self.conversations = Conversations(database, clock=clock)
        self.records = TurnRecords(database, clock=clock)

    async def begin(
        self, turn_id: str = "t1", said: Sequence[Message] = (USER,), history: int = 100, room: int = 10_000
    ) -> tuple[Lease, TurnStart]:
        return await self.records.begin(ANN, "c", turn_id, lease=60, messages=said, source="chat", history=history, room=room)

    async def said(self) -> list[Message]:
        return [stored.message for stored in (await self.conversations.read_messages(ANN, "c", limit=1000)).messages]

    async def told(self) -> list[tuple[int, str]]:
        return [(event.id, event.name) for event in await self.records.read_events(ANN, "c", after=0, limit=1000)]

    def event(self, lease: Lease, number: int, name: str = "usage") -> StoredEvent:
        return StoredEvent(lease.epoch * EVENTS_PER_EPOCH + number, lease.turn_id, name, {"n": number}, self.clock.now)

    async def dump(self) -> dict[str, list[tuple[object, ...]]]:
        """Everything that the database holds."""

        async def work(connection: StoreConnection) -> dict[str, list[tuple[object, ...]]]:
            tables = metadata.sorted_tables
            return {table.name: sorted(map(tuple, await connection.execute(sa.select(table))), key=repr) for table in tables}

        return await self.database.read(work)


@pytest.fixture
async def store(database: Database) -> Store:
    made = Store(database, Clock())
    await made.conversations.create(ANN, id="c", intent=Intent(enabled=True))
    return made


# --- a turn


async def test_a_turn_from_its_beginning_to_its_end(store: Store) -> None:
    """It is told the intent and what was said before; what it adds is there at once; its end lets the conversation go."""
    lease, start = await store.begin()
    assert (lease.epoch, lease.number) == (1, 1)
    assert (start.intent, start.history, start.is_cut, start.last_seq) == (Intent(enabled=True), (), False, 1)
    assert (await store.conversations.get(ANN, "c")).running_turn == "t1"
    assert await store.records.append(lease, ROUND, [store.event(lease, 1)]) == 3
    running = await store.records.get_turn(ANN, "c", "t1")
    assert running is not None
    assert (running.end, running.started_at, running.ended_at) == (TurnEnd("running"), store.clock.now, None)
    store.clock.advance(seconds=5)
    end = TurnEnd("done", "big-model", {"total_tokens": 7}, ("answer_cut_off",), None, ("web-search", "math-calculate"))
    assert await store.records.finish(lease, end, messages=[ANSWER], events=[store.event(lease, 2, "turn.finished")]) == 4
    done = await store.records.get_turn(ANN, "c", "t1")
    assert done is not None
    assert (done.end, done.ended_at, done.number, done.source) == (end, store.clock.now, 1, "chat")
    conversation = await store.conversations.get(ANN, "c")
    assert (conversation.running_turn, conversation.last_event, conversation.updated_at) == (None, 1_000_002, store.clock.now)
    assert await store.said() == [USER, *ROUND, ANSWER]
    lease, start = await store.begin("t2")
    assert (lease.epoch, lease.number, start.history, start.last_seq) == (2, 2, (USER, *ROUND, ANSWER), 5)
    assert [turn.id for turn in await store.records.get_turns(ANN, "c", limit=9)] == ["t1", "t2"]
    assert [turn.id for turn in await store.records.get_turns(ANN, "c", after=1, limit=9)] == ["t2"]
    assert [turn.id for turn in await store.records.get_turns(ANN, "c", limit=1)] == ["t1"]
    assert await store.records.get_turns(ANN, "c", after=10**30, limit=1) == ()


async def test_a_long_history_is_cut_between_turns(store: Store) -> None:
    """The latest whole turns that fit; of one turn that is longer, its end without results whose calls were left out."""
    for number in range(3):
        lease, _ = await store.begin(f"t{number}")
        await store.records.append(lease, ROUND)
        await store.records.finish(lease, TurnEnd("done"), messages=[ANSWER])
    whole = (USER, *ROUND, ANSWER)
    for most, said in {12: whole * 3, 11: whole * 2, 8: whole * 2, 7: whole, 4: whole, 3: whole[1:], 2: whole[3:], 0: ()}.items():
        lease, start = await store.begin(f"cut{most}", said=[], history=most)
        assert (start.history, start.is_cut) == (said, most < 12)
        await store.records.finish(lease, TurnEnd("done"))


async def test_a_history_of_long_messages_is_cut_between_turns(store: Store) -> None:
    """By what it holds: a few messages of a megabyte must not fill the memory of every turn that follows."""
    for number in range(4):
        lease, _ = await store.begin(f"t{number}", said=[Message("user", "x" * 1_000)])
        await store.records.finish(lease, TurnEnd("done"), messages=[ANSWER])
    for room, turns in {10_000: 4, 3_500: 3, 2_500: 2, 1_050: 1}.items():
        lease, start = await store.begin(f"room{room}", said=[], room=room)
        assert len(start.history) == 2 * turns
        assert (start.history[0].role, start.is_cut) == ("user", turns < 4)
        await store.records.finish(lease, TurnEnd("done"))
    lease, start = await store.begin("little", said=[], room=1)
    assert (start.history, start.is_cut) == ((ANSWER,), True)


async def test_a_running_turn_keeps_others_out(store: Store) -> None:
    """A second turn is told for how long at most; renewing moves that; another conversation is free."""
    lease, _ = await store.begin()
    store.clock.advance(seconds=50)
    before = await store.dump()
    with pytest.raises(ConversationBusy) as caught:
        await store.begin("t2")
    assert caught.value.seconds == 10
    assert await store.dump() == before
    await store.records.renew(lease, 60)
    store.clock.advance(seconds=59)
    with pytest.raises(ConversationBusy) as caught:
        await store.begin("t2")
    assert caught.value.seconds == 1
    await store.conversations.create(ANN, id="other")
    await store.records.begin(ANN, "other", "t3", lease=60, messages=[USER], source="chat")
    with pytest.raises(ConversationMissing):
        await store.records.begin(ANN, "missing", "t4", lease=60, messages=[USER], source="chat")


async def test_an_ended_lease_that_nobody_took_still_writes(store: Store) -> None:
    """Clocks decide only who may take it: a holder that was merely slow goes on, and renews."""
    lease, _ = await store.begin()
    store.clock.advance(hours=1)
    await store.records.append(lease, ROUND)
    await store.records.renew(lease, 60)
    with pytest.raises(ConversationBusy):
        await store.begin("t2")


async def test_what_ended_is_ended(store: Store) -> None:
    """After its end a turn writes nothing; the same end again is no error and changes nothing, another one is refused."""
    lease, _ = await store.begin()
    await store.records.finish(lease, TurnEnd("done", "m"), messages=[ANSWER])
    before = await store.dump()
    assert await store.records.finish(lease, TurnEnd("done", "m"), messages=[ANSWER]) == 2
    for call in writes_of(store, lease, TurnEnd("failed", problem="late")):
        with pytest.raises(LeaseLost):
            await call
    assert await store.records.write_events([(lease, [store.event(lease, 9)])]) == {lease}
    assert await store.dump() == before


async def test_a_write_whose_answer_was_lost_can_be_repeated(store: Store) -> None:
    """A connection may break after the database did its work: with `after_seq` messages are kept once, events always are."""
    lease, start = await store.begin()
    for _ in range(2):
        assert await store.records.append(lease, ROUND, [store.event(lease, 1)], after_seq=start.last_seq) == 3
    assert await store.records.finish(lease, TurnEnd("done"), messages=[ANSWER], after_seq=3) == 4
    assert await store.said() == [USER, *ROUND, ANSWER]
    assert await store.told() == [(1_000_001, "usage")]


async def test_a_round_is_kept_whole_or_not_at_all(store: Store) -> None:
    """What stops half-way, at an event that is no JSON or at the database, takes along what came before."""
    lease, _ = await store.begin()
    before = await store.dump()
    bad = StoredEvent(1_000_001, "t1", "usage", {"x": object()}, store.clock.now)
    with pytest.raises(ValueError, match="JSON"):
        await store.records.append(lease, ROUND, [bad])
    await store.database.write(lambda connection: connection.execute(sa.text("ALTER TABLE events RENAME TO away")))
    told = [store.event(lease, 1)]
    for call in (
        store.records.append(lease, ROUND, told),
        store.records.finish(lease, TurnEnd("done"), messages=[ANSWER], events=told),
    ):
        with pytest.raises(StoreUnavailable):
            await call
    await store.database.write(lambda connection: connection.execute(sa.text("ALTER TABLE away RENAME TO events")))
    assert await store.dump() == before


def writes_of(store: Store, lease: Lease, end: TurnEnd) -> list[Awaitable[object]]:
    return [
        store.records.append(lease, ROUND, [store.event(lease, 5)]),
        store.records.append(lease, ()),
        store.records.renew(lease, 60),
        store.records.finish(lease, end, messages=[ANSWER], events=[store.event(lease, 6)]),
    ]


# --- losing a conversation


async def test_a_frozen_holder_can_write_nothing_more(store: Store) -> None:
    """Its lease ran out and somebody else took the conversation: nothing that it tries changes a single row."""
    frozen, _ = await store.begin()
    await store.records.append(frozen, ROUND)
    store.clock.advance(seconds=60)
    taker, start = await store.begin("t2")
    assert (taker.epoch, start.history) == (2, (USER, *ROUND))
    before = await store.dump()
    for end in (TurnEnd("done"), TurnEnd("failed", problem="deadline")):
        for call in writes_of(store, frozen, end):
            with pytest.raises(LeaseLost):
                await call
    for forged in (Lease("c", "t1", 2, 1), Lease("c", "t2", 1, 2), Lease("other", "t2", 2, 2)):
        with pytest.raises(LeaseLost):
            await store.records.append(forged, [ANSWER])
    assert await store.records.write_events([(frozen, [store.event(frozen, 7)])]) == {frozen}
    assert await store.dump() == before
    await store.records.finish(taker, TurnEnd("done"), messages=[ANSWER])
    assert await store.said() == [USER, *ROUND, USER, ANSWER]


async def test_a_taker_notes_the_interruption(store: Store) -> None:
    """The old turn is failed, its problem is that it was interrupted; whoever follows learns of it behind all it has seen."""
    frozen, _ = await store.begin()
    await store.records.write_events([(frozen, [store.event(frozen, 1), store.event(frozen, 2, "text.delta")])])
    store.clock.advance(seconds=61)
    taker, _ = await store.begin("t2")
    first, second = await store.records.get_turns(ANN, "c", limit=9)
    assert (first.end.status, first.end.problem, first.ended_at) == ("failed", INTERRUPTED, store.clock.now)
    assert second.end.status == "running"
    told = await store.records.read_events(ANN, "c", after=1_000_002, limit=9)
    assert [(event.id, event.turn_id, event.name) for event in told] == [(2 * EVENTS_PER_EPOCH, "t1", "turn.finished")]
    assert told[0].data == {"id": "t1", "status": "failed", "problem": INTERRUPTED}
    assert await store.records.last_events(["c"]) == {"c": 2 * EVENTS_PER_EPOCH}
    await store.records.append(taker, [], [store.event(taker, 1)])
    assert await store.records.last_events(["c"]) == {"c": 2 * EVENTS_PER_EPOCH + 1}


async def test_a_turn_that_nobody_takes_over_ends_all_the_same(store: Store) -> None:
    """Some time after its lease: its followers are told, the conversation is free, and a holder that wakes has lost it."""
    await store.conversations.create(ANN, id="d")
    lease, _ = await store.begin()
    other, _ = await store.records.begin(ANN, "d", "t2", lease=600, messages=[USER], source="chat")
    await store.records.append(lease, ROUND, [store.event(lease, 7)])
    store.clock.advance(seconds=89)
    assert await store.records.end_abandoned(30) == ()
    store.clock.advance(seconds=1)
    assert await store.records.end_abandoned(30) == ("c",)
    assert await store.records.end_abandoned(30) == ()
    conversation = await store.conversations.get(ANN, "c")
    assert (conversation.running_turn, conversation.last_event) == (None, 2 * EVENTS_PER_EPOCH)
    turn = await store.records.get_turn(ANN, "c", "t1")
    assert turn is not None
    assert (turn.end, turn.ended_at) == (TurnEnd("failed", problem=INTERRUPTED), store.clock.now)
    assert await store.told() == [(EVENTS_PER_EPOCH + 7, "usage"), (2 * EVENTS_PER_EPOCH, "turn.finished")]
    before = await store.dump()
    for write in (
        store.records.renew(lease, 60),
        store.records.append(lease, [ANSWER]),
        store.records.finish(lease, TurnEnd("done"), messages=[ANSWER]),
    ):
        with pytest.raises(LeaseLost):
            await write
    assert await store.records.write_events([(lease, [store.event(lease, 8)])]) == {lease}
    assert await store.dump() == before
    await store.records.renew(other, 60)
    lease, start = await store.begin("t3")
    assert (lease.epoch, lease.number, start.history) == (3, 2, (USER, *ROUND))
    await store.records.finish(lease, TurnEnd("done"))


async def test_of_two_replicas_one_ends_what_was_abandoned(shared_url: str) -> None:
    """It is told once, and a taker at the same time gets the conversation in order."""
    async with await Database.open(shared_url) as one, await Database.open(shared_url) as other:
        for number in range(10):
            await Conversations(one).create(ANN, id=f"c{number}")
            clock = Clock()
            records = [TurnRecords(database, clock=clock) for database in (one, other)]
            await records[0].begin(ANN, f"c{number}", f"t{number}", lease=1, messages=[USER], source="chat")
            clock.advance(seconds=3)
            taken = records[1].begin(ANN, f"c{number}", f"n{number}", lease=60, messages=[USER], source="chat")
            await asyncio.gather(*(each.end_abandoned(1) for each in records * 2), taken)
            told = await records[0].read_events(ANN, f"c{number}", after=0, limit=9)
            assert [(event.turn_id, event.name) for event in told] == [(f"t{number}", "turn.finished")]
            turns = await records[0].get_turns(ANN, f"c{number}", limit=9)
            assert [(turn.id, turn.end.status) for turn in turns] == [(f"t{number}", "failed"), (f"n{number}", "running")]


async def test_a_deleted_conversation_is_lost(store: Store) -> None:
    """Its holder learns of it at its next write; one with the same id made anew is another one."""
    lease, _ = await store.begin()
    await store.conversations.delete(ANN, "c")
    for _ in range(2):
        for call in writes_of(store, lease, TurnEnd("done")):
            with pytest.raises(LeaseLost):
                await call
        await store.conversations.create(ANN, id=f"c{_}" if _ else "c")
        if not _:
            await store.begin("t2")
    assert await store.said() == [USER]


@pytest.mark.parametrize("expired", [False, True])
async def test_of_replicas_that_begin_at_once_one_wins(shared_url: str, expired: bool) -> None:
    """Fifty rounds of four begins from two replicas: one gets the conversation, free or from a crashed holder, each time."""
    async with await Database.open(shared_url) as one, await Database.open(shared_url) as other:
        clock = Clock()
        replicas = [Store(one, clock), Store(other, clock)] * 2
        for number in range(50):
            id_ = f"c{number}"
            await replicas[0].conversations.create(ANN, id=id_)
            if expired:
                await replicas[0].records.begin(ANN, id_, f"crashed{number}", lease=60, messages=[USER], source="chat")
                clock.advance(seconds=60)
            begins = [
                replica.records.begin(ANN, id_, f"t{number}-{place}", lease=60, messages=[USER], source="chat")
                for place, replica in enumerate(replicas)
            ]
            ends = await asyncio.gather(*begins, return_exceptions=True)
            won = [end for end in ends if isinstance(end, tuple)]
            assert (len(won), [type(end) for end in ends if not isinstance(end, tuple)]) == (1, [ConversationBusy] * 3)
            turns = await replicas[0].records.get_turns(ANN, id_, limit=9)
            assert [turn.end.status for turn in turns] == ["failed"] * expired + ["running"]
            assert len((await replicas[1].conversations.read_messages(ANN, id_, limit=9)).messages) == 1 + expired


@pytest.mark.parametrize("hours", [-1, 1])
async def test_replicas_need_no_common_clock(postgres_url: str, monkeypatch: pytest.MonkeyPatch, hours: int) -> None:
    """The database's own clock says when a lease is over: a replica whose clock is wrong takes nothing and loses nothing."""
    async with await Database.open(postgres_url) as database:
        await Conversations(database).create(ANN, id="c")
        right = TurnRecords(database)

        def tell_wrong() -> datetime:
            return utc_now() + timedelta(hours=hours)

        for first in ("right", "wrong"):
            for name in (first, "wrong" if first == "right" else "right"):
                with monkeypatch.context() as patched:
                    if name == "wrong":
                        patched.setattr(turn_records_module, "utc_now", tell_wrong)
                        patched.setattr(lease_clock, "utc_now", tell_wrong)
                    records = TurnRecords(database)
                    begin = records.begin(ANN, "c", f"{first}-{name}", lease=30, messages=[USER], source="chat")
                    if name == first:
                        lease, _ = await begin
                        await records.renew(lease, 30)
                    else:
                        with pytest.raises(ConversationBusy) as busy:
                            await begin
                        assert 25 < busy.value.seconds <= 30
            await right.finish(lease, TurnEnd("done"))


async def test_a_holder_and_its_taker_never_both_write(shared_url: str) -> None:
    """While the lease is over and somebody takes the conversation, each write of the old holder is before that or refused."""
    async with await Database.open(shared_url) as one, await Database.open(shared_url) as other:
        clock = Clock()
        old, new = Store(one, clock), Store(other, clock)
        await old.conversations.create(ANN, id="c")
        for number in range(20):
            lease, _ = await old.begin(f"old{number}")
            clock.advance(seconds=60)
            writes = [old.records.append(lease, ROUND) for _ in range(3)]
            beginning = asyncio.create_task(new.begin(f"new{number}"))
            ends = await asyncio.gather(*writes, return_exceptions=True)
            taken, start = await beginning
            kept = sum(isinstance(end, int) for end in ends)
            assert all(isinstance(end, int | LeaseLost) for end in ends)
            assert start.history[-1 - 2 * kept :] == (USER, *ROUND * kept)
            await new.records.finish(taken, TurnEnd("done"), messages=[ANSWER])
            assert [turn.end.status for turn in await old.records.get_turns(ANN, "c", after=2 * number, limit=9)] == [
                "failed",
                "done",
            ]


async def test_a_caller_cancelled_while_beginning_leaves_nothing(shared_url: str) -> None:
    """The conversation is as it was before, free and without the message; an old holder that was noted stays noted."""
    async with await Database.open(shared_url) as database:
        store = Store(database, Clock())
        await store.conversations.create(ANN, id="c")
        lease, _ = await store.begin("t0")
        await store.records.finish(lease, TurnEnd("done"), messages=[ANSWER])
        with hold_up(shared_url, "turns"):
            task = asyncio.create_task(store.begin())
            await asyncio.sleep(0.1)
            task.cancel()
            await asyncio.sleep(0.05)
            assert not task.done()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await store.conversations.get(ANN, "c")).running_turn is None
        assert await store.said() == [USER, ANSWER]
        lease, start = await store.begin("t2")
        assert (lease.number, start.last_seq, start.history) == (2, 3, (USER, ANSWER))


async def test_a_caller_cancelled_while_it_is_refused_takes_nothing_from_the_holder(shared_url: str) -> None:
    """Undoing a begin touches only its own turn."""
    async with await Database.open(shared_url) as database:
        store = Store(database, Clock())
        await store.conversations.create(ANN, id="c")
        holder, _ = await store.begin()
        with hold_up(shared_url, "conversations"):
            task = asyncio.create_task(store.begin("t2"))
            await asyncio.sleep(0.05)
            task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await store.records.finish(holder, TurnEnd("done"), messages=[ANSWER])


# --- events


async def test_events_of_many_turns_are_written_at_once(store: Store) -> None:
    """Each under its conversation; of a lease that is lost nothing; again, nothing twice; the newest id is known."""
    leases = []
    for number in range(5):
        await store.conversations.create(ANN, id=f"c{number}")
        leases.append((await store.records.begin(ANN, f"c{number}", f"t{number}", lease=60, messages=[], source="chat"))[0])
    lost = Lease("c0", "t0", 7, 1)
    gone = Lease("nowhere", "t9", 1, 1)
    batches = [(lease, [store.event(lease, n) for n in (1, 2, 3)]) for lease in (*leases, lost, gone)]
    batches.append((leases[1], [store.event(leases[1], 4)]))
    batches.append((leases[2], []))
    for _ in range(2):
        assert await store.records.write_events(batches) == {lost, gone}
    assert await store.records.write_events([]) == frozenset()
    for number in range(5):
        told = await store.records.read_events(ANN, f"c{number}", after=0, limit=9)
        assert [event.id for event in told] == [1_000_001, 1_000_002, 1_000_003, *([1_000_004] if number == 1 else [])]
    newest = {f"c{number}": 1_000_003 + (number == 1) for number in range(5)}
    assert await store.records.last_events([*newest, "nowhere"]) == newest
    assert await store.records.last_events([]) == {}


async def test_events_are_read_from_any_place(store: Store) -> None:
    """Behind an id, oldest first, at most so many; late ones do not make the newest id fall."""
    lease, _ = await store.begin()
    await store.records.append(lease, [], [store.event(lease, n) for n in (5, 2, 9)])
    await store.records.write_events([(lease, [store.event(lease, 7)])])
    assert [id_ - 1_000_000 for id_, _ in await store.told()] == [2, 5, 7, 9]
    page = await store.records.read_events(ANN, "c", after=1_000_002, limit=2)
    assert page == (store.event(lease, 5), store.event(lease, 7))
    assert (await store.conversations.get(ANN, "c")).last_event == 1_000_009
    assert await store.records.read_events(ANN, "c", after=10**30, limit=2) == ()
    assert len(await store.records.read_events(ANN, "c", after=-(10**30), limit=9)) == 4


async def test_pieces_of_text_go_when_the_turn_ends(store: Store) -> None:
    """Those of this turn alone, also those that come with its end; everything else stays."""
    first, _ = await store.begin()
    await store.records.write_events([(first, [store.event(first, 1, "text.delta"), store.event(first, 2, "tool.started")])])
    store.clock.advance(minutes=2)
    lease, _ = await store.begin("t2")
    await store.records.write_events([(lease, [store.event(lease, n, "text.delta") for n in (1, 2)])])
    last = [store.event(lease, 3, "text.delta"), store.event(lease, 4, "turn.finished")]
    await store.records.finish(lease, TurnEnd("done"), messages=[ANSWER], events=last)
    assert await store.told() == [
        (1_000_001, "text.delta"),
        (1_000_002, "tool.started"),
        (2_000_000, "turn.finished"),
        (2_000_004, "turn.finished"),
    ]


async def test_old_events_are_purged(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """In batches, all that were told before then; the conversation still knows the id of its newest."""
    monkeypatch.setattr(turn_records_module, "PURGE_BATCH", 3)
    lease, _ = await store.begin()
    await store.records.append(lease, [], [store.event(lease, n) for n in range(1, 8)])
    store.clock.advance(days=1)
    await store.records.append(lease, [], [store.event(lease, 8)])
    assert await store.records.purge_events(store.clock.now - timedelta(hours=1)) == 7
    assert await store.records.purge_events(store.clock.now - timedelta(hours=1)) == 0
    assert await store.told() == [(1_000_008, "usage")]
    await store.records.purge_events(store.clock.now + timedelta(hours=1))
    assert await store.records.last_events(["c"]) == {"c": 1_000_008}
    count = sa.select(sa.func.count()).select_from(events_table)
    assert await store.database.read(lambda connection: connection.scalar(count)) == 0
