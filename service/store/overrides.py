"""What operators switched on or off, per tenant."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from preprocessor.availability import OverrideKind
from service.store.connection import StoreConnection
from service.store.database import Database
from service.store.tables import overrides, utc_now
from service.store.upsert import upsert


@dataclass(frozen=True, slots=True)
class StoredOverride:
    """One switch. `updated_at` is in UTC."""

    kind: OverrideKind
    id: str
    enabled: bool
    reason: str | None
    updated_at: datetime


class Overrides:
    """The overrides of every tenant. Each method raises `StoreUnavailable`."""

    def __init__(self, database: Database, *, clock: Callable[[], datetime] = utc_now) -> None:
        self._database = database
        self._clock = clock

    async def list(self, tenant: str) -> tuple[StoredOverride, ...]:
        """All overrides of `tenant`, by kind and id."""
        query = sa.select(overrides).where(overrides.c.tenant == tenant)

        async def work(connection: StoreConnection) -> tuple[StoredOverride, ...]:
            return tuple(_read_row(row) for row in await connection.execute(query))

        # Sorted here: databases differ in how they order text.
        return tuple(sorted(await self._database.read(work), key=lambda override: (override.kind, override.id)))

    async def put(self, tenant: str, kind: OverrideKind, id: str, *, enabled: bool, reason: str | None = None) -> StoredOverride:  # noqa: A002
        """Set one override, replacing what was there."""
        stored = StoredOverride(kind, id, enabled, reason, self._clock())

        async def work(connection: StoreConnection) -> None:
            row = {"kind": kind, "id": id, "enabled": enabled, "reason": reason, "updated_at": stored.updated_at}
            await upsert(connection, overrides, {"tenant": tenant, **row})

        await self._database.write(work)
        return stored

    async def delete(self, tenant: str, kind: OverrideKind, id: str) -> bool:  # noqa: A002
        """Take one override back; whether there was one."""
        of_id = (overrides.c.tenant == tenant, overrides.c.kind == kind, overrides.c.id == id)

        async def work(connection: StoreConnection) -> bool:
            return (await connection.execute(sa.delete(overrides).where(*of_id))).rowcount > 0

        return await self._database.write(work)


def _read_row(row: sa.Row[tuple[object, ...]]) -> StoredOverride:
    return StoredOverride(row.kind, row.id, row.enabled, row.reason, row.updated_at)
