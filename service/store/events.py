"""What turns told while they ran, as rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from apps.sdk.jsontypes import JsonObject
from service.store.connection import StoreConnection
from service.store.json_text import read_object, write_json
from service.store.pages import read_page
from service.store.tables import events
from service.store.upsert import insert_missing_rows


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """One event; ids rise within a conversation."""

    id: int
    turn_id: str
    name: str
    data: JsonObject
    created_at: datetime


def describe_events(conversation_id: str, told: Sequence[StoredEvent]) -> tuple[JsonObject, ...]:
    """Their rows. Raises `ValueError` for what is no JSON."""
    return tuple(
        {
            "conversation_id": conversation_id,
            "id": event.id,
            "turn_id": event.turn_id,
            "name": event.name,
            "data": write_json(event.data),
            "created_at": event.created_at,
        }
        for event in told
    )


async def insert_events(connection: StoreConnection, rows: Sequence[JsonObject]) -> None:
    """Add rows of `describe_events`; those that are there already are left as they are."""
    if rows:
        await insert_missing_rows(connection, events, rows)


async def read_events(connection: StoreConnection, conversation_id: str, after: int, limit: int) -> tuple[StoredEvent, ...]:
    """At most `limit` events behind the id `after`, oldest first; fewer, but one at least, of long ones.

    Raises `RowUnreadable`.
    """
    query = sa.select(events).where(events.c.conversation_id == conversation_id)
    rows, _ = await read_page(connection, query, events.c.id, after, limit, texts=("data",))
    return tuple(
        StoredEvent(row.id, row.turn_id, row.name, read_object(row.data, "events", row.id), row.created_at) for row in rows
    )
