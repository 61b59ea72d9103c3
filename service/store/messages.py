"""The messages of conversations, as rows and as what the models are sent."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Final, get_args

import sqlalchemy as sa

from apps.sdk.chat import Message, Role, ToolCall
from apps.sdk.jsontypes import JsonObject
from service.store.connection import StoreConnection
from service.store.errors import RowUnreadable
from service.store.json_text import read_json, write_json
from service.store.pages import ROOM, read_page
from service.store.tables import messages as table
from service.store.upsert import insert_missing_rows

ROLES: Final = frozenset(get_args(Role))
_TEXTS: Final = ("content", "tool_calls")


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A message and its place: `seq` rises within the conversation."""

    id: str
    turn_id: str
    seq: int
    message: Message
    created_at: datetime


@dataclass(frozen=True, slots=True)
class MessagePage:
    """Messages that follow each other; `is_last`: there are no more in the direction that was read."""

    messages: tuple[StoredMessage, ...]
    is_last: bool


async def read_after(connection: StoreConnection, conversation_id: str, seq: int, limit: int) -> MessagePage:
    """At most `limit` messages behind `seq`, oldest first; fewer, but one at least, of long ones. Raises `RowUnreadable`."""
    query = sa.select(table).where(table.c.conversation_id == conversation_id)
    rows, is_last = await read_page(connection, query, table.c.seq, seq, limit, texts=_TEXTS)
    return MessagePage(_read_rows(rows), is_last)


async def read_latest(connection: StoreConnection, conversation_id: str, limit: int, room: int = ROOM) -> MessagePage:
    """The latest messages, oldest first, at most `limit` and `room` characters; the last one is there however long it is.

    Raises `RowUnreadable`.
    """
    query = sa.select(table).where(table.c.conversation_id == conversation_id)
    rows, is_all = await read_page(connection, query, table.c.seq, None, limit, texts=_TEXTS, room=room, newest_first=True)
    return MessagePage(_read_rows(rows)[::-1], is_all)


def describe_messages(conversation_id: str, turn_id: str, messages: Sequence[Message], now: datetime) -> tuple[JsonObject, ...]:
    """Rows for new messages, all but their `seq`. Raises `ValueError` for what is no JSON."""
    return tuple(
        {
            "id": uuid.uuid4().hex,
            "conversation_id": conversation_id,
            "turn_id": turn_id,
            "role": message.role,
            "content": write_json(message.content),
            "tool_calls": _write_calls(message.tool_calls),
            "tool_call_id": message.tool_call_id,
            "created_at": now,
        }
        for message in messages
    )


async def insert_messages(connection: StoreConnection, rows: Sequence[JsonObject], last_seq: int, *, again: bool = False) -> None:
    """Add rows of `describe_messages`, numbered so that the last one gets `last_seq`.

    `again`: an earlier call may have added the first of them already; those are left as they are.
    """
    if not rows:
        return
    first = last_seq - len(rows) + 1
    numbered = [{**row, "seq": first + place} for place, row in enumerate(rows)]
    if again:
        await insert_missing_rows(connection, table, numbered, key=("conversation_id", "seq"))
    else:
        await connection.execute(sa.insert(table), numbered)


def _read_rows(rows: Iterable[sa.Row[tuple[object, ...]]]) -> tuple[StoredMessage, ...]:
    return tuple(_read_row(row) for row in rows)


def _read_row(row: sa.Row[tuple[object, ...]]) -> StoredMessage:
    if row.role not in ROLES:
        raise RowUnreadable("messages", row.id)
    calls = () if row.tool_calls is None else _read_calls(row.tool_calls, row.id)
    message = Message(row.role, read_json(row.content, "messages", row.id), calls, row.tool_call_id)
    return StoredMessage(row.id, row.turn_id, row.seq, message, row.created_at)


def _write_calls(calls: Sequence[ToolCall]) -> str | None:
    return write_json([asdict(call) for call in calls]) if calls else None


def _read_calls(text: str, row: str) -> tuple[ToolCall, ...]:
    value = read_json(text, "messages", row)
    try:
        calls = tuple(ToolCall(**call) for call in value)
    except TypeError:
        raise RowUnreadable("messages", row) from None
    if not all(isinstance(part, str) for call in calls for part in (call.id, call.name, call.arguments)):
        raise RowUnreadable("messages", row)
    return calls
