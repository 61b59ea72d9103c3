"""The open database: transactions that read, transactions that write, and nothing half done when a caller gives up."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Coroutine
from typing import Final, Self, TypeAlias, TypeVar

from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from service.store.engines import WRITES, check_file, is_memory, make_engine, open_anchor, parse_url
from service.store.errors import StoreUnavailable
from service.store.schema import migrate

T = TypeVar("T")
Work: TypeAlias = Callable[[AsyncConnection], Awaitable[T]]
"""What runs inside one transaction; it must not wait for anything but the connection."""

DEFAULT_URL: Final = "sqlite+aiosqlite:///shortlist.db"


class Database:
    """One database at its newest schema. Make it with `open`, end it with `close`, or use it as a context manager."""

    def __init__(self, engine: AsyncEngine, anchor: sqlite3.Connection | None = None) -> None:
        self._engine = engine
        self._anchor = anchor

    @classmethod
    async def open(cls, url: str = DEFAULT_URL) -> Self:
        """Connect and migrate. `:memory:` gives a fresh database of its own.

        Raises `StoreUnavailable` when it cannot be opened or written, `StoreTooNew` when a newer version migrated it.
        """
        parsed = parse_url(url)
        anchor = None
        if single := is_memory(parsed):
            parsed, anchor = open_anchor()
        check_file(parsed)
        database = cls(make_engine(parsed, single=single), anchor)
        try:
            await migrate(database.read, database.write)
        except BaseException:
            await database.close()
            raise
        return database

    async def close(self) -> None:
        """Close every connection; the database is of no use afterwards."""
        await _finish(self._engine.dispose())
        if self._anchor is not None:
            self._anchor.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def read(self, work: Work[T]) -> T:
        """Run `work` in a transaction that only reads: it sees one state. Raises `StoreUnavailable`."""
        return await self._run(work, writes=False)

    async def write(self, work: Work[T]) -> T:
        """Run `work` in a transaction that is committed when it returns and rolled back when it raises.

        A caller that is cancelled waits until the transaction has ended: it is never left in doubt. Raises `StoreUnavailable`.
        """
        return await self._run(work, writes=True)

    async def _run(self, work: Work[T], *, writes: bool) -> T:
        try:
            return await _finish(self._transact(work, writes=writes))
        except PoolTimeout:
            raise StoreUnavailable("The database is too busy: no connection became free in time.") from None
        except DBAPIError as error:
            raise StoreUnavailable(f"The database does not work: {type(error).__name__}: {error.orig}") from error
        except (SQLAlchemyError, OSError) as error:
            raise StoreUnavailable(f"The database does not work: {type(error).__name__}") from error

    async def _transact(self, work: Work[T], *, writes: bool) -> T:
        async with self._engine.connect() as plain:
            connection = await plain.execution_options(**{WRITES: writes})
            async with connection.begin():
                return await work(connection)


async def _finish(work: Coroutine[None, None, T]) -> T:
    """Await `work` to its end, also when the caller is cancelled meanwhile; the cancellation follows then."""
    task = asyncio.create_task(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        task.exception()  # seen; the cancellation outranks it
        raise cancelled
    return task.result()
