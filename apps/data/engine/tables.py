"""The tables of a request, read into the database before it is locked."""

from __future__ import annotations

import base64
import binascii
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

import duckdb

from .contents import content_path, create_table
from .csv_tables import load_csv
from .database import quote_name, quote_text
from .documents import read_document
from .files import FORMATS, find_file
from .problems import LESS_MEMORY, Problem

if TYPE_CHECKING:
    from .jobs import TableJob

MAX_FILE: Final = 32 * 1024 * 1024
"""Bytes of a CSV or JSON file; Parquet files may be of any size, since only what a query needs of them is read."""


@dataclass(slots=True)
class Loaded:
    """`notes` are what a reader of the results should know; `paths` what stays open to queries."""

    notes: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)


def load_tables(connection: duckdb.DuckDBPyConnection, tables: Sequence[TableJob], directory: str | None) -> Loaded:
    """Read every table; raises `Problem` that names the table."""
    loaded = Loaded()
    for table in tables:
        try:
            notes = _load_file(connection, table, directory, loaded) if table["file"] else _load_content(connection, table)
        except Problem as problem:
            raise type(problem)(f"Table {table['name']}: {problem.message}", problem.hint) from None
        except duckdb.OutOfMemoryException:
            raise Problem(f"Table {table['name']}: it is too large to be read (limit memory).", LESS_MEMORY) from None
        except duckdb.Error as error:
            raise Problem(f"Table {table['name']}: it cannot be read. {_clean(error)}") from None
        loaded.notes += [f"Table {table['name']}: {note}" for note in notes]
    return loaded


def _load_content(connection: duckdb.DuckDBPyConnection, table: TableJob) -> Sequence[str]:
    content = table["content"] or ""
    if not content.strip():
        raise Problem("its content is empty.")
    if table["format"] != "parquet":
        return _load_text(connection, table, table["format"] or "csv", content)
    try:
        raw = base64.b64decode("".join(content.split()), validate=True)
    except binascii.Error:
        raise Problem("Parquet content must be base64.") from None
    with content_path(raw) as path:
        create_table(connection, table["name"], f"read_parquet({quote_text(path)})")
    return ()


def _load_file(connection: duckdb.DuckDBPyConnection, table: TableJob, directory: str | None, loaded: Loaded) -> Sequence[str]:
    if not directory:
        raise Problem("No files can be read here.", "Give the table's content instead.")
    path = find_file(directory, table["file"] or "")
    kind = table["format"] or FORMATS.get(path.suffix.casefold(), "csv")
    if kind != "parquet":
        return _load_text(connection, table, kind, _read_text(path))
    number = os.open(path, os.O_RDONLY)  # until the end: queries know the file by this number, which tells of no directory
    loaded.paths.append(f"/dev/fd/{number}")
    connection.execute(f"CREATE VIEW {quote_name(table['name'])} AS FROM read_parquet({quote_text(loaded.paths[-1])})")
    return ()


def _read_text(path: Path) -> str:
    if path.stat().st_size > MAX_FILE:
        raise Problem(f"the file is over {MAX_FILE // 1024**2} MB (limit file size); files of that size can be read as Parquet.")
    raw = path.read_bytes()
    for encoding in ("utf-8", "utf-16" if raw[:2] in {b"\xff\xfe", b"\xfe\xff"} else "cp1252"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return raw.decode("latin-1")


def _load_text(connection: duckdb.DuckDBPyConnection, table: TableJob, kind: str, content: str) -> Sequence[str]:
    if kind == "json":
        document = read_document(content)
        with content_path(document.text.encode("utf-8", "replace")) as path:
            options = (
                "format = 'newline_delimited', sample_size = -1, map_inference_threshold = -1, maximum_object_size = 67108864"
            )
            create_table(connection, table["name"], f"read_json({quote_text(path)}, {options})")
        return document.notes
    return load_csv(connection, table, content)


def _clean(error: duckdb.Error) -> str:
    """The first line of DuckDB's words, without the path that only this process knows."""
    return re.sub(r"\s*['\"]?/dev/fd/\d+['\"]?", "", str(error).partition("\n")[0])
