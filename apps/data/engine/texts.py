# ruff: noqa: S608 - names are quoted, and to run SQL is what this process is for
"""Text columns of a CSV table as people mean them: without spaces around values, decimal commas as numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from .database import list_columns, quote_name

if TYPE_CHECKING:
    import duckdb

_DECIMAL: Final = r"[+-]?([0-9]+|[0-9]{1,3}(\.[0-9]{3})+),[0-9]+"
_THOUSANDS: Final = r"[+-]?[0-9]{1,3}(,[0-9]{3})+"


def trim_texts(connection: duckdb.DuckDBPyConnection, table: str) -> list[str]:
    """Take the spaces off all text values; a note when there were any."""
    changed = 0
    for column in _list_texts(connection, table):
        done = connection.execute(f"UPDATE {table} SET {column} = trim({column}) WHERE {column} <> trim({column})").fetchone()
        changed += done[0] if done else 0
    return ["spaces around values were removed."] if changed else []


def turn_decimal_commas(connection: duckdb.DuckDBPyConnection, table: str) -> list[str]:
    """Make columns like 1.234,50 numbers, unless every value could be thousands, 1,234, as well; a note when there are any."""
    turned = []
    for column in list(_list_texts(connection, table)):
        found = connection.execute(
            f"SELECT bool_and(regexp_full_match({column}, '{_DECIMAL}|[+-]?[0-9]+'))"
            f" AND bool_or(regexp_full_match({column}, '{_DECIMAL}') AND NOT regexp_full_match({column}, '{_THOUSANDS}'))"
            f" FROM {table}"
        ).fetchone()
        if found and found[0]:
            number = f"replace(replace({column}, '.', ''), ',', '.')::DOUBLE"
            connection.execute(f"ALTER TABLE {table} ALTER {column} TYPE DOUBLE USING {number}")
            turned.append(column)
    return [f"decimal commas were read as numbers: {', '.join(turned)}."] if turned else []


def _list_texts(connection: duckdb.DuckDBPyConnection, table: str) -> Iterator[str]:
    return (quote_name(name) for name, kind in list_columns(connection, table) if kind == "VARCHAR")
