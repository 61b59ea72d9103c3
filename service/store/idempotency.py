"""Who runs a request that carries an idempotency key, and what came of it.

A record is `in_progress` under its owner's lease, then `done` until its retention ends; a record past either time is as
good as gone, so that a crashed owner blocks nobody for long.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, TypeAlias

import orjson
import sqlalchemy as sa

from service.store.connection import StoreConnection
from service.store.database import Database
from service.store.errors import StoreUnavailable
from service.store.lease_clock import read_lease_time
from service.store.tables import idempotency_records as records
from service.store.upsert import insert_missing

PURGE_BATCH: Final = 500
"""Records deleted in one transaction, so that other writes get their turn between two."""


@dataclass(frozen=True, slots=True)
class KeyScope:
    """Whose key it is: the same key of another user is another key."""

    tenant: str
    user: str
    key: str


@dataclass(frozen=True, slots=True)
class StoredResponse:
    """A response as it is replayed. `body` None = it was too large to keep."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes | None


@dataclass(frozen=True, slots=True)
class Started:
    """The caller owns the key now and must `finish` or `abandon` it."""

    scope: KeyScope
    owner: str


@dataclass(frozen=True, slots=True)
class Running:
    """Somebody else owns the key for at most `seconds` more."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Reused:
    """The key belongs to a different request."""


BeginOutcome: TypeAlias = Started | StoredResponse | Running | Reused


class IdempotencyRecords:
    """The records of every user. Each method raises `StoreUnavailable`."""

    def __init__(
        self, database: Database, *, retention: timedelta = timedelta(hours=24), clock: Callable[[], datetime] | None = None
    ) -> None:
        self._database = database
        self._retention = retention
        self._clock = clock

    async def begin(self, scope: KeyScope, request_hash: str, lease: float) -> BeginOutcome:
        """Take the key for `lease` seconds, or tell why not. Of any number of callers at once exactly one is `Started`."""
        started = Started(scope, uuid.uuid4().hex)

        async def work(connection: StoreConnection) -> BeginOutcome:
            now = await read_lease_time(connection, self._clock)
            await connection.execute(sa.delete(records).where(*_of(scope), _is_over(now)))
            if await insert_missing(connection, records, _new_row(started, request_hash, now, lease)):
                return started
            row = (await connection.execute(sa.select(records).where(*_of(scope)))).one_or_none()
            return _judge(row, request_hash, now)

        try:
            return await self._database.write(work)
        except asyncio.CancelledError:  # the write may have been made all the same
            with suppress(StoreUnavailable):  # then the lease runs out
                await self.abandon(started)
            raise

    async def finish(self, started: Started, response: StoredResponse) -> bool:
        """Keep `response` for the retention; False when the lease ran out and somebody else took the key."""
        done = {
            "state": "done",
            "lease_expires_at": None,
            "status": response.status,
            "headers": orjson.dumps(response.headers).decode(),
            "body": response.body,
        }

        async def work(connection: StoreConnection) -> int:
            expires = await read_lease_time(connection, self._clock) + self._retention
            statement = sa.update(records).where(*_owned_by(started)).values(**done, expires_at=expires)
            return (await connection.execute(statement)).rowcount

        return await self._database.write(work) > 0

    async def abandon(self, started: Started) -> bool:
        """Free the key, so that the request may run again; False when it was no longer the caller's."""
        return await self._change(sa.delete(records).where(*_owned_by(started))) > 0

    async def purge(self) -> int:
        """Delete every record whose time is over; how many."""

        async def work(connection: StoreConnection) -> int:
            return (await connection.execute(_purge_some(await read_lease_time(connection, self._clock)))).rowcount

        total = 0
        while deleted := await self._database.write(work):
            total += deleted
        return total

    async def erase_user(self, tenant: str, user: str) -> int:
        """Delete all records of `user`; how many."""
        return await self._change(sa.delete(records).where(records.c.tenant == tenant, records.c.user_id == user))

    async def _change(self, statement: sa.Delete) -> int:
        async def work(connection: StoreConnection) -> int:
            return (await connection.execute(statement)).rowcount

        return await self._database.write(work)


def _of(scope: KeyScope) -> tuple[sa.ColumnElement[bool], ...]:
    return (records.c.tenant == scope.tenant, records.c.user_id == scope.user, records.c.key == scope.key)


def _owned_by(started: Started) -> tuple[sa.ColumnElement[bool], ...]:
    return (*_of(started.scope), records.c.owner == started.owner, records.c.state == "in_progress")


def _is_over(now: datetime) -> sa.ColumnElement[bool]:
    return sa.or_(records.c.lease_expires_at <= now, records.c.expires_at <= now)


def _purge_some(now: datetime) -> sa.Delete:
    key = sa.tuple_(*records.primary_key.columns)
    batch = sa.select(*records.primary_key.columns).where(_is_over(now)).limit(PURGE_BATCH)
    return sa.delete(records).where(key.in_(batch))


def _new_row(started: Started, request_hash: str, now: datetime, lease: float) -> dict[str, object]:
    return {
        "tenant": started.scope.tenant,
        "user_id": started.scope.user,
        "key": started.scope.key,
        "request_hash": request_hash,
        "state": "in_progress",
        "owner": started.owner,
        "lease_expires_at": now + timedelta(seconds=lease),
        "created_at": now,
    }


def _judge(row: sa.Row[tuple[object, ...]] | None, request_hash: str, now: datetime) -> BeginOutcome:
    if row is None:  # freed between two statements; the caller may come again at once
        return Running(0.0)
    if row.request_hash != request_hash:
        return Reused()
    if row.state == "in_progress":
        return Running((row.lease_expires_at - now).total_seconds())
    headers = tuple((name, value) for name, value in orjson.loads(row.headers))
    return StoredResponse(row.status, headers, row.body)
