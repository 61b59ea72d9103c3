"""What conversations are measured on: SQLite in a file, and PostgreSQL where one answers; and the least that each must do."""

from __future__ import annotations

import asyncio
import sqlite3
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

import psycopg
import sqlalchemy as sa
from psycopg import sql
from sqlalchemy import event

from benchmarks.measuring import tell
from service.store.engines import parse_url
from tests.support.databases import SERVER, VARIABLE

Kind: TypeAlias = Literal["SQLite", "PostgreSQL"]

ABSENT = f"PostgreSQL was not measured: none answered at `{VARIABLE}`, nor where a local one would listen."
_TABLE = "CREATE TABLE floor (id text PRIMARY KEY, value text NOT NULL)"
_VALUE = "x" * 200


@dataclass(frozen=True, slots=True)
class Work:
    """What a database was asked to do; `statements` without those that begin and end transactions."""

    transactions: int
    statements: int


def find_kinds() -> tuple[Kind, ...]:
    """Those that can be measured here."""
    try:
        psycopg.connect(SERVER, connect_timeout=3).close()
    except psycopg.OperationalError:
        tell(f"  {ABSENT}")
        return ("SQLite",)
    return ("SQLite", "PostgreSQL")


@contextmanager
def make_database(kind: Kind, folder: Path) -> Iterator[str]:
    """The URL of an empty database: a file in `folder`, or a schema of its own that is dropped afterwards."""
    name = f"bench_{uuid.uuid4().hex}"
    if kind == "SQLite":
        yield f"sqlite:///{folder / name}.db"
        return
    schema = sql.Identifier(name)
    _run(sql.SQL("CREATE SCHEMA {}").format(schema))
    try:
        url = sa.make_url(SERVER).update_query_dict({"options": f"-csearch_path={name}"})
        yield url.render_as_string(hide_password=False)
    finally:
        _run(sql.SQL("DROP SCHEMA {} CASCADE").format(schema))


def _run(statement: sql.Composed) -> None:
    with psycopg.connect(SERVER, autocommit=True) as connection:
        connection.execute("SET client_min_messages = warning")
        connection.execute(statement)


@asynccontextmanager
async def open_floor(kind: Kind, url: str) -> AsyncIterator[Callable[[], Awaitable[None]]]:
    """One INSERT in a transaction of its own, through the driver that the store uses and on a connection that is open already."""
    opening = _open_sqlite(url) if kind == "SQLite" else _open_postgres(url)
    async with opening as insert:
        yield insert


@asynccontextmanager
async def _open_sqlite(url: str) -> AsyncIterator[Callable[[], Awaitable[None]]]:
    connection = sqlite3.connect(str(parse_url(url).database), isolation_level=None, check_same_thread=False)
    for statement in ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", _TABLE):
        connection.execute(statement)
    loop = asyncio.get_running_loop()

    def insert() -> None:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO floor VALUES (?, ?)", (uuid.uuid4().hex, _VALUE))
        connection.execute("COMMIT")

    async def insert_in_thread() -> None:
        await loop.run_in_executor(thread, insert)

    with closing(connection), ThreadPoolExecutor(1) as thread:
        yield insert_in_thread


@asynccontextmanager
async def _open_postgres(url: str) -> AsyncIterator[Callable[[], Awaitable[None]]]:
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        await connection.execute(_TABLE)

        async def insert() -> None:
            async with connection.transaction():
                await connection.execute("INSERT INTO floor VALUES (%s, %s)", (uuid.uuid4().hex, _VALUE))

        yield insert


async def count_work(call: Callable[[], Awaitable[object]]) -> Work:
    """What the databases of this process do while it runs."""
    transactions: list[None] = []
    statements: list[str] = []

    def note_begin(_: sa.Connection) -> None:
        transactions.append(None)

    def note_statement(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if not statement.startswith("BEGIN"):
            statements.append(statement)

    listeners: dict[str, Callable[..., None]] = {"begin": note_begin, "before_cursor_execute": note_statement}
    for name, listener in listeners.items():
        event.listen(sa.Engine, name, listener)
    try:
        await call()
    finally:
        for name, listener in listeners.items():
            event.remove(sa.Engine, name, listener)
    return Work(len(transactions), len(statements))


def measure_file(url: str) -> int:
    """Bytes of SQLite's file, with everything in it that was written."""
    path = str(parse_url(url).database)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return Path(path).stat().st_size
