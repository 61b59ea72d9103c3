"""Conversations with their turns, messages and events; users' deactivations."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "conversations",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("tenant", sa.String, nullable=False),
        sa.Column("user_id", sa.String, nullable=False),
        sa.Column("title", sa.String),
        sa.Column("intent", sa.String),
        sa.Column("format", sa.Integer, nullable=False),
        sa.Column("forked_from", sa.String),
        sa.Column("forked_at", sa.String),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("epoch", sa.Integer, nullable=False),
        sa.Column("running_turn", sa.String),
        sa.Column("lease_expires_at", sa.DateTime(timezone=True), index=True),
        sa.Column("last_event", sa.BigInteger, nullable=False),
        sa.Column("last_seq", sa.Integer, nullable=False),
        sa.Index("ix_conversations_owner", "tenant", "user_id", "updated_at", "id"),
    )
    op.create_table(
        "turns",
        sa.Column("id", sa.String, primary_key=True),
        _conversation_id(),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("epoch", sa.Integer, nullable=False),
        sa.Column("status", sa.String, nullable=False),
        sa.Column("source", sa.String, nullable=False),
        sa.Column("model", sa.String),
        sa.Column("usage", sa.String, nullable=False),
        sa.Column("notices", sa.String, nullable=False),
        sa.Column("problem", sa.String),
        sa.Column("loaded", sa.String, nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True)),
        sa.UniqueConstraint("conversation_id", "number", name="ux_turns_number"),
    )
    op.create_table(
        "messages",
        sa.Column("id", sa.String, primary_key=True),
        _conversation_id(),
        sa.Column("turn_id", sa.String, nullable=False),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("role", sa.String, nullable=False),
        sa.Column("content", sa.String, nullable=False),
        sa.Column("tool_calls", sa.String),
        sa.Column("tool_call_id", sa.String),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.UniqueConstraint("conversation_id", "seq", name="ux_messages_seq"),
    )
    op.create_table(
        "events",
        _conversation_id(primary_key=True),
        sa.Column("id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("turn_id", sa.String, nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("data", sa.String, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, index=True),
    )
    op.create_table(
        "deactivations",
        sa.Column("tenant", sa.String, primary_key=True),
        sa.Column("user_id", sa.String, primary_key=True),
        sa.Column("kind", sa.String, primary_key=True),
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
    )


def downgrade() -> None:
    for table in ("deactivations", "events", "messages", "turns", "conversations"):
        op.drop_table(table)


def _conversation_id(*, primary_key: bool = False) -> sa.Column[str]:
    key = sa.ForeignKey("conversations.id", ondelete="CASCADE")
    return sa.Column("conversation_id", sa.String, key, primary_key=primary_key, nullable=False)
