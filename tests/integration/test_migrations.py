"""The schema: made by migrations only, by whoever comes first."""

import asyncio
import os
import sqlite3
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy.engine import Connection, create_engine

from service.store.database import Database
from service.store.errors import StoreTooNew, StoreUnavailable
from service.store.peek import HEAD, describe_database
from service.store.schema import make_config
from service.store.tables import metadata

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
    return f"sqlite+aiosqlite:///{path}"


def differences(connection: Connection) -> list[object]:
    return list(compare_metadata(MigrationContext.configure(connection, opts={"compare_type": True}), metadata))


def test_head_is_the_newest_migration() -> None:
    """The constant that spares a start from importing Alembic is the newest of the scripts."""
    assert ScriptDirectory.from_config(make_config()).get_current_head() == HEAD


def test_every_migration_goes_up_and_down(tmp_path: Path) -> None:
    """Each migration can be applied, taken back and applied again; all together make exactly the declared tables."""
    engine = create_engine(f"sqlite:///{tmp_path / 'walk.db'}")
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


def test_a_difference_would_be_found(tmp_path: Path) -> None:
    """The comparison sees a column that no migration makes."""
    engine = create_engine(f"sqlite:///{tmp_path / 'walk.db'}")
    with engine.begin() as connection:
        command.upgrade(make_config(connection), "head")
        connection.exec_driver_sql("ALTER TABLE overrides ADD COLUMN stray TEXT")
        assert len(differences(connection)) == 1
    engine.dispose()


async def test_opening_makes_the_declared_schema(tmp_path: Path) -> None:
    """A database opened for the first time has the tables; opened again it keeps them and what they hold."""
    async with await Database.open(url_of(tmp_path / "a.db")) as database:
        await database.write(
            lambda connection: connection.execute(sa.text("INSERT INTO overrides VALUES ('t','app','x',1,NULL,'2026-01-01')"))
        )
    async with await Database.open(url_of(tmp_path / "a.db")) as database:
        count = await database.read(lambda connection: connection.scalar(sa.text("SELECT count(*) FROM overrides")))
        assert count == 1
        assert await database.read(lambda connection: connection.run_sync(differences)) == []


async def test_processes_that_start_at_once_all_succeed(tmp_path: Path) -> None:
    """Four processes opening a database that does not exist yet: each ends well, the schema is made once."""
    arguments = (sys.executable, "-W", "error", "-c", OPEN_AND_CLOSE, url_of(tmp_path / "race.db"))
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


async def test_a_start_with_nothing_to_migrate_does_not_import_alembic(tmp_path: Path) -> None:
    """The second start of a service skips the slow import."""
    url = url_of(tmp_path / "warm.db")
    await (await Database.open(url)).close()
    code = OPEN_AND_CLOSE + "\nassert not [name for name in sys.modules if name.startswith('alembic')]\n"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, url, env=environment)
    assert await process.wait() == 0


async def test_a_newer_database_is_refused_untouched(tmp_path: Path) -> None:
    """A schema revision that this version does not know is named, and nothing is changed."""
    path = tmp_path / "new.db"
    await (await Database.open(url_of(path))).close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    with pytest.raises(StoreTooNew, match="9999") as caught:
        await Database.open(url_of(path))
    assert caught.value.revision == "9999"


async def test_a_failed_migration_leaves_nothing(tmp_path: Path) -> None:
    """A migration that stops half-way is rolled back whole, so the next start finds what was there before."""
    path = tmp_path / "half.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE skill_storage (x)")  # in the way of the last table of the first migration
    connection.close()
    with pytest.raises(StoreUnavailable, match="already exists"):
        await Database.open(url_of(path))
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall() == [("skill_storage",)]
    connection.close()


async def test_what_cannot_be_opened_says_why(tmp_path: Path) -> None:
    """A missing folder, a folder as file, a file that is no database and a URL that is none each give a clear error."""
    (tmp_path / "text.db").write_text("this is no database, and long enough to be seen as none" * 20)
    for url, words in {
        url_of(tmp_path / "missing" / "a.db"): "folder does not exist",
        url_of(tmp_path): "a folder, not a file",
        url_of(tmp_path / "text.db"): "not a database",
        "nonsense": "not valid",
        "nosuch+driver://x/y": "not valid",
    }.items():
        with pytest.raises(StoreUnavailable, match=words):
            await Database.open(url)


async def test_a_folder_that_takes_no_files_is_an_error() -> None:
    """Where nobody may make a file, not even root, the store says that it cannot be opened."""
    with pytest.raises(StoreUnavailable):
        await Database.open(url_of(Path("/proc/shortlist.db")))


async def test_a_look_into_the_file_agrees_with_the_store(tmp_path: Path) -> None:
    """Without SQLAlchemy: what is not made yet, what is fine, and what only the store has words for."""
    url = url_of(tmp_path / "a.db")
    assert describe_database(url) == "it is made at the first start"
    async with await Database.open(url):
        pass
    assert describe_database(url) == "it opens and is at its newest schema"
    (tmp_path / "text.db").write_text("no database")
    for other in (url_of(tmp_path / "text.db"), url_of(tmp_path / "missing" / "a.db"), "postgresql+asyncpg://x/y"):
        assert describe_database(other) is None
