"""The database itself, overrides, skill storage and idempotency records, on SQLite and PostgreSQL."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.dialects.sqlite.base import SQLiteDialect

from apps.sdk.skill import SkillFailed
from service.store import lease_clock, tables
from service.store.connection import StoreConnection
from service.store.database import Database
from service.store.errors import StoreUnavailable
from service.store.idempotency import IdempotencyRecords, KeyScope, Reused, Running, Started, StoredResponse
from service.store.overrides import Overrides, StoredOverride
from service.store.skill_storage import SkillStorageStore, StorageLimits
from service.store.tables import UtcDateTime
from service.store.tables import overrides as overrides_table
from service.store.upsert import build_insert
from tests.support.databases import Clock, file_url, hold_up, pause

SCOPE = KeyScope("acme", "ann", "key-1")
RESPONSE = StoredResponse(200, (("Content-Type", "application/json"),), b'{"answer":"\xc3\xa9"}')


# --- the database itself


async def test_sqlite_is_set_up(tmp_path: Path) -> None:
    """WAL, foreign keys, a busy timeout, commits that wait for the disk (2 = FULL) and overwriting are on in every connection."""

    async def look(connection: StoreConnection) -> list[object]:
        names = ("journal_mode", "foreign_keys", "busy_timeout", "synchronous", "secure_delete")
        return [await connection.scalar(sa.text(f"PRAGMA {name}")) for name in names]

    async with await Database.open(f"sqlite:///{tmp_path / 'a.db'}") as database:
        assert await database.read(look) == ["wal", 1, 5000, 2, 1]


async def test_a_write_that_reads_first_is_never_refused(tmp_path: Path) -> None:
    """Transactions that read and then write, many at once from two connections' pools, all succeed: they open as writers."""
    url = f"sqlite:///{tmp_path / 'a.db'}"

    async def add_one(connection: StoreConnection) -> None:
        count = await connection.scalar(sa.text("SELECT count(*) FROM overrides"))
        await pause(connection, 0.001)
        row = {"id": f"app{count}"}
        await connection.execute(sa.text("INSERT INTO overrides VALUES ('t', 'app', :id, 1, NULL, '2026-01-01')"), row)

    async with await Database.open(url) as one, await Database.open(url) as other:
        await asyncio.gather(*(database.write(add_one) for database in (one, other) for _ in range(15)))
        assert len(await Overrides(one).list("t")) == 30


async def test_a_write_that_raises_leaves_nothing(database: Database) -> None:
    """An exception inside a transaction takes back all of it and comes out as it is."""

    async def fail(connection: StoreConnection) -> None:
        await connection.execute(sa.text("INSERT INTO overrides VALUES ('t', 'app', 'x', true, NULL, '2026-01-01')"))
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        await database.write(fail)
    assert await Overrides(database).list("t") == ()


async def test_a_cancelled_writer_is_never_in_doubt(database: Database) -> None:
    """Cancelled in the middle of a transaction, the caller gets its cancellation after the transaction was committed."""
    inside = threading.Event()

    async def work(connection: StoreConnection) -> None:
        inside.set()
        await pause(connection, 0.05)
        await connection.execute(sa.text("INSERT INTO overrides VALUES ('t', 'app', 'x', true, NULL, '2026-01-01')"))

    task = asyncio.create_task(database.write(work))
    assert await asyncio.to_thread(inside.wait, 5)
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(await Overrides(database).list("t")) == 1


async def test_what_waits_for_something_else_within_a_transaction_is_told(tmp_path: Path) -> None:
    """On SQLite, whose transactions have a thread of their own: nothing of it is kept, and the next one works."""
    row = sa.text("INSERT INTO overrides VALUES ('t', 'app', 'x', true, NULL, '2026-01-01')")

    async def work(connection: StoreConnection) -> None:
        await connection.execute(row)
        await asyncio.sleep(0)

    async with await Database.open(file_url(tmp_path)) as database:
        with pytest.raises(RuntimeError, match="waited for something else"):
            await database.write(work)
        assert await Overrides(database).list("t") == ()
        await Overrides(database).put("t", "app", "x", enabled=True)


