"""Turns of conversations: who holds a conversation, and what of a turn is kept.

A turn takes its conversation for a time, its lease, and raises the conversation's epoch by one. Every write of a turn begins
with the fence: the conversation's row, locked, must still be at the turn's epoch and held by the turn; otherwise `LeaseLost`,
and nothing is written. The lease clock decides only when somebody else may take the conversation.

The id of an event is `epoch * EVENTS_PER_EPOCH + n`, with n from 1 given by the holder; n = 0 is the taker's word on the turn
that it interrupted. So ids rise whatever crashed, and an event that is written twice is kept once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from itertools import chain, dropwhile, groupby
from typing import Final

import sqlalchemy as sa
from sqlalchemy.sql.dml import ReturningUpdate

from apps.sdk.chat import Message
from apps.sdk.jsontypes import JsonObject
from preprocessor.intent import Intent
from service.store.connection import StoreConnection
from service.store.conversations import FORMAT, Owner, find_row, read_intent
from service.store.database import Database
from service.store.errors import ConversationBusy, LeaseLost, RowUnreadable, StoreUnavailable
from service.store.events import StoredEvent, describe_events, insert_events, read_events
from service.store.json_text import read_object, read_strings, write_json
from service.store.lease_clock import read_lease_time
from service.store.messages import MessagePage, StoredMessage, describe_messages, insert_messages, read_latest
from service.store.pages import ROOM
from service.store.tables import clamp, conversations, events, messages, turns, utc_now
from service.store.turn_states import ENDED, STATUSES, TurnStatus

__all__ = ["EVENTS_PER_EPOCH", "INTERRUPTED", "Lease", "StoredEvent", "StoredTurn", "TurnEnd", "TurnRecords", "TurnStart"]

EVENTS_PER_EPOCH: Final = 1_000_000
INTERRUPTED: Final = "interrupted"
"""The problem of a turn whose lease ran out before it had ended."""
DEFAULT_HISTORY: Final = 500
"""Messages of the history that a turn is given, unless it asks for another number."""
PURGE_BATCH: Final = 1_000
"""Events deleted in one transaction, so that other writes get their turn between two."""
ABANDONED_BATCH: Final = 100
"""Turns that are noted as interrupted at once; the next time comes soon."""
_DELTA: Final = "text.delta"


@dataclass(frozen=True, slots=True)
class Lease:
    """A turn's hold on its conversation; `number` counts the turns of the conversation from 1."""

    conversation_id: str
    turn_id: str
    epoch: int
    number: int


@dataclass(frozen=True, slots=True)
class TurnStart:
    """What a turn begins with: the conversation's intent, what was said in each turn before it, and the ids of its own messages.

    `is_cut`: older messages were left out; the first one of `turns` is whole all the same, unless it alone is longer.
    `last_seq` is that of the last message, the new ones included.
    """

    intent: Intent | None
    turns: tuple[tuple[Message, ...], ...]
    is_cut: bool
    message_ids: tuple[str, ...]
    last_seq: int

    @property
    def history(self) -> tuple[Message, ...]:
        """All that was said before."""
        return tuple(chain.from_iterable(self.turns))


@dataclass(frozen=True, slots=True)
class TurnEnd:
    """How a turn ended: `notices` and `problem` are codes, `loaded` the tools it had in full, in their order."""

    status: TurnStatus
    model: str | None = None
    usage: JsonObject = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    problem: str | None = None
    loaded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """A turn as it is kept; while it runs its `end` holds the status alone."""

    id: str
    conversation_id: str
    number: int
    source: str
    end: TurnEnd
    started_at: datetime
    ended_at: datetime | None


