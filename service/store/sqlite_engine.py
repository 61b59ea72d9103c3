"""SQLite in threads: a whole transaction goes to a thread and back, since a trip for each statement costs more than it does."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, closing
from contextvars import copy_context
from functools import partial
from typing import Any, Final, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Dialect

from apps.sdk.jsontypes import JsonObject
from service.store.connection import Work

T = TypeVar("T")

BUSY_TIMEOUT: Final = 5.0
"""Seconds that a write waits for another process' write before the store counts as unavailable."""
LOG_PATIENCE: Final = 1.0
"""Seconds that emptying the log waits for those who read; writes wait meanwhile."""


class SqliteConnection:
    """A `StoreConnection` whose calls are done at once, by the thread that makes them."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    @property
    def dialect(self) -> Dialect:
        return self._connection.dialect

    async def execute(
        self, statement: sa.Executable, parameters: JsonObject | Sequence[JsonObject] | None = None
    ) -> sa.CursorResult[Any]:
        return self._connection.execute(statement, parameters)

    async def scalar(self, statement: sa.Executable, parameters: JsonObject | None = None) -> Any:
        return self._connection.scalar(statement, parameters)

    async def scalars(self, statement: sa.Executable, parameters: JsonObject | None = None) -> sa.ScalarResult[Any]:
        return self._connection.scalars(statement, parameters)

    @asynccontextmanager
    async def begin_nested(self) -> AsyncIterator[None]:
        with self._connection.begin_nested():
            yield

    async def run_sync(self, work: Callable[[sa.Connection], T]) -> T:
        return work(self._connection)


class SqliteEngine:
    """Runs transactions: those that write one after the other in a thread of their own, as SQLite has it; those that read beside.

    `readers`: threads that read; 0 = reading takes its turn with writing.
    """

    def __init__(self, engine: sa.Engine, *, readers: int) -> None:
        self.sync_engine = engine
        self.dialect = engine.dialect
        self._writer = ThreadPoolExecutor(1, "sqlite-writer")
        self._readers = ThreadPoolExecutor(readers, "sqlite-reader") if readers else self._writer

    async def transact(self, work: Work[T], options: Mapping[str, Any], *, writes: bool) -> T:
        """Run `work`, which waits for nothing but the connection, in a transaction. Raises what SQLAlchemy and `work` raise.

        Raises `TimeoutError` when those before it take longer than `BUSY_TIMEOUT`.
        """
        job = partial(self._run, work, options, time.monotonic() + BUSY_TIMEOUT)
        threads = self._writer if writes else self._readers
        return await asyncio.get_running_loop().run_in_executor(threads, copy_context().run, job)

    async def empty_log(self) -> bool:
        """Move all that is committed to the file and cut the log to nothing; whether no reader was in the way."""
        return await asyncio.get_running_loop().run_in_executor(self._writer, self._empty_log)

    async def dispose(self) -> None:
        """Close the connections that are not in use."""
        await asyncio.get_running_loop().run_in_executor(self._writer, self.sync_engine.dispose)

    async def close(self) -> None:
        """End; of no use afterwards."""
        await self.dispose()
        self._writer.shutdown(wait=False)
        self._readers.shutdown(wait=False)

    def _empty_log(self) -> bool:
        try:
            # The driver's own connection, since a checkpoint cannot be made within a transaction.
            with self.sync_engine.connect() as plain, closing(plain.connection.cursor()) as cursor:
                cursor.execute(f"PRAGMA busy_timeout = {int(LOG_PATIENCE * 1000)}")
                try:
                    cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                    is_busy, *_ = cursor.fetchone() or (1,)
                finally:
                    cursor.execute(f"PRAGMA busy_timeout = {int(BUSY_TIMEOUT * 1000)}")
        except (sa.exc.SQLAlchemyError, sqlite3.Error):
            return False
        return not is_busy

    def _run(self, work: Work[T], options: Mapping[str, Any], latest: float) -> T:
        if time.monotonic() > latest:
            raise TimeoutError
        with self.sync_engine.connect() as plain:
            connection = plain.execution_options(**options)
            with connection.begin():
                return _run_to_end(work(SqliteConnection(connection)))


def _run_to_end(work: Awaitable[T]) -> T:
    """The value of a coroutine that waits for nothing. Raises `RuntimeError` for one that does."""
    running = _await(work)
    try:
        running.send(None)
    except StopIteration as done:
        value: T = done.value
        return value
    running.close()
    raise RuntimeError("a transaction waited for something else than its connection")


async def _await(work: Awaitable[T]) -> T:
    return await work
