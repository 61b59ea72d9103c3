"""What users switched off for themselves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from preprocessor.availability import OverrideKind
from service.store.connection import StoreConnection
from service.store.conversations import Owner
from service.store.database import Database
from service.store.tables import deactivations, utc_now
from service.store.upsert import insert_missing


@dataclass(frozen=True, slots=True)
class StoredDeactivation:
    """One app, skill (by tool name) or focus mode that its user does not want, and since when."""

    kind: OverrideKind
    id: str
    created_at: datetime


class Deactivations:
    """The deactivations of every user. Each method raises `StoreUnavailable`."""

    def __init__(self, database: Database, *, clock: Callable[[], datetime] = utc_now) -> None:
        self._database = database
        self._clock = clock

    async def list(self, owner: Owner) -> tuple[StoredDeactivation, ...]:
        """All of a user, by kind and id."""
        query = sa.select(deactivations).where(*_is_of(owner))

        async def work(connection: StoreConnection) -> tuple[StoredDeactivation, ...]:
            return tuple(StoredDeactivation(row.kind, row.id, row.created_at) for row in await connection.execute(query))

        # Sorted here: databases differ in how they order text.
        return tuple(sorted(await self._database.read(work), key=lambda found: (found.kind, found.id)))

    async def put(self, owner: Owner, kind: OverrideKind, id: str) -> bool:  # noqa: A002
        """Switch one off; False when it was off already."""
        row = {"tenant": owner.tenant, "user_id": owner.user, "kind": kind, "id": id, "created_at": self._clock()}

        async def work(connection: StoreConnection) -> bool:
            return await insert_missing(connection, deactivations, row)

        return await self._database.write(work)

    async def delete(self, owner: Owner, kind: OverrideKind, id: str) -> bool:  # noqa: A002
        """Switch one on again; whether it was off."""
        return await self._delete(*_is_of(owner), deactivations.c.kind == kind, deactivations.c.id == id) > 0

    async def erase_user(self, owner: Owner) -> int:
        """Delete all of a user; how many."""
        return await self._delete(*_is_of(owner))

    async def _delete(self, *conditions: sa.ColumnElement[bool]) -> int:
        async def work(connection: StoreConnection) -> int:
            return (await connection.execute(sa.delete(deactivations).where(*conditions))).rowcount

        return await self._database.write(work)


def _is_of(owner: Owner) -> tuple[sa.ColumnElement[bool], ...]:
    return (deactivations.c.tenant == owner.tenant, deactivations.c.user_id == owner.user)
