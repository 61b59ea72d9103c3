"""What the benchmark of stored conversations counts, and the databases that it counts on."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import psycopg
import pytest

from benchmarks import databases, store_operations, stored_bytes
from benchmarks.databases import Kind, Work, count_work, find_kinds, make_database, measure_file, open_floor
from benchmarks.event_delay import read_names
from service.store.conversations import Conversations, Owner
from service.store.database import Database
from tests.support.databases import SERVER

ANN = Owner("acme", "ann")


@pytest.fixture(params=["SQLite", "PostgreSQL"])
def kind(request: pytest.FixtureRequest) -> Kind:
    """Each database; a skip where it is not there."""
    wanted: Kind = request.param
    if wanted not in find_kinds():
        pytest.skip(databases.ABSENT)
    return wanted


async def test_work_is_counted_without_what_frames_it(kind: Kind, tmp_path: Path) -> None:
    """A new conversation is one statement in one transaction; nothing is counted outside."""
    with make_database(kind, tmp_path) as url:
        async with await Database.open(url) as database:
            conversations = Conversations(database)
            assert await count_work(lambda: conversations.create(ANN)) == Work(1, 1)
            await conversations.create(ANN)
            assert await count_work(lambda: conversations.list(ANN, limit=5)) == Work(1, 1)


async def test_floor_is_an_insert_that_lasts(kind: Kind, tmp_path: Path) -> None:
    """Each call leaves a row, so that the floor does the least that every write must."""
    with make_database(kind, tmp_path) as url:
        async with open_floor(kind, url) as insert:
            await insert()
            await insert()
        if kind == "SQLite":
            assert stored_bytes._query(url, "SELECT count(*) FROM floor") == [(2,)]
        else:
            with psycopg.connect(url) as connection:
                assert connection.execute("SELECT count(*) FROM floor").fetchall() == [(2,)]


def test_schema_of_the_benchmark_is_gone_afterwards(tmp_path: Path) -> None:
    """PostgreSQL is left as it was, also when the benchmark fails."""
    if "PostgreSQL" not in find_kinds():
        pytest.skip(databases.ABSENT)
    query = "SELECT count(*) FROM pg_namespace WHERE nspname = %s"
    with psycopg.connect(SERVER, autocommit=True) as connection:
        names = []

        def fail() -> None:
            with make_database("PostgreSQL", tmp_path) as url:
                names.append(url.rpartition("%3D")[2])
                assert connection.execute(query, names).fetchone() == (1,)
                raise LookupError

        with pytest.raises(LookupError):
            fail()
        assert connection.execute(query, names).fetchone() == (0,)


def test_a_postgresql_that_does_not_answer_is_left_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is said, and SQLite is measured all the same."""
    monkeypatch.setattr(databases, "SERVER", "postgresql://nobody@127.0.0.1:1/none")
    assert find_kinds() == ("SQLite",)
    assert databases.ABSENT in capsys.readouterr().err


async def test_every_operation_runs_again_and_again(kind: Kind, tmp_path: Path) -> None:
    """In their order, several rounds of them, as the benchmark takes them."""
    with make_database(kind, tmp_path) as url:
        async with await Database.open(url) as database:
            store = store_operations.MeasuredStore(database)
            await store.fill()
            for _ in range(2):
                work = {name: await count_work(call) for name, call in store.list_operations().items()}
    assert {done.transactions for done in work.values()} == {1}
    written = [done.statements for name, done in work.items() if name.startswith(("begin", "append", "finish"))]
    assert sum(written) == 12 + (kind == "PostgreSQL")  # which is asked for its clock


async def test_bytes_are_those_of_the_file(tmp_path: Path) -> None:
    """A row's bytes grow by exactly the intent's text, and the file holds at least the rows."""
    sizes = []
    for title in ("x", "x" * 100):
        with make_database("SQLite", tmp_path) as url:
            async with await Database.open(url) as database:
                await Conversations(database).create(ANN, title=title)
                size = measure_file(url)
            sizes.append(stored_bytes.read_payload(url)["conversations"])
            assert size > sizes[-1]
    assert 99 <= sizes[1] - sizes[0] <= 101


async def test_events_are_read_by_id_and_name() -> None:
    """Comments, data and events without an id are passed over."""

    async def lines() -> AsyncIterator[bytes]:
        for line in (b": still here\n", b"\n", b"id: 7\n", b"event: usage\n", b'data: {"event": 1}\n', b"\n", b"event: error\n"):
            yield line

    assert [found async for found in read_names(lines())] == [(7, "usage")]
