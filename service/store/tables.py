"""The tables as the queries see them. The migrations make them; a test holds the two together."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Dialect


def utc_now() -> datetime:
    """The store's clock; its classes take another one by argument."""
    return datetime.now(UTC)


class UtcDateTime(sa.TypeDecorator[datetime]):
    """An aware time in, the same instant in UTC out, also where the database keeps no zone (SQLite)."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Raise `ValueError` for a time without a zone."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a time without a zone cannot be stored")
        moment = value.astimezone(UTC)
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Read a time without a zone as UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


metadata: Final = sa.MetaData()

overrides: Final = sa.Table(
    "overrides",
    metadata,
    sa.Column("tenant", sa.String, primary_key=True),
    sa.Column("kind", sa.String, primary_key=True),
    sa.Column("id", sa.String, primary_key=True),
    sa.Column("enabled", sa.Boolean, nullable=False),
    sa.Column("reason", sa.String),
    sa.Column("updated_at", UtcDateTime, nullable=False),
)

idempotency_records: Final = sa.Table(
    "idempotency_records",
    metadata,
    sa.Column("tenant", sa.String, primary_key=True),
    sa.Column("user_id", sa.String, primary_key=True),
    sa.Column("key", sa.String, primary_key=True),
    sa.Column("request_hash", sa.String, nullable=False),
    sa.Column("state", sa.String, nullable=False),
    sa.Column("owner", sa.String, nullable=False),
    sa.Column("lease_expires_at", UtcDateTime, index=True),  # null once done
    sa.Column("status", sa.Integer),
    sa.Column("headers", sa.Text),
    sa.Column("body", sa.LargeBinary),  # null when it was too large to keep
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.Column("expires_at", UtcDateTime, index=True),  # null while in progress
)

skill_storage: Final = sa.Table(
    "skill_storage",
    metadata,
    sa.Column("tenant", sa.String, primary_key=True),
    sa.Column("app_id", sa.String, primary_key=True),
    sa.Column("user_id", sa.String, primary_key=True),
    sa.Column("key", sa.String, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
    sa.Column("updated_at", UtcDateTime, nullable=False),
    sa.Index("ix_skill_storage_user", "tenant", "user_id"),
)

api_keys: Final = sa.Table(
    "api_keys",
    metadata,
    sa.Column("id", sa.String, primary_key=True),
    sa.Column("name", sa.String, nullable=False),
    sa.Column("scope", sa.String, nullable=False),
    sa.Column("tenant", sa.String),  # null for every tenant
    sa.Column("sha256", sa.String, nullable=False),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.Column("revoked_at", UtcDateTime),  # null while it is taken
)
_TAKEN: Final = api_keys.c.revoked_at.is_(None)
sa.Index("ux_api_keys_name", api_keys.c.name, unique=True, sqlite_where=_TAKEN, postgresql_where=_TAKEN)