async def test_writers_follow_each_other_while_readers_read(tmp_path: Path) -> None:
    """A process' writes wait in line, in the order of their calls; a read beside them is not kept waiting."""
    order: list[int] = []
    async with await Database.open(file_url(tmp_path)) as database:

        def write(number: int) -> Callable[[StoreConnection], Awaitable[None]]:
            async def work(connection: StoreConnection) -> None:
                await pause(connection, 0.05)
                order.append(number)

            return work

        writing = asyncio.gather(*(database.write(write(number)) for number in range(20)))
        await Overrides(database).list("t")
        assert len(order) < 10
        await writing
    assert order == list(range(20))


async def test_a_writer_that_waits_in_line_for_too_long_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A database that others hold makes each writer wait for as long as one, however many stand in line."""
    monkeypatch.setattr("service.store.sqlite_engine.BUSY_TIMEOUT", 0.1)
    async with await Database.open(file_url(tmp_path)) as database:
        writers = [asyncio.create_task(database.write(lambda connection: pause(connection, 0.2))) for _ in range(2)]
        await writers[0]
        with pytest.raises(StoreUnavailable, match="in time"):
            await writers[1]
        await Overrides(database).put("t", "app", "x", enabled=True)


async def test_a_broken_database_is_unavailable_not_a_driver_error(database: Database) -> None:
    """A table that is gone comes out as `StoreUnavailable`, on reads and writes."""
    await database.write(lambda connection: connection.execute(sa.text("DROP TABLE overrides")))
    with pytest.raises(StoreUnavailable):
        await Overrides(database).list("t")
    with pytest.raises(StoreUnavailable):
        await Overrides(database).put("t", "app", "x", enabled=True)


@pytest.mark.parametrize("dialect", ["sqlite", "postgresql"])
def test_upserts_are_written_for_each_database(dialect: str) -> None:
    """Both databases get their own statement from the one place that knows them."""
    compiler = sa.make_url(f"{dialect}://").get_dialect()()
    insert = build_insert(dialect, overrides_table, {"tenant": "t", "kind": "app", "id": "x", "enabled": True})
    text = str(insert.on_conflict_do_update(index_elements=["tenant"], set_={"enabled": True}).compile(dialect=compiler))
    assert "ON CONFLICT (tenant) DO UPDATE SET enabled" in text
    text = str(insert.on_conflict_do_nothing(index_elements=["tenant"]).compile(dialect=compiler))
    assert "ON CONFLICT (tenant) DO NOTHING" in text


async def test_memory_databases_are_separate() -> None:
    """Each `:memory:` database is its own."""
    async with await Database.open(":memory:") as one, await Database.open(":memory:") as other:
        await Overrides(one).put("t", "app", "x", enabled=True)
        assert await Overrides(other).list("t") == ()


@given(st.datetimes(timezones=st.timezones()))
def test_times_come_back_as_the_same_instant_in_utc(moment: datetime) -> None:
    """What is stored and read is the same instant, on a database that keeps zones and on one that does not."""
    for dialect in (SQLiteDialect(), sa.make_url("postgresql://").get_dialect()()):
        try:
            expected = moment.astimezone(UTC)
        except OverflowError:
            return
        stored = UtcDateTime().process_bind_param(moment, dialect)
        read = UtcDateTime().process_result_value(stored, dialect)
        assert read == expected
        assert read is not None
        assert read.tzinfo is UTC


def test_a_time_without_a_zone_is_refused() -> None:
    """Nobody can store a time whose zone is a guess."""
    with pytest.raises(ValueError, match="zone"):
        UtcDateTime().process_bind_param(datetime(2026, 1, 1), SQLiteDialect())  # noqa: DTZ001


# --- overrides


async def test_overrides_are_kept_per_tenant_and_replaced(database: Database) -> None:
    """case 8: what an operator enabled or disabled is stored with its reason and time, sorted, apart from other tenants'."""
    clock = Clock()
    overrides = Overrides(database, clock=clock)
    await overrides.put("acme", "skill", "web-search", enabled=False, reason="too costly")
    await overrides.put("acme", "app", "web", enabled=True)
    await overrides.put("other", "app", "web", enabled=False)
    clock.advance(hours=1)
    replaced = await overrides.put("acme", "skill", "web-search", enabled=True)
    assert replaced == StoredOverride("skill", "web-search", enabled=True, reason=None, updated_at=clock.now)
    assert await overrides.list("acme") == (
        StoredOverride("app", "web", enabled=True, reason=None, updated_at=clock.now - timedelta(hours=1)),
        replaced,
    )
    assert await overrides.delete("acme", "app", "web") is True
    assert await overrides.delete("acme", "app", "web") is False
    assert len(await overrides.list("acme")) == 1
    assert len(await overrides.list("other")) == 1


