"""What Alembic runs around a migration: always inside the caller's connection and its transaction."""

from __future__ import annotations

from alembic import context
from sqlalchemy.engine import Connection

from service.store.tables import metadata


def run() -> None:
    """Migrate over the connection that the configuration carries."""
    connection = context.config.attributes.get("connection")
    if not isinstance(connection, Connection):
        raise TypeError("Migrations run when the service opens its database; there is no offline mode.")
    context.configure(connection=connection, target_metadata=metadata, transactional_ddl=True, render_as_batch=True)
    with context.begin_transaction():
        context.run_migrations()


run()