class TurnRecords:
    """The turns of every conversation. Each method raises `StoreUnavailable`; those with a lease `LeaseLost`.

    What is no JSON raises `ValueError` before anything is written. `clock`: instead of the process' own and of that of leases.
    """

    def __init__(self, database: Database, *, clock: Callable[[], datetime] | None = None) -> None:
        self._database = database
        self._clock = clock or utc_now
        self._lease_clock = clock

    async def begin(
        self,
        owner: Owner,
        conversation_id: str,
        turn_id: str,
        *,
        lease: float,
        messages: Sequence[Message],
        source: str,
        history: int = DEFAULT_HISTORY,
        room: int = ROOM,
    ) -> tuple[Lease, TurnStart]:
        """Take the conversation for `lease` seconds and keep the turn's first messages.

        Of any number of callers at once exactly one succeeds. A turn whose lease is over is `failed` from then on, its
        problem `INTERRUPTED`. A caller that is cancelled leaves nothing. `history` and `room`: most messages and characters that
        are read.
        Raises `ConversationMissing`, `ConversationBusy`, `RowUnreadable`, `RowTooNew`.
        """
        now = self._clock()
        rows = describe_messages(conversation_id, turn_id, messages, now)
        take = {"running_turn": turn_id, "updated_at": now, "last_seq": conversations.c.last_seq + len(rows)}

        async def work(connection: StoreConnection) -> tuple[Lease, TurnStart]:
            moment = await read_lease_time(connection, self._lease_clock)
            expires = moment + timedelta(seconds=lease)
            statement = _take(owner, conversation_id, moment).values(lease_expires_at=expires, **take)
            taken = (await connection.execute(statement)).one_or_none()
            if taken is None:
                row = await find_row(connection, owner, conversation_id)
                raise ConversationBusy(conversation_id, _seconds_left(row.lease_expires_at, moment))
            intent = read_intent(taken.intent, conversation_id)
            earlier = await read_latest(connection, conversation_id, history + 1, room)
            number = await _follow_newest(connection, conversation_id, taken.epoch, now)
            held = Lease(conversation_id, turn_id, taken.epoch, number)
            await connection.execute(sa.insert(turns).values(_begin_turn(held, source, now)))
            await insert_messages(connection, rows, taken.last_seq)
            said = _cut(earlier, history)
            ids = tuple(row["id"] for row in rows)
            is_cut = not earlier.is_last or len(said) < len(earlier.messages)
            start = TurnStart(intent, _divide(said), is_cut, ids, taken.last_seq)
            return held, start

        try:
            return await self._database.write(work)
        except asyncio.CancelledError:  # the write may have been made all the same
            with suppress(StoreUnavailable):  # then the lease runs out
                await self._undo_begin(conversation_id, turn_id)
            raise

    async def renew(self, lease: Lease, seconds: float) -> None:
        """Hold the conversation for `seconds` from now."""

        async def work(connection: StoreConnection) -> None:
            expires = await read_lease_time(connection, self._lease_clock) + timedelta(seconds=seconds)
            await _pass_fence(connection, lease, lease_expires_at=expires)

        await self._database.write(work)

    async def end_abandoned(self, grace: float) -> tuple[str, ...]:
        """Note as interrupted the turns whose lease was over `grace` seconds ago; the conversations, which are free then.

        A holder that froze and wakes finds that it has lost its conversation.
        """

        async def find(connection: StoreConnection) -> tuple[str, ...]:
            over = await self._read_over(connection, grace)
            query = sa.select(conversations.c.id).where(over, conversations.c.format <= FORMAT)
            return tuple((await connection.scalars(query.limit(ABANDONED_BATCH))).all())

        async def free(connection: StoreConnection, conversation_id: str) -> bool:
            table = conversations.c
            holder = sa.select(table.running_turn).where(table.id == conversation_id, await self._read_over(connection, grace))
            turn_id = await connection.scalar(holder.with_for_update(key_share=True))
            if turn_id is None:
                return False
            change = sa.update(conversations).where(table.id == conversation_id).returning(table.epoch)
            freed = change.values(epoch=table.epoch + 1, running_turn=None, lease_expires_at=None)
            epoch = (await connection.execute(freed)).scalar_one()
            await _end_interrupted(connection, conversation_id, turn_id, epoch, self._clock())
            return True

        found = await self._database.read(find)
        return tuple([id_ for id_ in found if await self._database.write(partial(free, conversation_id=id_))])

    async def _read_over(self, connection: StoreConnection, grace: float) -> sa.ColumnElement[bool]:
        moment = await read_lease_time(connection, self._lease_clock)
        return conversations.c.lease_expires_at <= moment - timedelta(seconds=grace)

    async def append(
        self, lease: Lease, messages: Sequence[Message], events: Sequence[StoredEvent] = (), *, after_seq: int | None = None
    ) -> int:
        """Keep messages, all or none, and events; the `seq` of the last message.

        `after_seq`, where given, is that of the message which the new ones follow: those of them that are there already, since
        an earlier call failed after the database had done its work, are not kept twice.
        """
        now = self._clock()
        rows = describe_messages(lease.conversation_id, lease.turn_id, messages, now)
        told = describe_events(lease.conversation_id, events)

        async def work(connection: StoreConnection) -> int:
            changes = {"updated_at": now, **_note_last(events), **_raise_seq(rows, after_seq)}
            last_seq = await _pass_fence(connection, lease, **changes)
            await insert_messages(connection, rows, last_seq, again=after_seq is not None)
            await insert_events(connection, told)
            return last_seq

        return await self._database.write(work)

    async def finish(
        self,
        lease: Lease,
        end: TurnEnd,
        *,
        messages: Sequence[Message] = (),
        events: Sequence[StoredEvent] = (),
        after_seq: int | None = None,
    ) -> int:
        """Keep how the turn ended and let the conversation go, in one; the `seq` of the last message.

        The pieces of the turn's text are forgotten, since its message holds it. Called again with the same end it changes
        nothing. `after_seq` as in `append`.
        """
        now = self._clock()
        rows = describe_messages(lease.conversation_id, lease.turn_id, messages, now)
        told = describe_events(lease.conversation_id, [event for event in events if event.name != _DELTA])
        ended = _end_turn(lease, end, now)

        async def work(connection: StoreConnection) -> int:
            changes = {"updated_at": now, **_note_last(events), **_raise_seq(rows, after_seq)}
            try:
                last_seq = await _pass_fence(connection, lease, running_turn=None, lease_expires_at=None, **changes)
            except LeaseLost:
                return await _find_done(connection, lease, end)
            await insert_messages(connection, rows, last_seq, again=after_seq is not None)
            await connection.execute(ended)
            await insert_events(connection, told)
            await connection.execute(_delete_deltas(lease))
            return last_seq

        return await self._database.write(work)

    async def write_events(self, batches: Sequence[tuple[Lease, Sequence[StoredEvent]]]) -> frozenset[Lease]:
        """Keep the events of many turns in one transaction; the leases that are lost, of which nothing was written."""
        told: dict[Lease, list[StoredEvent]] = {}
        for lease, given in batches:
            told.setdefault(lease, []).extend(given)
        rows = {lease: describe_events(lease.conversation_id, given) for lease, given in told.items()}

        async def work(connection: StoreConnection) -> frozenset[Lease]:
            held = await _find_held(connection, frozenset(told))
            await insert_events(connection, [row for lease in held for row in rows[lease]])
            last = {lease.conversation_id: max(event.id for event in told[lease]) for lease in held if told[lease]}
            await _raise_last_events(connection, last)
            return frozenset(told) - held

        return await self._database.write(work) if told else frozenset()

    async def read_events(self, owner: Owner, conversation_id: str, *, after: int, limit: int) -> tuple[StoredEvent, ...]:
        """At most `limit` events behind the id `after`, oldest first.

        Raises `ConversationMissing`, `RowUnreadable`, `RowTooNew`.
        """

        async def work(connection: StoreConnection) -> tuple[StoredEvent, ...]:
            await find_row(connection, owner, conversation_id)
            return await read_events(connection, conversation_id, after, limit)

        return await self._database.read(work)

    async def last_events(self, conversation_ids: Sequence[str]) -> Mapping[str, int]:
        """The id of the newest event of each conversation that there is; whose they are was asked before."""
        query = sa.select(conversations.c.id, conversations.c.last_event).where(conversations.c.id.in_(conversation_ids))

        async def work(connection: StoreConnection) -> Mapping[str, int]:
            return {row.id: row.last_event for row in await connection.execute(query)}

        return await self._database.read(work)

    async def purge_events(self, before: datetime) -> int:
        """Delete the events told before then; how many."""
        key = (events.c.conversation_id, events.c.id)
        batch = sa.select(*key).where(events.c.created_at < before).limit(PURGE_BATCH)

        async def work(connection: StoreConnection) -> int:
            return (await connection.execute(sa.delete(events).where(sa.tuple_(*key).in_(batch)))).rowcount

        total = 0
        while deleted := await self._database.write(work):
            total += deleted
        return total

    async def get_turn(self, owner: Owner, conversation_id: str, turn_id: str) -> StoredTurn | None:
        """One turn of the conversation. Raises `ConversationMissing`, `RowUnreadable`, `RowTooNew`."""
        found = await self._read_turns(owner, conversation_id, sa.select(turns).where(turns.c.id == turn_id))
        return found[0] if found else None

    async def get_turns(self, owner: Owner, conversation_id: str, *, after: int = 0, limit: int) -> tuple[StoredTurn, ...]:
        """At most `limit` turns behind the number `after`, oldest first.

        Raises `ConversationMissing`, `RowUnreadable`, `RowTooNew`.
        """
        query = sa.select(turns).where(turns.c.number > clamp(after, turns.c.number)).order_by(turns.c.number).limit(limit)
        return await self._read_turns(owner, conversation_id, query)

    async def _read_turns(
        self, owner: Owner, conversation_id: str, query: sa.Select[tuple[object, ...]]
    ) -> tuple[StoredTurn, ...]:
        async def work(connection: StoreConnection) -> tuple[StoredTurn, ...]:
            await find_row(connection, owner, conversation_id)
            rows = await connection.execute(query.where(turns.c.conversation_id == conversation_id))
            return tuple(_read_turn(row) for row in rows)

        return await self._database.read(work)

    async def _undo_begin(self, conversation_id: str, turn_id: str) -> None:
        """Take a turn back that has only begun."""
        free = (
            sa.update(conversations)
            .where(conversations.c.id == conversation_id, conversations.c.running_turn == turn_id)
            .values(running_turn=None, lease_expires_at=None)
        )
        own = (messages.c.conversation_id == conversation_id, messages.c.turn_id == turn_id)
        last_seq = sa.select(sa.func.coalesce(sa.func.max(messages.c.seq), 0)).where(own[0]).scalar_subquery()

        async def work(connection: StoreConnection) -> None:
            if (await connection.execute(free)).rowcount == 0:
                return
            await connection.execute(sa.delete(messages).where(*own))
            await connection.execute(sa.delete(turns).where(turns.c.id == turn_id))
            await connection.execute(
                sa.update(conversations).where(conversations.c.id == conversation_id).values(last_seq=last_seq)
            )

        await self._database.write(work)


