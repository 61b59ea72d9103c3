"""The databases that the store is tested on: SQLite in a file and in memory, and PostgreSQL, each of them empty.

PostgreSQL is looked for at `TEST_POSTGRES_URL`, or else where a local one listens that trusts its users. Every session has a
schema of its own there, which it drops at its end; where none answers, the tests that need it are skipped and say so.
"""

from __future__ import annotations

import os
import sqlite3
import time
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import LiteralString

import psycopg
import pytest
import sqlalchemy as sa
from psycopg import sql

from service.store.connection import StoreConnection
from service.store.database import Database
from service.store.engines import parse_url

VARIABLE = "TEST_POSTGRES_URL"
SERVER = os.environ.get(VARIABLE, "postgresql://postgres@127.0.0.1:5432/test")


class Clock:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 30, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **delta: float) -> None:
        self.now += timedelta(**delta)


def file_url(folder: Path) -> str:
    return f"sqlite:///{folder / 'store.db'}"


def sync_engine(url: str) -> sa.Engine:
    """An engine of SQLAlchemy's own kind for the URL of a store."""
    parsed = parse_url(url)
    return sa.create_engine(parsed if parsed.get_backend_name() == "postgresql" else parsed.set(drivername="sqlite"))


def run_sql(url: str, *statements: LiteralString) -> None:
    """Change a database behind the store's back."""
    engine = sync_engine(url)
    with engine.begin() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)
    engine.dispose()


async def pause(connection: StoreConnection, seconds: float) -> None:
    """Let time pass within a transaction, where only the database may be waited for."""
    if connection.dialect.name == "postgresql":
        await connection.execute(sa.select(sa.func.pg_sleep(seconds)))
    else:
        time.sleep(seconds)  # noqa: ASYNC251 - in the transaction's own thread


@contextmanager
def hold_up(url: str, table: LiteralString) -> Iterator[None]:
    """Let nobody write to a table meanwhile."""
    if url.startswith("sqlite"):
        blocker = sqlite3.connect(str(parse_url(url).database), isolation_level=None)
        blocker.execute("BEGIN IMMEDIATE")
        try:
            yield
        finally:
            blocker.execute("ROLLBACK")
            blocker.close()
    else:
        with psycopg.connect(url) as connection:
            connection.execute(sql.SQL("LOCK TABLE {} IN EXCLUSIVE MODE").format(sql.Identifier(table)))
            yield


@pytest.fixture(scope="session")
def postgres_schema() -> Iterator[str | None]:
    """The name of this session's schema; None where no PostgreSQL answers."""
    name = f"test_{uuid.uuid4().hex}"
    try:
        psycopg.connect(SERVER, connect_timeout=3).close()
    except psycopg.OperationalError:
        yield None
        return
    yield name
    _change_schema(sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE"), name)


@pytest.fixture
def postgres_url(postgres_schema: str | None) -> str:
    """An empty schema in PostgreSQL, or a skip."""
    if postgres_schema is None:
        pytest.skip(f"no PostgreSQL answers at {VARIABLE}, nor at the default of tests/support/databases.py")
    _change_schema(sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE"), postgres_schema)
    _change_schema(sql.SQL("CREATE SCHEMA {}"), postgres_schema)
    parameters = {"options": f"-csearch_path={postgres_schema}", "application_name": postgres_schema}
    url = sa.make_url(SERVER).update_query_dict(parameters)
    return url.render_as_string(hide_password=False)


@pytest.fixture(params=["file", "memory", "postgres"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each kind."""
    if request.param == "postgres":
        url: str = request.getfixturevalue("postgres_url")
        return url
    return file_url(tmp_path) if request.param == "file" else ":memory:"


@pytest.fixture(params=["file", "postgres"])
def shared_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each kind that several processes can open."""
    if request.param == "postgres":
        url: str = request.getfixturevalue("postgres_url")
        return url
    return file_url(tmp_path)


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """A new database of each kind, open."""
    async with await Database.open(database_url) as opened:
        yield opened


def _change_schema(statement: sql.SQL, name: str) -> None:
    with psycopg.connect(SERVER, autocommit=True) as connection:
        connection.execute("SET client_min_messages = warning")
        connection.execute(statement.format(sql.Identifier(name)))
