"""The time by which leases begin and end: one clock for all who share a database.

Replicas whose own clocks differ by more than a lease would take each other's turns away as soon as they begin.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import sqlalchemy as sa

from service.store.connection import StoreConnection
from service.store.tables import utc_now


async def read_lease_time(connection: StoreConnection, clock: Callable[[], datetime] | None) -> datetime:
    """The time of `clock` where there is one; else the server's, or on SQLite the machine's, which all its processes share."""
    if clock is not None:
        return clock()
    if connection.dialect.name != "postgresql":
        return utc_now()
    now: datetime = await connection.scalar(sa.select(sa.func.clock_timestamp()))
    return now.astimezone(UTC)
