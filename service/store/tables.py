"""The tables as the queries see them. The migrations make them; a test holds the two together."""

from __future__ import annotations

import re
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


class AnyText(sa.TypeDecorator[str]):
    """Any string in, the same string out, on every database.

    NUL, which PostgreSQL refuses, and lone surrogates, which no driver encodes, are kept as U+001A and four hexadecimal
    digits, and so is U+001A itself; every other text is kept as it is.
    """

    impl = sa.String
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Escape what cannot be kept."""
        return None if value is None else _UNSTORABLE.sub(lambda found: f"\x1a{ord(found[0]):04x}", value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        """Take the escapes back."""
        return value if value is None or "\x1a" not in value else _ESCAPED.sub(lambda found: chr(int(found[1], 16)), value)


_UNSTORABLE: Final = re.compile("[\x00\x1a\ud800-\udfff]")
_ESCAPED: Final = re.compile("\x1a([0-9a-f]{4})")


def clamp(number: int, column: sa.Column[int]) -> int:
    """The nearest number to compare a column with; what a caller sends may be larger than databases take."""
    largest = 2**63 - 1 if isinstance(column.type, sa.BigInteger) else 2**31 - 1
    return max(-largest, min(number, largest))


metadata: Final = sa.MetaData()

overrides: Final = sa.Table(
    "overrides",
    metadata,
    sa.Column("tenant", AnyText, primary_key=True),
    sa.Column("kind", AnyText, primary_key=True),
    sa.Column("id", AnyText, primary_key=True),
    sa.Column("enabled", sa.Boolean, nullable=False),
    sa.Column("reason", AnyText),
    sa.Column("updated_at", UtcDateTime, nullable=False),
)

idempotency_records: Final = sa.Table(
    "idempotency_records",
    metadata,
    sa.Column("tenant", AnyText, primary_key=True),
    sa.Column("user_id", AnyText, primary_key=True),
    sa.Column("key", AnyText, primary_key=True),
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
    sa.Column("tenant", AnyText, primary_key=True),
    sa.Column("app_id", AnyText, primary_key=True),
    sa.Column("user_id", AnyText, primary_key=True),
    sa.Column("key", sa.String, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
    sa.Column("updated_at", UtcDateTime, nullable=False),
    sa.Index("ix_skill_storage_user", "tenant", "user_id"),
)

api_keys: Final = sa.Table(
    "api_keys",
    metadata,
    sa.Column("id", AnyText, primary_key=True),
    sa.Column("name", AnyText, nullable=False),
    sa.Column("scope", sa.String, nullable=False),
    sa.Column("tenant", AnyText),  # null for every tenant
    sa.Column("sha256", sa.String, nullable=False),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.Column("revoked_at", UtcDateTime),  # null while it is taken
)
_TAKEN: Final = api_keys.c.revoked_at.is_(None)
sa.Index("ux_api_keys_name", api_keys.c.name, unique=True, sqlite_where=_TAKEN, postgresql_where=_TAKEN)

conversations: Final = sa.Table(
    "conversations",
    metadata,
    sa.Column("id", AnyText, primary_key=True),
    sa.Column("tenant", AnyText, nullable=False),
    sa.Column("user_id", AnyText, nullable=False),
    sa.Column("title", AnyText),
    sa.Column("intent", AnyText),  # JSON; null = follow
    sa.Column("format", sa.Integer, nullable=False),
    sa.Column("forked_from", AnyText),
    sa.Column("forked_at", AnyText),  # a message's id
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.Column("updated_at", UtcDateTime, nullable=False),
    sa.Column("epoch", sa.Integer, nullable=False),  # how often it was taken
    sa.Column("running_turn", AnyText),
    sa.Column("lease_expires_at", UtcDateTime, index=True),  # null while no turn has it
    sa.Column("last_event", sa.BigInteger, nullable=False),
    sa.Column("last_seq", sa.Integer, nullable=False),
    sa.Index("ix_conversations_owner", "tenant", "user_id", "updated_at", "id"),
)

turns: Final = sa.Table(
    "turns",
    metadata,
    sa.Column("id", AnyText, primary_key=True),
    sa.Column("conversation_id", AnyText, sa.ForeignKey("conversations.id", ondelete="CASCADE"), nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("epoch", sa.Integer, nullable=False),
    sa.Column("status", sa.String, nullable=False),
    sa.Column("source", sa.String, nullable=False),
    sa.Column("model", AnyText),
    sa.Column("usage", AnyText, nullable=False),  # JSON object
    sa.Column("notices", AnyText, nullable=False),  # JSON list of codes
    sa.Column("problem", AnyText),  # a code
    sa.Column("loaded", AnyText, nullable=False),  # JSON list of tool names, in their order
    sa.Column("started_at", UtcDateTime, nullable=False),
    sa.Column("ended_at", UtcDateTime),
    sa.UniqueConstraint("conversation_id", "number", name="ux_turns_number"),
)

messages: Final = sa.Table(
    "messages",
    metadata,
    sa.Column("id", AnyText, primary_key=True),
    sa.Column("conversation_id", AnyText, sa.ForeignKey("conversations.id", ondelete="CASCADE"), nullable=False),
    sa.Column("turn_id", AnyText, nullable=False),
    sa.Column("seq", sa.Integer, nullable=False),
    sa.Column("role", sa.String, nullable=False),
    sa.Column("content", AnyText, nullable=False),  # JSON
    sa.Column("tool_calls", AnyText),  # JSON list
    sa.Column("tool_call_id", AnyText),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.UniqueConstraint("conversation_id", "seq", name="ux_messages_seq"),
)

events: Final = sa.Table(
    "events",
    metadata,
    sa.Column("conversation_id", AnyText, sa.ForeignKey("conversations.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("turn_id", AnyText, nullable=False),
    sa.Column("name", sa.String, nullable=False),
    sa.Column("data", AnyText, nullable=False),  # JSON object
    sa.Column("created_at", UtcDateTime, nullable=False, index=True),
)

deactivations: Final = sa.Table(
    "deactivations",
    metadata,
    sa.Column("tenant", AnyText, primary_key=True),
    sa.Column("user_id", AnyText, primary_key=True),
    sa.Column("kind", sa.String, primary_key=True),
    sa.Column("id", AnyText, primary_key=True),
    sa.Column("created_at", UtcDateTime, nullable=False),
)
