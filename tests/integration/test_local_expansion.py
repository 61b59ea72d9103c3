"""What `shortlist expand` and `call` make of an intent is what a turn would."""

from __future__ import annotations

from pathlib import Path

from preprocessor.intent import Intent
from service.commands.local import open_locally
from service.commands.running import LOCAL
from service.store.conversations import Owner
from service.store.database import Database
from service.store.deactivations import Deactivations
from tests.support.running import make_settings


async def test_what_the_user_switched_off_is_left_out(tmp_path: Path) -> None:
    """DESIGN 4.1: a hard gate for every caller; a database in which nobody switched anything off is not even opened."""
    settings = make_settings(tmp_path)
    async with open_locally(settings) as services:
        before = await services.expand(LOCAL, Intent())
    assert not (tmp_path / "test.db").exists()
    async with await Database.open(settings.database_url) as database:
        stored = Deactivations(database)
        await stored.put(Owner(LOCAL.tenant, LOCAL.user), "app", "math")
        await stored.put(Owner(LOCAL.tenant, "somebody else"), "app", "time")
    async with open_locally(settings) as services:
        after = await services.expand(LOCAL, Intent())
    assert set(before.available) - set(after.available) == {"math-calculate", "math-convert_units"}
    assert {drop.code for drop in after.dropped if drop.name.startswith("math-")} == {"deactivated"}
