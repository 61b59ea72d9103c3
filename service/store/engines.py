"""Makes the engine for a database URL: SQLite needs its pragmas and its transactions set, other databases nothing."""

from __future__ import annotations

import os
import sqlite3
import uuid
from pathlib import Path
from typing import Final

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.engine import URL, Connection
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import AsyncAdaptedQueuePool, ConnectionPoolEntry

from service.store.errors import StoreUnavailable

BUSY_TIMEOUT: Final = 5.0
"""Seconds that a write waits for another process' write before the store counts as unavailable."""
MEMORY: Final = ":memory:"
WRITES: Final = "shortlist_writes"
"""The execution option that marks a transaction as one that writes."""


def parse_url(text: str) -> URL:
    """The URL of a database; `:memory:` is short for SQLite in memory. Raises `StoreUnavailable`, without the password."""
    if text == MEMORY:
        return sa.make_url("sqlite+aiosqlite:///:memory:")
    try:
        url = sa.make_url(text)
        url.get_dialect()
    except (ArgumentError, ImportError, ValueError):
        raise StoreUnavailable("The database URL is not valid; a valid one is sqlite+aiosqlite:///shortlist.db") from None
    return url


def is_memory(url: URL) -> bool:
    """Whether the database lives in memory and dies with the process."""
    return url.get_backend_name() == "sqlite" and url.database in {None, "", MEMORY}


def open_anchor() -> tuple[URL, sqlite3.Connection]:
    """A fresh named database in memory: its URL, and a connection that keeps it alive until it is closed."""
    name = f"file:shortlist-{uuid.uuid4().hex}"
    anchor = sqlite3.connect(f"{name}?mode=memory&cache=shared", uri=True, check_same_thread=False)
    return sa.make_url(f"sqlite+aiosqlite:///{name}?mode=memory&cache=shared&uri=true"), anchor


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
        sqlite3.connect(path).close()  # the driver's own failure to connect would leave its thread to the closed event loop
    except sqlite3.Error as error:
        raise StoreUnavailable(f"The database cannot be opened: {error}: {path}") from None


def make_engine(url: URL, *, single: bool) -> AsyncEngine:
    """An engine without a connection yet; `single` = at most one connection at a time."""
    if url.get_backend_name() != "sqlite":
        return create_async_engine(url, pool_pre_ping=True)
    size = 1 if single else 10
    engine = create_async_engine(url, poolclass=AsyncAdaptedQueuePool, pool_size=size, max_overflow=0)
    event.listen(engine.sync_engine, "connect", _prepare_connection)
    event.listen(engine.sync_engine, "begin", _begin)
    return engine


def _prepare_connection(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
    # The driver must not open transactions by itself: SQLAlchemy's documentation, "Transactions with SQLite".
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {int(BUSY_TIMEOUT * 1000)}")
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()


def _begin(connection: Connection) -> None:
    # A transaction that starts by reading and then writes fails at once under WAL when another one wrote in between.
    writes = connection.get_execution_options().get(WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
