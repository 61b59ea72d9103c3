"""API keys."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "api_keys",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("scope", sa.String, nullable=False),
        sa.Column("tenant", sa.String),
        sa.Column("sha256", sa.String, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True)),
    )
    taken = sa.text("revoked_at IS NULL")
    op.create_index("ux_api_keys_name", "api_keys", ["name"], unique=True, sqlite_where=taken, postgresql_where=taken)


def downgrade() -> None:
    op.drop_table("api_keys")