def _take(owner: Owner, conversation_id: str, now: datetime) -> ReturningUpdate[tuple[int, int, str | None]]:
    """The one statement that takes a conversation, if nobody holds it."""
    table = conversations.c
    free = sa.or_(table.lease_expires_at.is_(None), table.lease_expires_at <= now)
    return (
        sa.update(conversations)
        .where(table.id == conversation_id, table.tenant == owner.tenant, table.user_id == owner.user)
        .where(free, table.format <= FORMAT)
        .values(epoch=table.epoch + 1)
        .returning(table.epoch, table.last_seq, table.intent)
    )


def _seconds_left(expires: datetime | None, now: datetime) -> float:
    # None or past: let go between two statements; the caller may come again at once.
    return 0.0 if expires is None else max(0.0, (expires - now).total_seconds())


def _cut(earlier: MessagePage, most: int) -> Sequence[StoredMessage]:
    """The latest whole turns, of a page with one message more than the `most` that are wanted.

    Of a single turn that is longer, its end without stray results.
    """
    said = earlier.messages
    if earlier.is_last and len(said) <= most:
        return said
    whole = [stored for stored in said if stored.turn_id != said[0].turn_id]
    return whole or list(dropwhile(lambda stored: stored.message.role == "tool", said[-most:] if most else ()))


