"""DuckDB, opened in memory and locked: first the tables are read, then everything outside is closed to SQL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import duckdb

MEMORY_LIMIT: Final = "256MB"

_OPENING: Final = (
    "SET TimeZone = 'UTC'",
    "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false",
    "SET allow_community_extensions = false",
    "SET python_enable_replacements = false",
    "SET allow_persistent_secrets = false",
    "SET enable_progress_bar = false",
)
_CLOSING: Final = ("SET enable_external_access = false", "SET lock_configuration = true")


def open_database() -> duckdb.DuckDBPyConnection:
    """An empty database without a file, a temporary directory or a second thread."""
    # an empty temp_directory: the default one would stay readable and writable after external access is disabled
    settings: dict[str, str | bool | int | float | list[str]] = {
        "threads": "1",
        "memory_limit": MEMORY_LIMIT,
        "temp_directory": "",
    }
    connection = duckdb.connect(":memory:", config=settings)
    for statement in _OPENING:
        connection.execute(statement)
    return connection


def lock_database(connection: duckdb.DuckDBPyConnection, paths: Sequence[str]) -> None:
    """Only `paths` can be read from now on, and no setting can be changed."""
    if paths:
        connection.execute(f"SET allowed_paths = [{', '.join(map(quote_text, paths))}]")
    for statement in _CLOSING:
        connection.execute(statement)


def quote_name(name: str) -> str:
    """`name` as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def quote_text(text: str) -> str:
    """`text` as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def list_columns(connection: duckdb.DuckDBPyConnection, source: str) -> list[tuple[str, str]]:
    """Name and type of each column of `source`, what stands after FROM; nothing is run."""
    return [(str(name), str(kind)) for name, kind, *_ in connection.execute(f"DESCRIBE FROM {source}").fetchall()]
