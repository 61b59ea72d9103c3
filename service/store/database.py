"""The open database: transactions that read, transactions that write, and nothing half done when a caller gives up."""

from __future__ import annotations

import asyncio
import random
import sqlite3
from typing import Final, Self, TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from service.completion import complete
from service.store.connection import StoreConnection, Work
from service.store.engines import Engine, check_file, get_options, is_memory, make_engine, open_anchor, parse_url
from service.store.errors import StoreUnavailable
from service.store.schema import migrate
from service.store.sqlite_engine import SqliteEngine

T = TypeVar("T")
DEFAULT_URL: Final = "sqlite:///shortlist.db"
PATIENCE: Final = 45.0
"""Seconds after which a transaction on a server that says nothing any more is given up; the server's own limit is shorter."""
ATTEMPTS: Final = 5
"""How often a transaction is tried that PostgreSQL breaks off in favour of another one."""
_LOOK: Final = sa.text("SELECT version_num FROM alembic_version")
_REWRITE: Final = sa.text("UPDATE alembic_version SET version_num = version_num")
"""Changes nothing, and needs the room that a change needs."""
_CONFLICTS: Final = frozenset({"40001", "40P01"})  # serialization_failure, deadlock_detected


class Database:
    """One database at its newest schema. Make it with `open`, end it with `close`, or use it as a context manager."""

    def __init__(self, engine: Engine, anchor: sqlite3.Connection | None = None, *, patience: float = PATIENCE) -> None:
        self._engine = engine
        self._anchor = anchor
        # A call into SQLite cannot be given up; it waits for `BUSY_TIMEOUT` and no longer.
        self._patience = None if isinstance(engine, SqliteEngine) else patience
        self._writes_fail = False

    @classmethod
    async def open(cls, url: str = DEFAULT_URL, *, patience: float = PATIENCE) -> Self:
        """Connect and migrate. `:memory:` gives a fresh database of its own; `patience` is for one transaction.

        Raises `StoreUnavailable` when it cannot be opened or written, `StoreTooNew` when a newer version migrated it.
        """
        parsed = parse_url(url)
        anchor = None
        if single := is_memory(parsed):
            parsed, anchor = open_anchor()
        check_file(parsed)
        database = cls(make_engine(parsed, single=single), anchor, patience=patience)
        try:
            await migrate(database.read, database._migrate)
        except BaseException:
            await database.close()
            raise
        return database

    async def close(self) -> None:
        """Close every connection; the database is of no use afterwards."""
        await complete(self._engine.close() if isinstance(self._engine, SqliteEngine) else self._engine.dispose())
        if self._anchor is not None:
            self._anchor.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def read(self, work: Work[T]) -> T:
        """Run `work` in a transaction that only reads: it sees one state. Raises `StoreUnavailable`."""
        return await self._run(work, writes=False, patience=self._patience)

    async def write(self, work: Work[T]) -> T:
        """Run `work` in a transaction that is committed when it returns and rolled back when it raises.

        A caller that is cancelled waits until the transaction has ended: it is never left in doubt. Raises `StoreUnavailable`.
        """
        return await self._run(work, writes=True, patience=self._patience)

    async def check(self) -> None:
        """Raise `StoreUnavailable` unless it can be read, and written if the last write failed, say because a disk is full."""

        async def work(connection: StoreConnection) -> None:
            await connection.execute(_REWRITE if self._writes_fail else _LOOK)

        await self._run(work, writes=self._writes_fail, patience=self._patience)

    async def empty_log(self) -> bool:
        """Take what was deleted out of SQLite's log too, where it can be read until it is overwritten; whether that was possible.

        Nothing on PostgreSQL, which overwrites and drops what was deleted by its own VACUUM.
        """
        return await complete(self._engine.empty_log()) if isinstance(self._engine, SqliteEngine) else True

    async def _migrate(self, work: Work[T]) -> T:
        return await self._run(work, writes=True, patience=None)

    async def _run(self, work: Work[T], *, writes: bool, patience: float | None) -> T:
        attempt = 1
        while True:
            try:
                done = await complete(self._transact(work, writes=writes, patience=patience))
                self._writes_fail = self._writes_fail and not writes
                return done
            except (SQLAlchemyError, OSError) as error:
                self._writes_fail = self._writes_fail or writes
                if attempt == ATTEMPTS or not _is_conflict(error):
                    raise StoreUnavailable(_describe(error)) from error
            await asyncio.sleep(random.uniform(0, 0.01 * 2**attempt))  # noqa: S311 (no secret)
            attempt += 1

    async def _transact(self, work: Work[T], *, writes: bool, patience: float | None) -> T:
        options = get_options(self._engine.dialect.name, writes=writes)
        if isinstance(self._engine, SqliteEngine):
            return await self._engine.transact(work, options, writes=writes)
        async with asyncio.timeout(patience), self._engine.connect() as plain:
            connection = await plain.execution_options(**options)
            async with connection.begin():
                return await work(connection)


def _is_conflict(error: Exception) -> bool:
    """Whether the database broke a transaction off in favour of another one; nothing of it was done."""
    return isinstance(error, DBAPIError) and getattr(error.orig, "sqlstate", None) in _CONFLICTS


def _describe(error: Exception) -> str:
    """What is wrong, without PostgreSQL's details, which quote rows."""
    match error:
        case PoolTimeout():
            return "The database is too busy: no connection became free in time."
        case TimeoutError():
            return "The database does not answer in time."
        case DBAPIError():
            said = getattr(getattr(error.orig, "diag", None), "message_primary", None) or str(error.orig)
            return f"The database does not work: {type(error).__name__}: {said.strip().partition(chr(10))[0]}"
        case _:
            return f"The database does not work: {type(error).__name__}"
