"""The schema: made by migrations only, by whoever comes first."""

import asyncio
import os
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy.engine import Connection

from service.store.database import Database
from service.store.errors import StoreTooNew, StoreUnavailable
from service.store.peek import HEAD, describe_database
from service.store.schema import make_config
from service.store.tables import metadata
from tests.support.databases import run_sql, sync_engine

OPEN_AND_CLOSE = """
import asyncio, sys
from service.store.database import Database
async def main():
    async with await Database.open(sys.argv[1]):
        pass
asyncio.run(main())
"""
ROOT = Path(__file__).parents[2]


def url_of(path: Path) -> str:
    return f"sqlite:///{path}"


def differences(connection: Connection) -> list[object]:
    return list(compare_metadata(MigrationContext.configure(connection, opts={"compare_type": True}), metadata))


def test_head_is_the_newest_migration() -> None:
    """The constant that spares a start from importing Alembic is the newest of the scripts."""
    assert ScriptDirectory.from_config(make_config()).get_current_head() == HEAD


def test_every_migration_goes_up_and_down(shared_url: str) -> None:
    """Each migration can be applied, taken back and applied again; all together make exactly the declared tables."""
    engine = sync_engine(shared_url)
    scripts = list(ScriptDirectory.from_config(make_config()).walk_revisions())
    with engine.connect() as connection:
        for script in reversed(scripts):
            command.upgrade(make_config(connection), script.revision)
            command.downgrade(make_config(connection), "-1")
            command.upgrade(make_config(connection), script.revision)
        assert differences(connection) == []
        command.downgrade(make_config(connection), "base")
        assert set(sa.inspect(connection).get_table_names()) == {"alembic_version"}
    engine.dispose()


def test_a_difference_would_be_found(shared_url: str) -> None:
    """The comparison sees a column that no migration makes."""
    engine = sync_engine(shared_url)
    with engine.begin() as connection:
        command.upgrade(make_config(connection), "head")
        connection.exec_driver_sql("ALTER TABLE overrides ADD COLUMN stray TEXT")
        assert len(differences(connection)) == 1
    engine.dispose()


async def test_opening_makes_the_declared_schema(shared_url: str) -> None:
    """A database opened for the first time has the tables; opened again it keeps them and what they hold."""
    async with await Database.open(shared_url) as database:
        await database.write(
            lambda connection: connection.execute(sa.text("INSERT INTO overrides VALUES ('t','app','x',true,NULL,'2026-01-01')"))
        )
    async with await Database.open(shared_url) as database:
        count = await database.read(lambda connection: connection.scalar(sa.text("SELECT count(*) FROM overrides")))
        assert count == 1
        assert await database.read(lambda connection: connection.run_sync(differences)) == []


async def test_processes_that_start_at_once_all_succeed(shared_url: str) -> None:
    """Four processes opening a database that does not exist yet: each ends well, the schema is made once."""
    arguments = (sys.executable, "-W", "error", "-c", OPEN_AND_CLOSE, shared_url)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    processes = [
        await asyncio.create_subprocess_exec(*arguments, env=environment, stderr=asyncio.subprocess.PIPE) for _ in range(4)
    ]
    ends = await asyncio.gather(*(process.communicate() for process in processes))
    assert [(process.returncode, end[1]) for process, end in zip(processes, ends, strict=True)] == [(0, b"")] * 4


async def test_databases_opened_together_in_one_process_do_not_disturb_each_other() -> None:
    """Alembic's module-wide state is not shared by two migrations."""
    databases = await asyncio.gather(*(Database.open(":memory:") for _ in range(5)))
    for database in databases:
        assert await database.read(lambda connection: connection.run_sync(differences)) == []
        await database.close()


async def test_a_start_with_nothing_to_migrate_does_not_import_alembic(shared_url: str) -> None:
    """The second start of a service skips the slow import."""
    await (await Database.open(shared_url)).close()
    code = OPEN_AND_CLOSE + "\nassert not [name for name in sys.modules if name.startswith('alembic')]\n"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, shared_url, env=environment)
    assert await process.wait() == 0