# --- skill storage


async def test_skill_storage_keeps_any_json_exactly(database: Database) -> None:
    """Text in any script, whole numbers of any size, null, nesting and key order come back as they went in."""
    storage = SkillStorageStore(database).scoped("acme", "math", "ann")
    value = {"z": [1, 2.5, None, True], "a": "日本\u0000", "big": 10**40, "n": {"n": {}}}
    await storage.put("k", value)
    stored = await storage.get("k")
    assert stored == value
    assert list(stored or {}) == ["z", "a", "big", "n"]
    await storage.put("k", None)
    assert await storage.get("k") is None
    assert await storage.keys() == ["k"]
    assert await storage.delete("k") is True
    assert await storage.delete("k") is False
    assert await storage.get("k") is None


async def test_skill_storage_is_scoped(database: Database) -> None:
    """Another tenant, app or user sees nothing of it; erasing a user takes all apps' values and nobody else's."""
    store = SkillStorageStore(database)
    scopes = [("acme", "math", "ann"), ("acme", "time", "ann"), ("acme", "math", "bob"), ("other", "math", "ann")]
    for scope in scopes:
        await store.scoped(*scope).put("k", list(scope))
    for scope in scopes:
        assert await store.scoped(*scope).get("k") == list(scope)
    assert await store.erase_user("acme", "ann") == 2
    left = [await store.scoped(*scope).get("k") is not None for scope in scopes]
    assert left == [False, False, True, True]


async def test_prefixes_are_exact(database: Database) -> None:
    """A prefix is compared letter by letter: no wildcard, no folding of case."""
    storage = SkillStorageStore(database).scoped("acme", "math", "ann")
    for key in ("a_1", "ab1", "A_1", "a%"):
        await storage.put(key, 1)
    assert await storage.keys("a_") == ["a_1"]
    assert await storage.keys() == ["A_1", "a%", "a_1", "ab1"]
    assert [*await storage.items("a_")] == ["a_1"]
    assert [*await storage.items()] == ["A_1", "a%", "a_1", "ab1"]


async def test_all_values_come_in_one_read(database: Database) -> None:
    """`items` has the same values as `get`, keys sorted, of this scope alone."""
    store = SkillStorageStore(database)
    storage = store.scoped("acme", "math", "ann")
    values = {"n:é2": None, "n:é1": [10**40, {"a": "日本"}], "other": 1}
    for key, value in values.items():
        await storage.put(key, value)
    await store.scoped("acme", "math", "bob").put("n:3", "bob's")
    assert [*(await storage.items("n:")).items()] == [("n:é1", values["n:é1"]), ("n:é2", None)]
    assert await storage.items() == values
    assert await storage.items("n:é9") == {}
    with pytest.raises(SkillFailed, match="storage key"):
        await storage.items("\ud800")


