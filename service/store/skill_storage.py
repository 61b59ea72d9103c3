"""The small key-value stores that skills are given: one per tenant, app and user."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

import sqlalchemy as sa
import structlog

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.skill import MAX_STORAGE_KEY, SkillFailed, SkillStorage
from service.store.connection import StoreConnection, Work
from service.store.database import Database
from service.store.errors import StoreUnavailable
from service.store.locks import lock
from service.store.tables import skill_storage, utc_now
from service.store.upsert import upsert

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class StorageLimits:
    """How much one app may keep for one user."""

    value_bytes: int = 64 * 1024
    """UTF-8 bytes of one value as JSON."""
    keys: int = 1_000


@dataclass(frozen=True, slots=True)
class _Scope:
    tenant: str
    app_id: str
    user: str

    def covers(self) -> tuple[sa.ColumnElement[bool], ...]:
        """The condition that a row is in the scope."""
        columns = skill_storage.c
        return (columns.tenant == self.tenant, columns.app_id == self.app_id, columns.user_id == self.user)

    def row(self, key: str) -> JsonObject:
        """The primary key's columns."""
        return {"tenant": self.tenant, "app_id": self.app_id, "user_id": self.user, "key": key}


class SkillStorageStore:
    """Every skill's storage; gives out the part that one skill may see."""

    def __init__(
        self, database: Database, limits: StorageLimits = StorageLimits(), *, clock: Callable[[], datetime] = utc_now
    ) -> None:
        self._database = database
        self._limits = limits
        self._clock = clock

    def scoped(self, tenant: str, app_id: str, user: str) -> SkillStorage:
        """The storage of one app for one user. `SkillFailed` names a limit that is broken, or that the database fails."""
        return _ScopedStorage(_SkillDatabase(self._database), _Scope(tenant, app_id, user), self._limits, self._clock)

    async def erase_user(self, tenant: str, user: str) -> int:
        """Delete what every app kept for `user`; how many values. Raises `StoreUnavailable`."""
        condition = (skill_storage.c.tenant == tenant, skill_storage.c.user_id == user)

        async def work(connection: StoreConnection) -> int:
            return (await connection.execute(sa.delete(skill_storage).where(*condition))).rowcount

        return await self._database.write(work)


@dataclass(frozen=True, slots=True)
class _SkillDatabase:
    """The database, whose failures a skill need not know: final, since it has waited already, and in words for a model."""

    database: Database

    async def read(self, work: Work[T]) -> T:
        return await self._told_plainly(self.database.read(work))

    async def write(self, work: Work[T]) -> T:
        return await self._told_plainly(self.database.write(work))

    async def _told_plainly(self, answer: Awaitable[T]) -> T:
        try:
            return await answer
        except StoreUnavailable as error:
            structlog.get_logger(__name__).warning("skill_storage_unavailable", reason=str(error))
            raise SkillFailed(
                "What this app keeps cannot be read or written now.", hint="Say so; it may work again in a minute."
            ) from error


class _ScopedStorage:
    """`SkillStorage` over the table."""

    def __init__(self, database: _SkillDatabase, scope: _Scope, limits: StorageLimits, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._scope = scope
        self._limits = limits
        self._clock = clock

    async def get(self, key: str) -> Json | None:
        """The value of `key`, or None."""
        query = sa.select(skill_storage.c.value).where(*self._scope.covers(), skill_storage.c.key == _checked(key))

        async def work(connection: StoreConnection) -> str | None:
            text: str | None = await connection.scalar(query)
            return text

        text = await self._database.read(work)
        return None if text is None else json.loads(text)

    async def put(self, key: str, value: Json) -> None:
        """Keep `value` under `key`, replacing what was there."""
        row = {**self._scope.row(_checked(key)), "value": self._write_json(value), "updated_at": self._clock()}
        count = sa.select(sa.func.count()).select_from(skill_storage).where(*self._scope.covers(), skill_storage.c.key != key)

        async def work(connection: StoreConnection) -> None:
            await lock(connection, "skill_storage", self._scope.tenant, self._scope.app_id, self._scope.user)
            if (await connection.scalar(count) or 0) >= self._limits.keys:
                raise SkillFailed(f"This app's storage is full: at most {self._limits.keys} keys per user.")
            await upsert(connection, skill_storage, row)

        await self._database.write(work)

    async def delete(self, key: str) -> bool:
        """Forget `key`; whether it was there."""
        statement = sa.delete(skill_storage).where(*self._scope.covers(), skill_storage.c.key == _checked(key))

        async def work(connection: StoreConnection) -> bool:
            return (await connection.execute(statement)).rowcount > 0

        return await self._database.write(work)

    async def keys(self, prefix: str = "") -> list[str]:
        """The keys that start with exactly `prefix`, sorted."""
        query = sa.select(skill_storage.c.key).where(*self._scope.covers())

        async def work(connection: StoreConnection) -> list[str]:
            return list(await connection.scalars(query))

        # Compared here: LIKE and ORDER BY treat letters differently from database to database.
        return sorted(key for key in await self._database.read(work) if key.startswith(prefix))

    async def items(self, prefix: str = "") -> dict[str, Json]:
        """The keys that start with exactly `prefix`, sorted, and their values, as they were at one moment."""
        query = sa.select(skill_storage.c.key, skill_storage.c.value).where(*self._scope.covers())
        if prefix:
            query = query.where(sa.func.substr(skill_storage.c.key, 1, len(prefix)) == _checked(prefix))

        async def work(connection: StoreConnection) -> list[tuple[str, str]]:
            return [(row.key, row.value) for row in await connection.execute(query)]

        return {key: json.loads(value) for key, value in sorted(await self._database.read(work))}

    def _write_json(self, value: Json) -> str:
        # Not orjson: skills store exact integers of any size.
        try:
            text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
            size = len(text.encode())
        except (TypeError, ValueError, RecursionError):
            raise SkillFailed("A stored value must be JSON.") from None
        if size > self._limits.value_bytes:
            raise SkillFailed(f"A stored value may have at most {self._limits.value_bytes} bytes as JSON; this one has {size}.")
        return text


def _checked(key: str) -> str:
    if not 0 < len(key) <= MAX_STORAGE_KEY:
        raise SkillFailed(f"A storage key must have 1 to {MAX_STORAGE_KEY} characters.")
    if "\x00" in key or any("\ud800" <= character <= "\udfff" for character in key):
        raise SkillFailed("A storage key must be text without NUL characters and lone surrogates.")
    return key