async def test_a_newer_database_is_refused_untouched(shared_url: str) -> None:
    """A schema revision that this version does not know is named, and nothing is changed."""
    await (await Database.open(shared_url)).close()
    run_sql(shared_url, "UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StoreTooNew, match="9999") as caught:
        await Database.open(shared_url)
    assert caught.value.revision == "9999"


async def test_a_failed_migration_leaves_nothing(shared_url: str) -> None:
    """A migration that stops half-way is rolled back whole, so the next start finds what was there before."""
    run_sql(shared_url, "CREATE TABLE skill_storage (x INT)")  # in the way of the last table of the first migration
    with pytest.raises(StoreUnavailable, match="already exists"):
        await Database.open(shared_url)
    engine = sync_engine(shared_url)
    assert sa.inspect(engine).get_table_names() == ["skill_storage"]
    engine.dispose()
    run_sql(shared_url, "DROP TABLE skill_storage")
    await (await Database.open(shared_url)).close()


async def test_what_cannot_be_opened_says_why(tmp_path: Path) -> None:
    """A missing folder, a folder as file, a file that is no database and a URL that is none each give a clear error."""
    (tmp_path / "text.db").write_text("this is no database, and long enough to be seen as none" * 20)
    for url, words in {
        url_of(tmp_path / "missing" / "a.db"): "folder does not exist",
        url_of(tmp_path): "a folder, not a file",
        url_of(tmp_path / "text.db"): "not a database",
        "nonsense": "not valid",
        "nosuch+driver://x/y": "not valid",
        "mysql://user:hunter2@host/x": "not valid",
        "postgresql+asyncpg://user:hunter2@host/x": "not valid",
        "postgresql://user:hunter2@127.0.0.1:1/x": "does not work",
        "postgresql://user:hunter2@127.0.0.1:1/x?nonsense=1": "does not work",
    }.items():
        with pytest.raises(StoreUnavailable, match=words) as caught:
            await Database.open(url)
        assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("prefix", ["postgres", "postgresql", "postgresql+psycopg"])
async def test_a_url_of_postgresql_may_be_written_in_each_way(postgres_url: str, prefix: str) -> None:
    """What hosts hand out, what libpq says and what SQLAlchemy says all open the same database, libpq's options too."""
    url = f"{prefix}://{postgres_url.partition('://')[2]}&sslmode=prefer"
    async with await Database.open(url) as database:
        await database.write(lambda connection: connection.execute(sa.text("DELETE FROM overrides")))
    run_sql(postgres_url, "SELECT * FROM overrides")


async def test_without_the_driver_of_postgresql_the_extra_is_named() -> None:
    """A lean install says what to install."""
    code = "import sys; sys.modules['psycopg'] = None" + OPEN_AND_CLOSE
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", code, "postgresql://127.0.0.1/test"),
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=asyncio.subprocess.PIPE,
    )
    _, told = await process.communicate()
    assert process.returncode == 1
    assert b"install the extra `postgres`" in told.splitlines()[-1]


async def test_a_folder_that_takes_no_files_is_an_error() -> None:
    """Where nobody may make a file, not even root, the store says that it cannot be opened."""
    with pytest.raises(StoreUnavailable):
        await Database.open(url_of(Path("/proc/shortlist.db")))


async def test_a_look_into_the_file_agrees_with_the_store(tmp_path: Path) -> None:
    """Without SQLAlchemy: what is not made yet, what is fine, and what only the store has words for."""
    urls = (url_of(tmp_path / "a.db"), f"sqlite:///{tmp_path / 'a.db'}")
    assert [describe_database(url) for url in urls] == ["it is made at the first start"] * 2
    async with await Database.open(urls[1]):
        pass
    assert [describe_database(url) for url in urls] == ["it opens and is at its newest schema"] * 2
    (tmp_path / "text.db").write_text("no database")
    for other in (url_of(tmp_path / "text.db"), url_of(tmp_path / "missing" / "a.db"), "postgresql://x/y"):
        assert describe_database(other) is None
