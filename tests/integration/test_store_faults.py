"""What goes wrong under the store: rows that cannot be read, a full disk, a PostgreSQL that is away, hangs or breaks off."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import LiteralString

import psycopg
import pytest
import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.exc import DBAPIError

from apps.sdk.chat import Message
from apps.sdk.jsontypes import Json
from service.store.connection import StoreConnection
from service.store.conversations import Conversations, Owner
from service.store.database import Database
from service.store.errors import ConversationMissing, RowTooNew, RowUnreadable, StoreUnavailable
from service.store.overrides import Overrides
from service.store.tables import conversations as conversations_table
from service.store.tables import overrides as overrides_table
from service.store.tables import utc_now
from service.store.turn_records import EVENTS_PER_EPOCH, StoredEvent, TurnEnd, TurnRecords
from tests.support.databases import file_url, hold_up, run_sql
from tests.support.tcp_proxy import TcpProxy

ANN = Owner("acme", "ann")
USER, ANSWER = Message("user", "hello"), Message("assistant", "hi")

# --- rows that cannot be read


async def make_conversation(database: Database, conversation_id: str) -> None:
    """One with a turn that is done, and an event."""
    records = TurnRecords(database)
    made = await Conversations(database).create(ANN, id=conversation_id)
    turn_id = f"t-{conversation_id}"
    lease, _ = await records.begin(ANN, conversation_id, turn_id, lease=60, messages=[USER], source="chat")
    told = StoredEvent(EVENTS_PER_EPOCH + 1, turn_id, "usage", {}, made.created_at)
    await records.finish(lease, TurnEnd("done"), messages=[ANSWER], events=[told])


async def dump_all(database: Database) -> object:
    async def work(connection: StoreConnection) -> object:
        return [
            sorted(map(tuple, await connection.execute(sa.select(table))), key=repr)
            for table in conversations_table.metadata.sorted_tables
        ]

    return await database.read(work)


def reads_and_writes(database: Database, conversation_id: str) -> dict[str, Callable[[], Json]]:
    """Everything that can be done with one conversation, but deleting it."""
    conversations, records = Conversations(database), TurnRecords(database)
    return {
        "get": lambda: conversations.get(ANN, conversation_id),
        "change": lambda: conversations.change(ANN, conversation_id, lambda found: replace(found, title="x")),
        "fork": lambda: conversations.fork(ANN, conversation_id),
        "messages": lambda: conversations.read_messages(ANN, conversation_id, limit=9),
        "latest": lambda: conversations.read_latest_messages(ANN, conversation_id, 9),
        "begin": lambda: records.begin(ANN, conversation_id, f"new-{conversation_id}", lease=60, messages=[USER], source="chat"),
        "events": lambda: records.read_events(ANN, conversation_id, after=0, limit=9),
        "turn": lambda: records.get_turn(ANN, conversation_id, f"t-{conversation_id}"),
        "turns": lambda: records.get_turns(ANN, conversation_id, limit=9),
    }


async def test_a_row_of_a_newer_version_is_refused_and_left_alone(database: Database) -> None:
    """Everything that reads or changes it says so; it is neither listed nor purged; its owner's other ones work."""
    await make_conversation(database, "new")
    await make_conversation(database, "ours")
    await database.write(lambda connection: connection.execute(sa.text("UPDATE conversations SET format = 2 WHERE id = 'new'")))
    before = await dump_all(database)
    for call in reads_and_writes(database, "new").values():
        with pytest.raises(RowTooNew, match="has the format 2,") as caught:
            await call()
        assert (caught.value.table, caught.value.row, caught.value.format) == ("conversations", "new", 2)
    conversations = Conversations(database)
    assert [found.id for found in await conversations.list(ANN, limit=9)] == ["ours"]
    assert await dump_all(database) == before
    for call in reads_and_writes(database, "ours").values():
        await call()
    assert await conversations.purge(utc_now() + timedelta(days=1)) == 1  # the fork of "ours", which a turn holds
    assert await conversations.delete(ANN, "new")


