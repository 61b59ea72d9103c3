"""The one place that knows how each database writes `INSERT ... ON CONFLICT`."""

from __future__ import annotations

from typing import TypeAlias

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from apps.sdk.jsontypes import JsonObject

ConflictInsert: TypeAlias = sqlite.Insert | postgresql.Insert


async def upsert(connection: AsyncConnection, table: sa.Table, row: JsonObject) -> None:
    """Insert `row`, or replace the columns it names of the row with the same primary key."""
    keys = table.primary_key.columns.keys()
    changes = {name: value for name, value in row.items() if name not in keys}
    await connection.execute(
        build_insert(connection.dialect.name, table, row).on_conflict_do_update(index_elements=keys, set_=changes)
    )


async def insert_missing(connection: AsyncConnection, table: sa.Table, row: JsonObject) -> bool:
    """Insert `row` unless its primary key exists; whether it was inserted."""
    keys = table.primary_key.columns.keys()
    result = await connection.execute(
        build_insert(connection.dialect.name, table, row).on_conflict_do_nothing(index_elements=keys)
    )
    return result.rowcount == 1


def build_insert(dialect: str, table: sa.Table, row: JsonObject) -> ConflictInsert:
    """The insert of a dialect, `postgresql` or `sqlite`, that knows `on_conflict_do_...`."""
    insert = postgresql.insert if dialect == "postgresql" else sqlite.insert
    return insert(table).values(row)
