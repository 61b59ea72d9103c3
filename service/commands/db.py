"""`shortlist db`: the database's schema."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.commands.failures import CommandFailed
from service.commands.output import print_lines
from service.store.errors import StoreError
from service.store.peek import HEAD

if TYPE_CHECKING:
    from service.settings import Settings


async def upgrade(settings: Settings) -> int:
    """Bring the database to this version's schema, as every start does; made beforehand, a start of many replicas is quick.

    Raises `CommandFailed` for what somebody can mend.
    """
    from service.store.database import Database  # noqa: PLC0415 - SQLAlchemy takes a third of a second

    try:
        async with await Database.open(settings.database_url):
            pass
    except StoreError as error:
        raise CommandFailed(str(error)) from error
    print_lines([f"the database is at schema revision {HEAD}"])
    return 0