def _divide(said: Sequence[StoredMessage]) -> tuple[tuple[Message, ...], ...]:
    """The messages of each turn."""
    by_turn = groupby(said, key=lambda stored: stored.turn_id)
    return tuple(tuple(stored.message for stored in turn) for _, turn in by_turn)


async def _follow_newest(connection: StoreConnection, conversation_id: str, epoch: int, now: datetime) -> int:
    """The number of the turn after the newest one, which alone may still be running: it had the conversation until now."""
    key = (turns.c.id, turns.c.number, turns.c.status)
    query = sa.select(*key).where(turns.c.conversation_id == conversation_id).order_by(turns.c.number.desc()).limit(1)
    newest = (await connection.execute(query)).one_or_none()
    if newest is None:
        return 1
    if newest.status == "running":
        await _end_interrupted(connection, conversation_id, newest.id, epoch, now)
    number: int = newest.number
    return number + 1


async def _end_interrupted(connection: StoreConnection, conversation_id: str, turn_id: str, epoch: int, now: datetime) -> None:
    """Note that the turn which had the conversation until its lease ran out has failed."""
    ended = sa.update(turns).where(turns.c.id == turn_id).values(status="failed", problem=INTERRUPTED, ended_at=now)
    await connection.execute(ended)
    told = {"id": turn_id, "status": "failed", "problem": INTERRUPTED}
    event = StoredEvent(epoch * EVENTS_PER_EPOCH, turn_id, "turn.finished", told, now)
    await insert_events(connection, describe_events(conversation_id, [event]))
    await _raise_last_events(connection, {conversation_id: event.id})


def _begin_turn(lease: Lease, source: str, now: datetime) -> dict[str, object]:
    return {
        "id": lease.turn_id,
        "conversation_id": lease.conversation_id,
        "number": lease.number,
        "epoch": lease.epoch,
        "source": source,
        **_write_end(TurnEnd("running")),
        "started_at": now,
    }


