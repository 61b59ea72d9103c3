# ruff: noqa: S608 - names are quoted, and to run SQL is what this process is for
"""One query over the tables of a request."""

from __future__ import annotations

import re
import threading
from typing import TYPE_CHECKING, Final

import duckdb

from .cells import fetch_rows
from .problems import LESS_MEMORY, OUT_OF_MEMORY, Problem

if TYPE_CHECKING:
    from apps.sdk.jsontypes import JsonObject

_MAX_NAMED: Final = 400
_COUNTING: Final = 0.3
"""The part of the time left that counting the rows left out may take."""

_SETTINGS: Final = frozenset({"duckdb_settings", "pg_settings", "current_setting", "allowed_paths"})
"""What tells the path of an open file."""

_RUNNING_TEXT: Final = frozenset({"query", "query_table", "json_execute_serialized_sql"})
"""Functions that run SQL, or name a table, which nothing here could read beforehand."""

_ONE_QUERY: Final = "Give one query that reads: SELECT, WITH, FROM, VALUES, DESCRIBE, SUMMARIZE, PIVOT or UNPIVOT."


def run_query(connection: duckdb.DuckDBPyConnection, sql: str, limit: int, seconds: float, notes: list[str]) -> JsonObject:
    """`{row_count, columns, rows}`; `row_count` is None when there are more rows than could be counted. Raises `Problem`."""
    source = _read_statement(connection, sql)
    try:
        fetched = fetch_rows(connection, source, limit)
    except duckdb.Error as error:
        raise explain(error, connection) from None
    count = len(fetched.rows) if not fetched.more else _count_rows(connection, source, seconds * _COUNTING)
    if fetched.more:
        known = "an unknown number of" if count is None else str(count)
        notes.append(
            f"The first {len(fetched.rows)} of {known} rows. Aggregate or filter, or page with LIMIT and OFFSET, for others."
        )
    if fetched.cut:
        notes.append(f"{fetched.cut} long values were cut.")
    if fetched.hidden:
        notes.append(f"{fetched.hidden} further columns are not shown; select the ones you need.")
    return {
        "row_count": count,
        "columns": [{"name": name, "type": kind} for name, kind in fetched.columns],
        "rows": fetched.rows,
    }


def explain(error: duckdb.Error, connection: duckdb.DuckDBPyConnection) -> Problem:
    """What DuckDB says, for a model, with the tables and columns that there are."""
    if isinstance(error, duckdb.OutOfMemoryException):
        return Problem(f"{OUT_OF_MEMORY} (limit memory).", LESS_MEMORY)
    if isinstance(error, duckdb.InternalException | duckdb.FatalException):
        return Problem("DuckDB cannot run this query.", "Write it in another way.")
    text = re.sub(r"^LINE (\d+): ", lambda found: f"LINE {max(1, int(found[1]) - 1)}: ", str(error), flags=re.MULTILINE)
    return Problem(text, _name_tables(connection))


def _read_statement(connection: duckdb.DuckDBPyConnection, sql: str) -> str:
    """`sql` as what can stand after FROM; raises `Problem` unless it is one statement that reads."""
    try:
        statements = connection.extract_statements(sql)
    except duckdb.Error as error:
        raise Problem(str(error), _name_tables(connection)) from None
    if len(statements) != 1:
        raise Problem(f"There are {len(statements)} statements." if statements else "There is no statement.", _ONE_QUERY)
    statement = statements[0]
    # a PIVOT that finds its columns by itself counts as several statements; inside parentheses only queries are allowed anyway
    if statement.type not in {duckdb.StatementType.SELECT, duckdb.StatementType.MULTI}:
        raise Problem(f"{statement.type.name} is not allowed.", _ONE_QUERY)
    _refuse_settings(statement.query)
    return f"(\n{_cut_end(statement.query)}\n)"


def _refuse_settings(query: str) -> None:
    """Raise `Problem` when `query` asks for DuckDB's settings, or may do so in a way that cannot be seen."""
    raw = query.encode()
    tokens = [token for token in duckdb.tokenize(query) if token[1] != duckdb.token_type.comment]
    for place, (offset, _) in enumerate(tokens):
        following = tokens[place + 1][0] if place + 1 < len(tokens) else len(raw)
        name = raw[offset:following].decode("utf-8", "replace").partition("/*")[0].partition("--")[0].strip(" \t\r\n\"'").lower()
        if name in _SETTINGS or (name in _RUNNING_TEXT and raw[following : following + 1] == b"("):
            raise Problem(f"{name} is not allowed.", "Name the tables of the request only.")


def _cut_end(query: str) -> str:
    """`query` without the semicolon that ends it, nor what follows: comments."""
    raw = query.lstrip("; \t\n").encode()
    for offset, kind in duckdb.tokenize(raw.decode()):
        if kind == duckdb.token_type.operator and raw[offset : offset + 1] == b";":
            return raw[:offset].decode()
    return raw.decode()


def _count_rows(connection: duckdb.DuckDBPyConnection, source: str, seconds: float) -> int | None:
    timer = threading.Timer(seconds, connection.interrupt)
    timer.daemon = True
    timer.start()
    try:
        found = connection.execute(f"SELECT count(*) FROM {source}").fetchone()
    except duckdb.Error:
        return None
    finally:
        timer.cancel()
    return int(found[0]) if found else None


def _name_tables(connection: duckdb.DuckDBPyConnection) -> str:
    found = connection.execute(
        "SELECT table_name, list(column_name || ' ' || data_type ORDER BY column_index) FROM duckdb_columns()"
        " WHERE NOT internal GROUP BY ALL ORDER BY ALL"
    ).fetchall()
    text = "; ".join(f"{_show_name(name)} ({', '.join(columns)})" for name, columns in found)
    return f"Tables: {text[:_MAX_NAMED]}{'...' if len(text) > _MAX_NAMED else '.'}" if found else "There are no tables."


def _show_name(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) else f'"{name}"'
