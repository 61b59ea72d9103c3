"""Erases a user: everything that is kept under the user's id, in one transaction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import sqlalchemy as sa
import structlog

from service.store.connection import StoreConnection
from service.store.conversations import Owner
from service.store.database import Database
from service.store.tables import conversations, deactivations, idempotency_records, skill_storage

USERS_TABLES: Final = (conversations, deactivations, idempotency_records, skill_storage)
"""Every table with a `tenant` and a `user_id`; what hangs on a conversation goes with it. A test finds one that is left out."""


@dataclass(frozen=True, slots=True)
class Erased:
    """How many rows were deleted; messages, turns and events of the conversations are not counted."""

    conversations: int
    deactivations: int
    idempotency_records: int
    skill_values: int


async def erase_user(database: Database, owner: Owner) -> Erased:
    """Delete everything of a user, all or nothing; a turn that runs for the user loses its conversation.

    On SQLite nothing of it is left in the database's files then, unless somebody reads for long: the retention does it later.
    Raises `StoreUnavailable`.
    """

    async def work(connection: StoreConnection) -> Erased:
        return Erased(*[await _delete(connection, table, owner) for table in USERS_TABLES])

    erased = await database.write(work)
    if not await database.empty_log():
        structlog.get_logger(__name__).warning("log_not_emptied")
    return erased


async def _delete(connection: StoreConnection, table: sa.Table, owner: Owner) -> int:
    statement = sa.delete(table).where(table.c.tenant == owner.tenant, table.c.user_id == owner.user)
    return (await connection.execute(statement)).rowcount
