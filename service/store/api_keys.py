"""The API keys: what identifies them and what they may do, never the secrets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from service.access.keys import AccessKey
from service.store.connection import StoreConnection
from service.store.database import Database
from service.store.tables import api_keys, utc_now


@dataclass(frozen=True, slots=True)
class StoredKey:
    """A key, when it was made and, if it is no longer taken, since when."""

    key: AccessKey
    created_at: datetime
    revoked_at: datetime | None


class ApiKeys:
    """Every key. Each method raises `StoreUnavailable`."""

    def __init__(self, database: Database, *, clock: Callable[[], datetime] = utc_now) -> None:
        self._database = database
        self._clock = clock

    async def list(self) -> tuple[StoredKey, ...]:
        """All, revoked ones too, oldest first."""
        return await self._read(sa.select(api_keys))

    async def list_valid(self) -> tuple[AccessKey, ...]:
        """Those that are taken."""
        return tuple(stored.key for stored in await self._read(sa.select(api_keys).where(api_keys.c.revoked_at.is_(None))))

    async def add(self, key: AccessKey) -> bool:
        """Keep a new key; False when one that is taken has its name."""
        row = {"id": key.id, "name": key.name, "scope": key.scope, "tenant": key.tenant, "sha256": key.sha256}

        async def work(connection: StoreConnection) -> bool:
            try:
                async with connection.begin_nested():
                    await connection.execute(sa.insert(api_keys).values(**row, created_at=self._clock()))
            except IntegrityError:
                return False
            return True

        return await self._database.write(work)

    async def revoke(self, name_or_id: str) -> bool:
        """Take a key no longer; whether there was one that was taken."""
        named = sa.or_(api_keys.c.name == name_or_id, api_keys.c.id == name_or_id)
        change = sa.update(api_keys).where(named, api_keys.c.revoked_at.is_(None)).values(revoked_at=self._clock())

        async def work(connection: StoreConnection) -> bool:
            return (await connection.execute(change)).rowcount > 0

        return await self._database.write(work)

    async def _read(self, query: sa.Select[tuple[object, ...]]) -> tuple[StoredKey, ...]:
        async def work(connection: StoreConnection) -> tuple[StoredKey, ...]:
            return tuple(_read_row(row) for row in await connection.execute(query.order_by(api_keys.c.created_at, api_keys.c.id)))

        return await self._database.read(work)


def _read_row(row: sa.Row[tuple[object, ...]]) -> StoredKey:
    return StoredKey(AccessKey(row.id, row.name, row.scope, row.sha256, row.tenant), row.created_at, row.revoked_at)