async def test_skill_storage_names_its_limits(database: Database) -> None:
    """A key, a value or a number of keys over the limit, and what is no JSON, are refused with the limit in the text."""
    store = SkillStorageStore(database, StorageLimits(value_bytes=20, keys=2))
    storage = store.scoped("acme", "math", "ann")
    for key in ("", "k" * 201, "a\x00b", "\ud800"):
        with pytest.raises(SkillFailed, match="storage key"):
            await storage.put(key, 1)
    await storage.put("k" * 200, "x" * 18)
    with pytest.raises(SkillFailed, match="at most 20 bytes"):
        await storage.put("k", "é" * 10)
    loop: list[object] = []
    loop.append(loop)
    for value in (object(), float("nan"), loop, "\ud800", b"x"):
        with pytest.raises(SkillFailed, match="must be JSON"):
            await storage.put("k", value)
    await storage.put("two", 2)
    await storage.put("two", 3)
    with pytest.raises(SkillFailed, match="at most 2 keys"):
        await storage.put("three", 3)
    await store.scoped("acme", "math", "bob").put("three", 3)


async def test_the_number_of_keys_holds_under_concurrency(database: Database) -> None:
    """Twenty puts at once of different keys: exactly as many as the limit succeed."""
    storage = SkillStorageStore(database, StorageLimits(keys=5)).scoped("acme", "math", "ann")
    ends = await asyncio.gather(*(storage.put(f"k{number}", number) for number in range(20)), return_exceptions=True)
    assert sum(end is None for end in ends) == 5
    assert len(await storage.keys()) == 5


# --- idempotency records


async def test_skill_storage_that_fails_is_told_to_the_model(database: Database) -> None:
    """Every method ends in a final error without the driver's words, so that it is neither retried nor called a crash."""
    await database.write(lambda connection: connection.execute(sa.text("DROP TABLE skill_storage")))
    storage = SkillStorageStore(database).scoped("t", "notes", "u")
    for call in (storage.get("k"), storage.put("k", 1), storage.delete("k"), storage.keys(), storage.items()):
        with pytest.raises(SkillFailed, match=r"cannot be read or written now\.$"):
            await call


async def test_of_many_that_begin_one_starts(database: Database) -> None:
    """Thirty at once with one key: one owns it, the others are told that it runs."""
    records = IdempotencyRecords(database)
    outcomes = await asyncio.gather(*(records.begin(SCOPE, "h", 60) for _ in range(30)))
    assert sum(isinstance(outcome, Started) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, Running) for outcome in outcomes) == 29


async def test_of_two_replicas_one_starts(shared_url: str) -> None:
    """Two services on one database: of their simultaneous begins exactly one owns the key."""
    async with await Database.open(shared_url) as one, await Database.open(shared_url) as other:
        replicas = (IdempotencyRecords(one), IdempotencyRecords(other))
        outcomes = await asyncio.gather(*(replicas[number % 2].begin(SCOPE, "h", 60) for number in range(10)))
    assert sum(isinstance(outcome, Started) for outcome in outcomes) == 1