@pytest.mark.parametrize(
    ("damage", "unreadable"),
    [
        ("UPDATE conversations SET intent = '{\"enabled\"' WHERE id = 'bad'", {"get", "change", "fork", "begin"}),
        ("UPDATE conversations SET intent = '[1]' WHERE id = 'bad'", {"get", "change", "fork", "begin"}),
        ("UPDATE conversations SET intent = '{\"bogus\":1}' WHERE id = 'bad'", {"get", "change", "fork", "begin"}),
        ("UPDATE messages SET content = '{' WHERE turn_id = 't-bad'", {"messages", "latest", "begin"}),
        ("UPDATE messages SET content = '' WHERE turn_id = 't-bad'", {"messages", "latest", "begin"}),
        ("UPDATE messages SET role = 'wizard' WHERE turn_id = 't-bad'", {"messages", "latest", "begin"}),
        ("UPDATE messages SET tool_calls = '7' WHERE turn_id = 't-bad'", {"messages", "latest", "begin"}),
        ("UPDATE messages SET tool_calls = '[{}]' WHERE turn_id = 't-bad'", {"messages", "latest", "begin"}),
        ("UPDATE messages SET tool_calls = '[[1,2,3]]' WHERE turn_id = 't-bad'", {"messages", "latest", "begin"}),
        (
            'UPDATE messages SET tool_calls = \'[{"id":1,"name":"","arguments":""}]\' WHERE turn_id = \'t-bad\'',
            {"messages", "latest", "begin"},
        ),
        ("UPDATE events SET data = '[]' WHERE turn_id = 't-bad'", {"events"}),
        ("UPDATE turns SET status = 'dancing' WHERE id = 't-bad'", {"turn", "turns"}),
        ("UPDATE turns SET usage = 'null' WHERE id = 't-bad'", {"turn", "turns"}),
        ("UPDATE turns SET notices = '[1]' WHERE id = 't-bad'", {"turn", "turns"}),
        ("UPDATE turns SET loaded = '\"a\"' WHERE id = 't-bad'", {"turn", "turns"}),
    ],
)
async def test_a_damaged_row_is_named_and_left_alone(database: Database, damage: LiteralString, unreadable: set[str]) -> None:
    """What reads it says which row it is, and quotes nothing; the rest works, and so do other conversations."""
    await make_conversation(database, "bad")
    await make_conversation(database, "good")
    await database.write(lambda connection: connection.run_sync(lambda plain: plain.exec_driver_sql(damage)))
    before = await dump_all(database)
    for name, call in reads_and_writes(database, "bad").items():
        if name not in unreadable:
            continue
        with pytest.raises(RowUnreadable, match="does not have the shape") as caught:
            await call()
        assert not isinstance(caught.value, RowTooNew)
        assert "wizard" not in str(caught.value)
    assert await dump_all(database) == before
    listed = {found.id for found in await Conversations(database).list(ANN, limit=9)}
    assert listed == {"good"} | ({"bad"} if "get" not in unreadable else set())
    for call in reads_and_writes(database, "good").values():
        await call()
    assert await Conversations(database).delete(ANN, "bad")


async def test_unreadable_rows_do_not_shorten_a_page(database: Database) -> None:
    """A page is as long as there are readable ones, so that a short page still means the end."""
    conversations = Conversations(database)
    for number in range(9):
        await conversations.create(ANN, id=f"c{number}")
    await database.write(
        lambda connection: connection.execute(sa.text("UPDATE conversations SET format = 9 WHERE id NOT IN ('c0', 'c4', 'c8')"))
    )
    first = await conversations.list(ANN, limit=2)
    assert [found.id for found in first] == ["c8", "c4"]
    assert [found.id for found in await conversations.list(ANN, limit=2, before=(first[-1].updated_at, "c4"))] == ["c0"]
    assert [found.id for found in await conversations.list(ANN, limit=3)] == ["c8", "c4", "c0"]
    assert [found.id for found in await conversations.list(ANN, limit=99)] == ["c8", "c4", "c0"]


# --- a full disk


async def test_a_full_disk_takes_nothing_and_gives_nothing_half(tmp_path: Path) -> None:
    """SQLite that may not grow: every write is `StoreUnavailable` or whole, reads go on; with room again all works."""
    pages = [1_000_000]
    async with await Database.open(file_url(tmp_path)) as database:
        limit_pages(database, pages)
        conversations, records = Conversations(database), TurnRecords(database)
        await conversations.create(ANN, id="c")
        lease, _ = await records.begin(ANN, "c", "t1", lease=60, messages=[USER], source="chat")
        pages[0] = 1  # SQLite takes it as: no page more than there are
        await database._engine.dispose()
        large = [Message("assistant", "x" * 3_000) for _ in range(20)]
        before = await dump_all(database)
        for call in (
            records.append(lease, large),
            records.finish(lease, TurnEnd("done"), messages=large),
            records.write_events(
                [(lease, [StoredEvent(1_000_001, "t1", "usage", {"x": "y" * 99_000}, utc_now())])],
            ),
            conversations.create(ANN, title="t" * 99_000),
        ):
            with pytest.raises(StoreUnavailable, match="full"):
                await call
            assert await dump_all(database) == before
        await records.renew(lease, 60)
        pages[0] = 1_000_000
        await database._engine.dispose()
        await records.append(lease, large)
        await records.finish(lease, TurnEnd("done"), messages=[ANSWER])
        assert len((await conversations.read_messages(ANN, "c", limit=99)).messages) == 22


