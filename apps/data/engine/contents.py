"""Bytes of a request under a path that DuckDB can read, and the table that it makes of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from .database import list_columns, quote_name
from .problems import Problem

if TYPE_CHECKING:
    import duckdb

MAX_COLUMNS: Final = 1_000
"""Columns of a table."""


def create_table(connection: duckdb.DuckDBPyConnection, name: str, source: str) -> int:
    """Make the table `name` of `source`, what stands after FROM; how many columns it has. Raises `Problem`."""
    width = len(list_columns(connection, source))
    if width > MAX_COLUMNS:
        raise Problem(f"it has {width} columns; {MAX_COLUMNS} can be read (limit columns).")
    connection.execute(f"CREATE OR REPLACE TABLE {quote_name(name)} AS FROM {source}")
    return width


@contextmanager
def content_path(raw: bytes) -> Iterator[str]:
    """A path under which DuckDB can read `raw`, in memory where the system allows, and nothing is left of it afterwards."""
    if hasattr(os, "memfd_create"):
        file = os.fdopen(os.memfd_create("table"), "w+b")
    else:
        import tempfile  # noqa: PLC0415 - it takes its time, which systems with memfd need not spend

        file = tempfile.TemporaryFile()  # noqa: SIM115 - closed below
    with file:
        file.write(raw)
        file.flush()
        yield f"/dev/fd/{file.fileno()}"
