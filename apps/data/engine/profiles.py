# ruff: noqa: S608 - names are quoted, and to run SQL is what this process is for
"""What a table holds: columns with types, nulls, distinct values, range and mean, and its first rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import duckdb

from .cells import MAX_COLUMNS_SHOWN, fetch_rows, is_nested, is_number
from .database import list_columns, quote_name
from .queries import explain

if TYPE_CHECKING:
    from apps.sdk.jsontypes import Json, JsonObject

SAMPLE: Final = 3
"""Rows."""

_COMMON: Final = 5
_MAX_TEXT: Final = 60
_FIELDS: Final = ("known", "distinct", "min", "max", "mean")


def describe_table(connection: duckdb.DuckDBPyConnection, name: str, notes: list[str]) -> JsonObject:
    """`{table, row_count, columns, sample}`; raises `Problem`."""
    table = quote_name(name)
    try:
        columns = list_columns(connection, table)
        if len(columns) > MAX_COLUMNS_SHOWN:
            notes.append(f"The first {MAX_COLUMNS_SHOWN} of {len(columns)} columns.")
        shown = columns[:MAX_COLUMNS_SHOWN]
        measured = _measure(connection, table, shown)
        count: int = measured["rows"]
        return {
            "table": name,
            "row_count": count,
            "columns": [_describe(connection, table, column, place, measured) for place, column in enumerate(shown)],
            "sample": fetch_rows(connection, table, SAMPLE).rows,
        }
    except duckdb.Error as error:
        raise explain(error, connection) from None


def _measure(connection: duckdb.DuckDBPyConnection, table: str, columns: list[tuple[str, str]]) -> JsonObject:
    wanted = ["count(*) AS rows"]
    for place, (name, kind) in enumerate(columns):
        column = quote_name(name)
        bounded = not is_nested(kind)
        wanted += [
            f"count({column}) AS known_{place}",
            f"count(DISTINCT {column if bounded else f'CAST({column} AS VARCHAR)'}) AS distinct_{place}",
            f"{f'min({column})' if bounded else 'NULL'} AS min_{place}",
            f"{f'max({column})' if bounded else 'NULL'} AS max_{place}",
            f"{f'avg({column})' if is_number(kind) else 'NULL'} AS mean_{place}",
        ]
    source = f"(SELECT {', '.join(wanted)} FROM {table})"
    (row,) = fetch_rows(connection, source, 1, max_columns=len(wanted)).rows
    return row


def _describe(
    connection: duckdb.DuckDBPyConnection, table: str, column: tuple[str, str], place: int, measured: JsonObject
) -> JsonObject:
    name, kind = column
    known, distinct, least, most, mean = (measured[f"{key}_{place}"] for key in _FIELDS)
    text = kind in {"VARCHAR", "BOOLEAN"} or kind.startswith("ENUM")
    return {
        "name": name,
        "type": kind[:_MAX_TEXT],
        "nulls": measured["rows"] - known,
        "distinct": distinct,
        "min": _shorten(least),
        "max": _shorten(most),
        "mean": mean,
        "common": _list_common(connection, table, name) if text and 0 < distinct < known else None,
    }


def _list_common(connection: duckdb.DuckDBPyConnection, table: str, name: str) -> str:
    column = quote_name(name)
    counted = f"SELECT {column} AS value, count(*) AS times FROM {table} WHERE {column} IS NOT NULL GROUP BY ALL"
    source = f"({counted} ORDER BY times DESC, value LIMIT {_COMMON})"
    rows = fetch_rows(connection, source, _COMMON).rows
    return ", ".join(f"{_shorten(row['value'])} ({row['times']})" for row in rows)


def _shorten(value: Json) -> Json:
    return value[: _MAX_TEXT - 1] + "…" if isinstance(value, str) and len(value) > _MAX_TEXT else value
