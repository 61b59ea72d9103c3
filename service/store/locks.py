"""Locks on what has no row yet."""

from __future__ import annotations

import hashlib

import sqlalchemy as sa

from service.store.connection import StoreConnection


async def lock(connection: StoreConnection, *name: str) -> None:
    """Let one writing transaction at a time go on under `name`, until it ends. On SQLite there is but one anyway."""
    if connection.dialect.name == "postgresql":
        digest = hashlib.blake2b("\x00".join(name).encode("utf-8", "surrogatepass"), digest_size=8).digest()
        await connection.execute(sa.select(sa.func.pg_advisory_xact_lock(int.from_bytes(digest, signed=True))))