def limit_pages(database: Database, pages: list[int]) -> None:
    """Let new connections write no more pages than that."""

    def limit(connection: Json, _: object) -> None:
        connection.execute(f"PRAGMA max_page_count = {pages[0]}")

    event.listen(database._engine.sync_engine, "connect", limit)


# --- PostgreSQL


@pytest.fixture
async def proxy(postgres_url: str) -> AsyncIterator[TcpProxy]:
    url = sa.make_url(postgres_url)
    async with TcpProxy(url.host or "127.0.0.1", url.port or 5432) as opened:
        yield opened


def through(proxy: TcpProxy, url: str) -> str:
    return sa.make_url(url).set(host="127.0.0.1", port=proxy.port).render_as_string(hide_password=False)


async def test_a_postgresql_that_goes_away_and_comes_back(postgres_url: str, proxy: TcpProxy) -> None:
    """While it is away every call is `StoreUnavailable`, soon; the turn that ran goes on when it is back, without a restart."""
    async with await Database.open(through(proxy, postgres_url)) as database:
        conversations, records = Conversations(database), TurnRecords(database)
        await conversations.create(ANN, id="c")
        lease, _ = await records.begin(ANN, "c", "t1", lease=60, messages=[USER], source="chat")
        for _ in range(2):
            await proxy.close()
            started = time.monotonic()
            for call in (
                conversations.get(ANN, "c"),
                records.append(lease, [ANSWER]),
                records.renew(lease, 60),
                records.last_events(["c"]),
            ):
                with pytest.raises(StoreUnavailable, match="does not work"):
                    await call
            assert time.monotonic() - started < 5
            await proxy.open()
            await records.renew(lease, 60)
            assert (await conversations.get(ANN, "c")).running_turn == "t1"
        await records.finish(lease, TurnEnd("done"), messages=[ANSWER])
        assert [stored.message for stored in (await conversations.read_messages(ANN, "c", limit=9)).messages] == [USER, ANSWER]


async def test_a_postgresql_that_is_away_is_told_at_the_start(postgres_url: str, proxy: TcpProxy) -> None:
    """Opening says so, and does not hang."""
    url = through(proxy, postgres_url)
    await proxy.close()
    with pytest.raises(StoreUnavailable, match="does not work"):
        await Database.open(url)


async def test_connections_that_the_server_ended_are_replaced(postgres_url: str) -> None:
    """After a restart of the server the first call already works, though every connection of the pool is dead."""
    async with await Database.open(postgres_url) as database:
        conversations = Conversations(database)
        await asyncio.gather(*(conversations.create(ANN, id=f"c{number}") for number in range(10)))
        end_connections(postgres_url)
        await asyncio.gather(*(conversations.get(ANN, f"c{number}") for number in range(10)))
        assert len(await conversations.list(ANN, limit=99)) == 10


def end_connections(url: str) -> None:
    """Let the server end this session's connections, as it does when it restarts."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE pid != pg_backend_pid() AND application_name = current_setting('application_name')"
        )


async def test_a_transaction_that_the_server_ends_leaves_nothing(postgres_url: str, proxy: TcpProxy) -> None:
    """The connection breaks in the middle of a turn's write: it is `StoreUnavailable`, and nothing of it is there."""
    async with await Database.open(through(proxy, postgres_url)) as database:
        inside = asyncio.Event()

        async def work(connection: StoreConnection) -> None:
            await connection.execute(sa.text("INSERT INTO overrides VALUES ('t','app','x',true,NULL,now())"))
            inside.set()
            await asyncio.sleep(0.1)
            await connection.execute(sa.text("INSERT INTO overrides VALUES ('t','app','y',true,NULL,now())"))

        task = asyncio.create_task(database.write(work))
        await inside.wait()
        await proxy.close()
        with pytest.raises(StoreUnavailable):
            await task
        await proxy.open()
        assert await Overrides(database).list("t") == ()