async def _pass_fence(connection: StoreConnection, lease: Lease, **changes: object) -> int:
    """Change the conversation, and with that lock it, if the turn still holds it; its `last_seq`. Raises `LeaseLost`."""
    table = conversations.c
    statement = (
        sa.update(conversations)
        .where(table.id == lease.conversation_id, table.epoch == lease.epoch, table.running_turn == lease.turn_id)
        .values(changes)
        .returning(table.last_seq)
    )
    row = (await connection.execute(statement)).one_or_none()
    if row is None:
        raise LeaseLost(lease.conversation_id, lease.turn_id)
    last_seq: int = row.last_seq
    return last_seq


def _raise_seq(rows: Sequence[JsonObject], after_seq: int | None) -> dict[str, object]:
    """The conversation's `last_seq` with the rows; only the holder writes, so what stands behind `after_seq` is among them."""
    if not rows:
        return {}
    last_seq = conversations.c.last_seq
    return {"last_seq": last_seq + len(rows) if after_seq is None else _larger(last_seq, sa.literal(after_seq + len(rows)))}


async def _find_done(connection: StoreConnection, lease: Lease, end: TurnEnd) -> int:
    """The conversation's `last_seq` when the turn ended like this before. Raises `LeaseLost`."""
    same = (turns.c.id == lease.turn_id, turns.c.epoch == lease.epoch, turns.c.status == end.status)
    query = sa.select(conversations.c.last_seq, turns.c.problem).join(turns, turns.c.conversation_id == conversations.c.id)
    row = (await connection.execute(query.where(*same))).one_or_none()
    if row is None or row.problem != end.problem:
        raise LeaseLost(lease.conversation_id, lease.turn_id)
    last_seq: int = row.last_seq
    return last_seq


async def _find_held(connection: StoreConnection, leases: frozenset[Lease]) -> frozenset[Lease]:
    """Lock the conversations, always in the same order; the leases that still hold theirs."""
    table = conversations.c
    query = sa.select(table.id, table.epoch, table.running_turn).where(table.id.in_({lease.conversation_id for lease in leases}))
    rows = await connection.execute(query.order_by(table.id).with_for_update(key_share=True))
    held = {(row.id, row.epoch, row.running_turn) for row in rows}
    return frozenset(lease for lease in leases if (lease.conversation_id, lease.epoch, lease.turn_id) in held)


async def _raise_last_events(connection: StoreConnection, last: Mapping[str, int]) -> None:
    if last:
        statement = (
            sa.update(conversations)
            .where(conversations.c.id == sa.bindparam("conversation"))
            .values(last_event=_larger(conversations.c.last_event, sa.bindparam("last", type_=sa.BigInteger)))
        )
        await connection.execute(statement, [{"conversation": id_, "last": event} for id_, event in last.items()])


def _note_last(told: Sequence[StoredEvent]) -> dict[str, object]:
    if not told:
        return {}
    return {"last_event": _larger(conversations.c.last_event, sa.literal(max(event.id for event in told), sa.BigInteger))}


def _larger(column: sa.Column[int], number: sa.ColumnElement[int]) -> sa.ColumnElement[int]:
    return sa.case((column < number, number), else_=column)


def _delete_deltas(lease: Lease) -> sa.Delete:
    first = lease.epoch * EVENTS_PER_EPOCH
    return sa.delete(events).where(
        events.c.conversation_id == lease.conversation_id,
        events.c.id.between(first, first + EVENTS_PER_EPOCH - 1),
        events.c.turn_id == lease.turn_id,
        events.c.name == _DELTA,
    )


def _end_turn(lease: Lease, end: TurnEnd, now: datetime) -> sa.Update:
    changes = {**_write_end(end), "ended_at": now if end.status in ENDED else None}
    return sa.update(turns).where(turns.c.id == lease.turn_id).values(changes)


def _write_end(end: TurnEnd) -> dict[str, object]:
    return {
        "status": end.status,
        "model": end.model,
        "usage": write_json(end.usage),
        "notices": write_json(end.notices),
        "problem": end.problem,
        "loaded": write_json(end.loaded),
    }


def _read_turn(row: sa.Row[tuple[object, ...]]) -> StoredTurn:
    if row.status not in STATUSES:
        raise RowUnreadable("turns", row.id)
    end = TurnEnd(
        row.status,
        row.model,
        read_object(row.usage, "turns", row.id),
        read_strings(row.notices, "turns", row.id),
        row.problem,
        read_strings(row.loaded, "turns", row.id),
    )
    return StoredTurn(row.id, row.conversation_id, row.number, row.source, end, row.started_at, row.ended_at)
