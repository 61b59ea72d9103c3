"""Makes the engine for a database URL: SQLite needs its pragmas and its transactions set, PostgreSQL its limits of time."""

from __future__ import annotations

import os
import sqlite3
import uuid
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final, TypeAlias

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.engine import URL, Connection
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry, QueuePool

from service.store.errors import StoreUnavailable
from service.store.sqlite_engine import BUSY_TIMEOUT, SqliteEngine

Engine: TypeAlias = AsyncEngine | SqliteEngine
MEMORY: Final = ":memory:"
WRITES: Final = "shortlist_writes"
"""The execution option that marks a transaction as one that writes."""
POOL: Final = 10
"""Connections of one process."""
DRIVERS: Final = MappingProxyType({
    "sqlite": "sqlite",
    "sqlite+aiosqlite": "sqlite",
    "postgres": "postgresql+psycopg",
    "postgresql": "postgresql+psycopg",
    "postgresql+psycopg": "postgresql+psycopg",
})  # fmt: skip
"""The databases by what a URL may call them."""
LIBPQ: Final = MappingProxyType({"connect_timeout": "5", "tcp_user_timeout": "10000", "keepalives_idle": "30"})
"""Seconds, milliseconds and seconds after which a server that is silent counts as gone, unless the URL has its own."""
SESSION: Final = (
    f"SET lock_timeout = '{BUSY_TIMEOUT:g}s'; SET statement_timeout = '30s'; SET idle_in_transaction_session_timeout = '30s'"
)
"""A process that freezes within a transaction must not hold others up for longer."""


def parse_url(text: str) -> URL:
    """The URL of a database; `:memory:` is short for SQLite in memory. Raises `StoreUnavailable`, without the password."""
    if text == MEMORY:
        return sa.make_url("sqlite:///:memory:")
    try:
        url = sa.make_url(text)
    except (ArgumentError, ValueError):
        url = None
    if url is None or url.drivername not in DRIVERS:
        raise StoreUnavailable(
            "The database URL is not valid; valid ones are sqlite:///shortlist.db and postgresql://user@host/database"
        )
    if url.get_backend_name() == "sqlite" and (url.host or not url.database):
        raise StoreUnavailable(f"{text} names no file: write sqlite:///x.db, from the working folder, or sqlite:////srv/x.db")
    return url.set(drivername=DRIVERS[url.drivername])


def is_memory(url: URL) -> bool:
    """Whether the database lives in memory and dies with the process."""
    return url.get_backend_name() == "sqlite" and url.database in {None, "", MEMORY}


def open_anchor() -> tuple[URL, sqlite3.Connection]:
    """A fresh named database in memory: its URL, and a connection that keeps it alive until it is closed."""
    name = f"file:shortlist-{uuid.uuid4().hex}"
    anchor = sqlite3.connect(f"{name}?mode=memory&cache=shared", uri=True, check_same_thread=False)
    return sa.make_url(f"sqlite:///{name}?mode=memory&cache=shared&uri=true"), anchor


def check_file(url: URL) -> None:
    """Raise `StoreUnavailable` in plain words when SQLite's file cannot be made or written."""
    if url.get_backend_name() != "sqlite" or url.database is None or url.database.startswith("file:"):
        return
    path = Path(url.database)
    folder = path.parent
    if not folder.is_dir():
        raise StoreUnavailable(f"The database's folder does not exist: {folder}")
    if path.is_dir():
        raise StoreUnavailable(f"The database is a folder, not a file: {path}")
    if not os.access(folder, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        raise StoreUnavailable(f"The database cannot be written, it and its folder need write access: {path}")
    try:
        sqlite3.connect(path).close()
    except sqlite3.Error as error:
        raise StoreUnavailable(f"The database cannot be opened: {error}: {path}") from None


def make_engine(url: URL, *, single: bool) -> Engine:
    """An engine without a connection yet; `single` = at most one connection at a time. Raises `StoreUnavailable`."""
    if url.get_backend_name() == "sqlite":
        sqlite = sa.create_engine(
            url,
            poolclass=QueuePool,
            pool_size=1 if single else POOL,
            max_overflow=0,
            hide_parameters=True,
            connect_args={"check_same_thread": False},
        )
        event.listen(sqlite, "connect", _prepare_connection)
        event.listen(sqlite, "begin", _begin)
        return SqliteEngine(sqlite, readers=0 if single else POOL - 1)
    url = url.update_query_dict({name: value for name, value in LIBPQ.items() if name not in url.query})
    try:
        engine = create_async_engine(url, pool_size=POOL, max_overflow=0, pool_pre_ping=True, hide_parameters=True)
    except ImportError:
        raise StoreUnavailable("PostgreSQL needs its driver: install the extra `postgres` of Shortlist.") from None
    event.listen(engine.sync_engine, "connect", _prepare_session)
    return engine


def get_options(dialect: str, *, writes: bool) -> Mapping[str, object]:
    """The execution options of a transaction: one that reads sees one state throughout."""
    if dialect == "sqlite" or writes:
        return {WRITES: writes}
    return {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}


def _prepare_connection(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
    """`secure_delete`: what is deleted is overwritten, so that what was erased is not in the file any more.

    FULL: what is committed is on the disk, also when the power fails. NORMAL would save one `fsync` a transaction and may
    lose the last ones then: answers that were given, epochs and idempotency keys that were used. Builds differ in the default.
    """
    # The driver must not open transactions by itself: SQLAlchemy's documentation, "Transactions with SQLite".
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {int(BUSY_TIMEOUT * 1000)}")
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.execute("PRAGMA secure_delete = ON")
    cursor.close()


def _prepare_session(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
    cursor = connection.cursor()
    cursor.execute(SESSION)
    cursor.close()
    connection.commit()


def _begin(connection: Connection) -> None:
    # A transaction that starts by reading and then writes fails at once under WAL when another one wrote in between.
    writes = connection.get_execution_options().get(WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
