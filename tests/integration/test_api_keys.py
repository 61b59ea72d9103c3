"""Keys in the store, on SQLite and PostgreSQL, and the keyring that finds them."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
import sqlalchemy as sa

from service.access.keyring import Keyring
from service.access.keys import AccessKey, make_key
from service.store.api_keys import ApiKeys
from service.store.database import Database
from service.store.errors import StoreUnavailable


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


async def test_a_key_is_kept_without_its_secret(database: Database) -> None:
    """Everything else comes back; the row holds the secret nowhere."""
    made = make_key("bot", "author", "acme")
    assert await ApiKeys(database).add(made.key)
    (stored,) = await ApiKeys(database).list()
    assert (stored.key, stored.revoked_at) == (made.key, None)
    (row,) = await database.read(lambda connection: connection.execute(sa.text("SELECT * FROM api_keys")))
    assert made.secret.rsplit("_", 1)[-1] not in repr(row)


async def test_a_name_is_taken_until_its_key_is_revoked(database: Database) -> None:
    """Then it can be given anew; the revoked key stays in the list."""
    keys = ApiKeys(database)
    assert await keys.add(make_key("bot", "use").key)
    assert not await keys.add(make_key("bot", "admin").key)
    assert await keys.revoke("bot")
    assert not await keys.revoke("bot")
    second = make_key("bot", "use").key
    assert await keys.add(second)
    assert [(item.key.name, item.revoked_at is None) for item in await keys.list()] == [("bot", False), ("bot", True)]
    assert await keys.revoke(second.id)
    assert await keys.list_valid() == ()


async def test_the_keyring_finds_exactly_the_key_that_is_given(database: Database) -> None:
    """Not by its id with another secret, not a revoked one, not nonsense."""
    keys, made, gone = ApiKeys(database), make_key("bot", "use"), make_key("gone", "admin")
    for one in (made, gone):
        await keys.add(one.key)
    await keys.revoke("gone")
    ring = Keyring((), keys, max_age=0)
    assert await ring.find(made.secret) == made.key
    forged = f"sl_{made.key.id}_{make_key('x', 'use').secret.rsplit('_', 1)[-1]}"[:63].ljust(63, "A")
    for wrong in (
        forged,
        gone.secret,
        make_key("bot", "admin").secret,
        made.secret + "x",
        made.secret[:-1],
        "",
        "é\udcff",
        "-" * 64,
    ):
        assert await ring.find(wrong) is None


async def test_what_another_process_changes_counts_after_a_moment(database: Database) -> None:
    """New keys and revocations both, and not before the setting's time."""
    clock, keys, made = Clock(), ApiKeys(database), make_key("bot", "use")
    ring = Keyring((), keys, max_age=1.0, clock=clock)
    assert await ring.is_empty()
    await keys.add(made.key)
    assert await ring.find(made.secret) is None
    clock.now = 1.0
    assert await ring.find(made.secret) == made.key
    assert not await ring.is_empty()
    await keys.revoke("bot")
    clock.now = 1.9
    assert await ring.find(made.secret) == made.key
    clock.now = 2.0
    assert await ring.find(made.secret) is None


async def test_a_key_of_the_settings_needs_no_store(tmp_path: Path) -> None:
    """It opens the door when the database is gone; any other key is an error then, never let in."""
    fixed = make_key("ops", "admin")
    database = await Database.open(f"sqlite:///{tmp_path / 'gone.db'}")
    ring = Keyring([AccessKey("", "ops", "admin", fixed.key.sha256)], ApiKeys(database), max_age=0)
    async with database:
        with sqlite3.connect(tmp_path / "gone.db") as connection:
            connection.execute("DROP TABLE api_keys")
        connection.close()
        found = await ring.find(fixed.secret)
        assert found is not None
        assert (found.name, await ring.is_empty()) == ("ops", False)
        with pytest.raises(StoreUnavailable):
            await ring.find(make_key("x", "use").secret)