async def test_a_postgresql_that_says_nothing_is_given_up(postgres_url: str, proxy: TcpProxy) -> None:
    """A server that hangs costs a call its patience and what the driver takes to give up; when it speaks the store works."""
    async with await Database.open(through(proxy, postgres_url), patience=0.5) as database:
        conversations = Conversations(database)
        await conversations.create(ANN, id="c")
        proxy.silence()
        started = time.monotonic()
        ends = await asyncio.gather(conversations.get(ANN, "c"), conversations.create(ANN, id="d"), return_exceptions=True)
        assert [type(end) for end in ends] == [StoreUnavailable] * 2
        assert time.monotonic() - started < 20
        proxy.speak()
        assert (await conversations.get(ANN, "c")).id == "c"
        with pytest.raises(ConversationMissing):
            await conversations.get(ANN, "d")


async def test_a_lock_that_is_held_too_long_is_told(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write that waits for another process' lock ends as unavailable, like SQLite's."""
    monkeypatch.setattr("service.store.engines.SESSION", "SET lock_timeout = '200ms'")
    async with await Database.open(postgres_url) as database:
        conversations = Conversations(database)
        with hold_up(postgres_url, "conversations"), pytest.raises(StoreUnavailable, match="lock timeout"):
            await conversations.create(ANN, id="c")
        await conversations.create(ANN, id="c")


async def test_the_limits_of_time_are_set(postgres_url: str) -> None:
    """Each connection has them; so a process that freezes in a transaction holds others up for so long at most."""

    async def look(connection: StoreConnection) -> list[object]:
        names = ("lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout", "transaction_isolation")
        return [await connection.scalar(sa.text(f"SHOW {name}")) for name in names]

    async with await Database.open(postgres_url) as database:
        assert await database.write(look) == ["5s", "30s", "30s", "read committed"]
        assert await database.read(look) == ["5s", "30s", "30s", "repeatable read"]


async def test_a_reader_sees_one_state(shared_url: str) -> None:
    """What is committed between two queries of one reading transaction is not seen by the second; a reader cannot write."""
    async with await Database.open(shared_url) as database:
        count = sa.select(sa.func.count()).select_from(overrides_table)

        async def work(connection: StoreConnection) -> tuple[int | None, int | None]:
            first = await connection.scalar(count)
            run_sql(shared_url, "INSERT INTO overrides VALUES ('t', 'app', 'x', true, NULL, '2026-01-01')")
            return first, await connection.scalar(count)

        assert await database.read(work) == (0, 0)
        assert await database.read(lambda connection: connection.scalar(count)) == 1


async def test_deadlocks_are_tried_again(postgres_url: str) -> None:
    """Two writers that want the same two rows in opposite orders both succeed: the one broken off runs again."""
    async with await Database.open(postgres_url) as one, await Database.open(postgres_url) as other:
        for id_ in ("a", "b"):
            await Overrides(one).put("t", "app", id_, enabled=True)
        runs = [0]
        both = asyncio.Barrier(2)

        def write(first: str, second: str) -> Callable[[StoreConnection], Json]:
            async def work(connection: StoreConnection) -> None:
                runs[0] += 1
                await touch(connection, first)
                if runs[0] <= 2:
                    await both.wait()
                await touch(connection, second)

            return work

        await asyncio.gather(one.write(write("a", "b")), other.write(write("b", "a")))
        assert runs == [3]
        assert [stored.reason for stored in await Overrides(one).list("t")] == ["xx", "xx"]


async def touch(connection: StoreConnection, override: str) -> None:
    reason = sa.func.coalesce(overrides_table.c.reason, "").concat("x")
    await connection.execute(sa.update(overrides_table).where(overrides_table.c.id == override).values(reason=reason))


async def test_a_conflict_that_never_ends_is_told(database: Database) -> None:
    """After some tries the transaction is given up."""
    runs = []

    class Conflict(Exception):
        sqlstate = "40001"

    async def work(_: StoreConnection) -> None:
        runs.append(1)
        raise DBAPIError("", None, Conflict("always"))

    with pytest.raises(StoreUnavailable, match="always"):
        await database.write(work)
    assert len(runs) == 5


async def test_what_the_store_raises_quotes_nothing_that_is_stored(database: Database) -> None:
    """Neither the message nor what it comes from holds a value of the statement or of a row."""
    row = {"tenant": "t", "kind": "app", "id": "x", "enabled": True, "reason": "hunter2", "updated_at": utc_now()}

    async def work(connection: StoreConnection) -> None:
        for _ in range(2):
            await connection.execute(sa.insert(overrides_table).values({**row, "id": "my-secret"}))

    with pytest.raises(StoreUnavailable) as caught:
        await database.write(work)
    assert "hunter2" not in f"{caught.value}{caught.value.__cause__}"
    assert "my-secret" not in str(caught.value)