async def test_replicas_need_no_common_clock(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The database's own clock says when a key is free: one whose clock is an hour ahead does not run what runs already."""
    async with await Database.open(postgres_url) as database:
        records = IdempotencyRecords(database)
        assert isinstance(await records.begin(SCOPE, "h", 60), Started)
        monkeypatch.setattr(lease_clock, "utc_now", lambda: tables.utc_now() + timedelta(hours=1))
        running = await records.begin(SCOPE, "h", 60)
        assert isinstance(running, Running)
        assert 50 < running.seconds <= 60
        assert await records.purge() == 0


async def test_a_finished_key_gives_its_response(database: Database) -> None:
    """The stored response comes back byte for byte, to the same request of the same user only."""
    records = IdempotencyRecords(database)
    started = await records.begin(SCOPE, "h", 60)
    assert isinstance(started, Started)
    assert await records.finish(started, RESPONSE)
    assert await records.begin(SCOPE, "h", 60) == RESPONSE
    assert await records.begin(SCOPE, "another", 60) == Reused()
    for other in (KeyScope("acme", "bob", "key-1"), KeyScope("other", "ann", "key-1"), KeyScope("acme", "ann", "KEY-1")):
        assert isinstance(await records.begin(other, "h", 60), Started)


async def test_an_abandoned_key_is_free(database: Database) -> None:
    """After `abandon` the same key may run another request."""
    records = IdempotencyRecords(database)
    started = await records.begin(SCOPE, "h", 60)
    assert isinstance(started, Started)
    assert await records.abandon(started)
    assert isinstance(await records.begin(SCOPE, "another", 60), Started)


async def test_a_crashed_owner_blocks_until_its_lease_ends(database: Database) -> None:
    """After the lease somebody else may start; what the late owner brings is refused."""
    clock = Clock()
    records = IdempotencyRecords(database, clock=clock)
    crashed = await records.begin(SCOPE, "h", 60)
    assert isinstance(crashed, Started)
    clock.advance(seconds=59)
    assert await records.begin(SCOPE, "h", 60) == Running(1.0)
    clock.advance(seconds=1)
    second = await records.begin(SCOPE, "h", 60)
    assert isinstance(second, Started)
    assert not await records.finish(crashed, StoredResponse(200, (), b"late"))
    assert not await records.abandon(crashed)
    assert await records.finish(second, RESPONSE)
    assert await records.begin(SCOPE, "h", 60) == RESPONSE


async def test_records_end_with_their_retention(database: Database) -> None:
    """After the retention a key is new again; `purge` deletes what is over, in batches, and nothing else."""
    clock = Clock()
    records = IdempotencyRecords(database, retention=timedelta(hours=24), clock=clock)
    for number in range(3):
        started = await records.begin(KeyScope("acme", "ann", f"old-{number}"), "h", 60)
        assert isinstance(started, Started)
        await records.finish(started, RESPONSE)
    await records.begin(KeyScope("acme", "ann", "crashed"), "h", 60)
    clock.advance(hours=23, minutes=59)
    fresh = await records.begin(SCOPE, "h", 600)
    assert isinstance(fresh, Started)
    clock.advance(minutes=1)
    assert isinstance(await records.begin(KeyScope("acme", "ann", "old-0"), "another", 60), Started)
    assert await records.purge() == 3
    assert await records.purge() == 0
    assert isinstance(await records.begin(SCOPE, "h", 60), Running)


async def test_a_user_can_be_erased(database: Database) -> None:
    """Stored answers hold message text: erasing a user deletes them, nobody else's."""
    records = IdempotencyRecords(database)
    for user in ("ann", "bob"):
        started = await records.begin(KeyScope("acme", user, "k"), "h", 60)
        assert isinstance(started, Started)
        await records.finish(started, RESPONSE)
    assert await records.erase_user("acme", "ann") == 1
    assert isinstance(await records.begin(KeyScope("acme", "ann", "k"), "h", 60), Started)
    assert await records.begin(KeyScope("acme", "bob", "k"), "h", 60) == RESPONSE


async def test_a_caller_cancelled_while_beginning_keeps_no_key(shared_url: str) -> None:
    """A begin that is cancelled while it waits for the database frees the key again."""
    async with await Database.open(shared_url) as database:
        records = IdempotencyRecords(database)
        with hold_up(shared_url, "idempotency_records"):
            task = asyncio.create_task(records.begin(SCOPE, "h", 60))
            await asyncio.sleep(0.05)
            task.cancel()
            await asyncio.sleep(0.05)
            assert not task.done()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert isinstance(await records.begin(SCOPE, "another", 60), Started)


@pytest.mark.parametrize("url", ["sqlite://x.db", "sqlite://", "sqlite://folder/x.db"])
async def test_a_url_with_a_slash_too_few_is_refused(url: str) -> None:
    """It would be a database in memory, and everything would be gone with the process."""
    with pytest.raises(StoreUnavailable, match="names no file"):
        await Database.open(url)
