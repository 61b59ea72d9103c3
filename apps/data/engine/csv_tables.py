# ruff: noqa: S608 - names are quoted, and to run SQL is what this process is for
"""A table of CSV text: DuckDB finds out its dialect and types; where it would leave lines out, they are repaired first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import duckdb

from .contents import content_path, create_table
from .database import quote_name, quote_text
from .delimited import clean_text, guess_delimiter, repair_lines
from .texts import trim_texts, turn_decimal_commas

if TYPE_CHECKING:
    from .jobs import TableJob


@dataclass(frozen=True, slots=True)
class _Read:
    """How many columns the table has, and how many lines above it were left out."""

    columns: int
    skipped: int


def load_csv(connection: duckdb.DuckDBPyConnection, table: TableJob, content: str) -> Sequence[str]:
    """Notes on what was done to the text; raises `Problem` and `duckdb.Error`."""
    text = clean_text(content)
    delimiter = table["delimiter"] or guess_delimiter(text)
    read = _read_regular(connection, table, text)
    notes: list[str] = []
    if delimiter and _looks_ragged(text, delimiter, read):
        repaired = repair_lines(text, delimiter)
        read = _read(connection, table, repaired.text, ",")
        notes += repaired.notes
    elif read is None:
        read = _read(connection, table, text, delimiter)
    if read.skipped:
        notes.append(f"the first {read.skipped} lines stand above the table and were left out.")
    name = quote_name(table["name"])
    notes += trim_texts(connection, name)
    return [*notes, *(turn_decimal_commas(connection, name) if delimiter != "," else ())]


def _read_regular(connection: duckdb.DuckDBPyConnection, table: TableJob, text: str) -> _Read | None:
    """None when it is not regular."""
    try:
        return _read(connection, table, text, table["delimiter"])
    except duckdb.OutOfMemoryException:
        raise
    except duckdb.Error:
        return None


def _looks_ragged(text: str, delimiter: str, read: _Read | None) -> bool:
    """Lines left out that have several values, or one column where the first line names several, say that lines differ."""
    lines = text.split("\n", read.skipped + 1 if read else 1)
    if read is None or read.columns == 1:
        return delimiter in lines[0]
    return any(delimiter in line for line in lines[: read.skipped])


def _read(connection: duckdb.DuckDBPyConnection, table: TableJob, text: str, delimiter: str | None) -> _Read:
    options = ["sample_size = -1", "max_line_size = 67108864"]
    options += [f"delim = {quote_text(delimiter)}"] if delimiter else []
    options += [f"header = {'true' if table['header'] else 'false'}"] if table["header"] is not None else []
    with content_path(text.encode("utf-8", "replace")) as path:
        arguments = ", ".join((quote_text(path), *options))
        columns = create_table(connection, table["name"], f"read_csv({arguments})")
        sniffed = connection.execute(f"SELECT SkipRows FROM sniff_csv({arguments})").fetchone()
    return _Read(columns, int(sniffed[0]) if sniffed and sniffed[0] else 0)
