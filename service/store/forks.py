"""The beginning of a conversation, copied to another one."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final, TypeAlias

import sqlalchemy as sa

from service.store.connection import StoreConnection
from service.store.errors import ForkPointInvalid
from service.store.tables import messages, turns
from service.store.turn_states import ENDED

Row: TypeAlias = sa.Row[tuple[object, ...]]


_FIND: Final = sa.select(
    messages.c.id, messages.c.turn_id, messages.c.seq, messages.c.role, messages.c.tool_calls.is_(None).label("calls_nothing")
)
_NEW: Final = {"id": "new_id", "conversation_id": "fork_id", "turn_id": "new_turn_id"}
# The database copies what was said: it may be more than memory holds, and what cannot be read is copied as it is.
_COPY: Final = sa.insert(messages).from_select(
    [column.name for column in messages.c],
    sa.select(
        *(sa.bindparam(_NEW[column.name], type_=column.type) if column.name in _NEW else column for column in messages.c)
    ).where(messages.c.id == sa.bindparam("old_id", type_=messages.c.id.type)),
)


async def copy_turns(connection: StoreConnection, source_id: str, fork_id: str, message_id: str | None, now: datetime) -> int:
    """Copy what `Conversations.fork` says, under new ids; the `seq` of the last message, 0 without any.

    Turns are copied as they are, but one of which a part is left out is `cancelled` in the copy: nobody goes on with it.
    Raises `ForkPointInvalid`.
    """
    query = sa.select(turns).where(turns.c.conversation_id == source_id)
    by_id = {turn.id: turn for turn in await connection.execute(query.order_by(turns.c.number))}
    rows = (await connection.execute(_FIND.where(messages.c.conversation_id == source_id).order_by(messages.c.seq))).all()
    end = _find_end(rows, by_id, source_id, message_id)
    kept, left = rows[:end], rows[end:]
    cut = left[0].turn_id if left else None
    new_ids = {row.turn_id: uuid.uuid4().hex for row in kept}
    copies = [
        _copy(turn, id=new_ids[turn.id], conversation_id=fork_id, epoch=0, **_end_turn(turn, now, cut=turn.id == cut))
        for turn in by_id.values()
        if turn.id in new_ids
    ]
    if kept:
        await connection.execute(sa.insert(turns), copies)
        await connection.execute(
            _COPY,
            [
                {"old_id": row.id, "new_id": uuid.uuid4().hex, "fork_id": fork_id, "new_turn_id": new_ids[row.turn_id]}
                for row in kept
            ],
        )
    return kept[-1].seq if kept else 0


def _find_end(rows: Sequence[Row], by_id: Mapping[str, Row], source_id: str, message_id: str | None) -> int:
    """How many messages are copied."""
    if message_id is None:
        return next((place for place, row in enumerate(rows) if not _has_ended(row, by_id)), len(rows))
    place = next((place for place, row in enumerate(rows) if row.id == message_id), None)
    if place is None:
        raise ForkPointInvalid(source_id, message_id)
    row = rows[place]
    if row.role == "user":
        return place
    is_last = place + 1 == len(rows) or rows[place + 1].turn_id != row.turn_id
    if row.role == "assistant" and row.calls_nothing and is_last and _has_ended(row, by_id):
        return place + 1
    raise ForkPointInvalid(source_id, message_id)


def _has_ended(row: Row, by_id: Mapping[str, Row]) -> bool:
    return row.turn_id in by_id and by_id[row.turn_id].status in ENDED


def _end_turn(turn: Row, now: datetime, *, cut: bool) -> dict[str, object]:
    return {"status": "cancelled", "ended_at": now} if cut or turn.status not in ENDED else {}


def _copy(row: Row, **changes: object) -> dict[str, object]:
    return {**row._mapping, **changes}  # noqa: SLF001 (the public way to see a row as a mapping)
