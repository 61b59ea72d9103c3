"""Brings a database to the newest schema, whoever else does the same at this moment."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from service.store.connection import StoreConnection
from service.store.errors import StoreTooNew
from service.store.peek import HEAD

if TYPE_CHECKING:
    from alembic.config import Config

MIGRATIONS: Final = Path(__file__).parent / "migrations"
VERSION_TABLE: Final = "alembic_version"
SCHEMA_LOCK: Final = 0x5350_4C49
"""The advisory lock that processes take on PostgreSQL; any number that nobody else uses."""
_ALEMBIC: Final = threading.Lock()
# Alembic keeps the migration that runs in a module of its own, so a process can run one at a time, whatever the database.


class Transaction(Protocol):
    """`Database.read` or `Database.write`."""

    async def __call__(self, work: Callable[[StoreConnection], Awaitable[str | None]], /) -> str | None: ...


async def migrate(read: Transaction, write: Transaction) -> None:
    """Upgrade to `HEAD` in one transaction, or do nothing when it is there. Raises `StoreTooNew`."""
    if await read(_read_revision) == HEAD:
        return
    # Alembic takes most of a second to import; the loop stays free meanwhile.
    upgrade = await asyncio.to_thread(_load_upgrade)

    async def work(connection: StoreConnection) -> None:
        await _lock_schema(connection)
        await connection.run_sync(upgrade)

    async with _have_alembic():
        await write(work)


@asynccontextmanager
async def _have_alembic() -> AsyncIterator[None]:
    # Asked again and again: a thread that waits for it would keep it when the caller is cancelled.
    while not _ALEMBIC.acquire(blocking=False):  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    try:
        yield
    finally:
        _ALEMBIC.release()


def make_config(connection: Connection | None = None) -> Config:
    """Alembic's configuration without a file; with a `connection`, commands run inside its transaction."""
    from alembic.config import Config  # noqa: PLC0415 (slow to import, seldom needed)

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


async def _read_revision(connection: StoreConnection) -> str | None:
    return await connection.run_sync(_find_revision)


def _find_revision(connection: Connection) -> str | None:
    if not sa.inspect(connection).has_table(VERSION_TABLE):
        return None
    return connection.scalar(sa.select(sa.column("version_num", sa.String)).select_from(sa.table(VERSION_TABLE)))


async def _lock_schema(connection: StoreConnection) -> None:
    """Let one process migrate at a time. On SQLite the transaction, which writes, already does."""
    if connection.dialect.name == "postgresql":
        for timeout in ("lock_timeout", "statement_timeout"):  # a migration takes as long as it takes
            await connection.execute(sa.text(f"SET LOCAL {timeout} = 0"))
        await connection.execute(sa.select(sa.func.pg_advisory_xact_lock(SCHEMA_LOCK)))


def _load_upgrade() -> Callable[[Connection], None]:
    from alembic import command  # noqa: PLC0415
    from alembic.script import ScriptDirectory  # noqa: PLC0415

    known = {script.revision for script in ScriptDirectory.from_config(make_config()).walk_revisions()}

    def upgrade(connection: Connection) -> None:
        revision = _find_revision(connection)
        if revision is not None and revision not in known:
            raise StoreTooNew(revision)
        command.upgrade(make_config(connection), "head")

    return upgrade
