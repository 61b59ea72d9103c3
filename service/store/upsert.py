"""The one place that knows how each database writes `INSERT ... ON CONFLICT`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from apps.sdk.jsontypes import JsonObject
from service.store.connection import StoreConnection

ConflictInsert: TypeAlias = sqlite.Insert | postgresql.Insert


async def upsert(connection: StoreConnection, table: sa.Table, row: JsonObject) -> None:
    """Insert `row`, or replace the columns it names of the row with the same primary key."""
    keys = table.primary_key.columns.keys()
    changes = {name: value for name, value in row.items() if name not in keys}
    await connection.execute(
        build_insert(connection.dialect.name, table, row).on_conflict_do_update(index_elements=keys, set_=changes)
    )


async def insert_missing(connection: StoreConnection, table: sa.Table, row: JsonObject) -> bool:
    """Insert `row` unless its primary key exists; whether it was inserted."""
    keys = table.primary_key.columns.keys()
    insert = build_insert(connection.dialect.name, table, row).on_conflict_do_nothing(index_elements=keys)
    return (await connection.execute(insert.returning(*table.primary_key.columns))).first() is not None


async def insert_missing_rows(
    connection: StoreConnection, table: sa.Table, rows: Sequence[JsonObject], key: Sequence[str] = ()
) -> None:
    """Insert those of `rows`, which name the same columns, whose `key` does not exist; without it, whose primary key does not."""
    insert = _choose_insert(connection.dialect.name)(table)
    unique = key or table.primary_key.columns.keys()
    await connection.execute(insert.on_conflict_do_nothing(index_elements=unique), rows)


def build_insert(dialect: str, table: sa.Table, row: JsonObject) -> ConflictInsert:
    """The insert of a dialect, `postgresql` or `sqlite`, that knows `on_conflict_do_...`."""
    return _choose_insert(dialect)(table).values(row)


def _choose_insert(dialect: str) -> Callable[[sa.Table], ConflictInsert]:
    return postgresql.insert if dialect == "postgresql" else sqlite.insert
