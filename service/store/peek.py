"""A look into a SQLite file without SQLAlchemy, whose import takes longer than the commands that need to know."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final, Literal

SQLITE_FILES: Final = ("sqlite:///", "sqlite+aiosqlite:///")
HEAD: Final = "0003"
"""The newest migration. Known without Alembic, so that a start with nothing to migrate does not import it."""


def may_hold(table: Literal["overrides", "api_keys", "deactivations"], url: str) -> bool:
    """Whether the database must be opened to know what is in `table`: False for a SQLite file that is missing or has nothing."""
    path = _find_file(url)
    if path is None:
        return True
    return path.exists() and _ask(path, f"SELECT EXISTS (SELECT 1 FROM {table})") != 0  # noqa: S608 - one of three names


def describe_database(url: str) -> str | None:
    """What is to be said of a SQLite file that is fine, None when the store itself has to be asked."""
    path = _find_file(url)
    if path is None:
        return None
    if not path.exists():
        return "it is made at the first start" if os.access(path.absolute().parent, os.W_OK) else None
    return "it opens and is at its newest schema" if _ask(path, "SELECT version_num FROM alembic_version") == HEAD else None


def _find_file(url: str) -> Path | None:
    return next((Path(url.removeprefix(start)) for start in SQLITE_FILES if url.startswith(start)), None)


def _ask(path: Path, query: str) -> object:
    """The one value that the query gives; None when anything is wrong: the store has the words for it."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            row = connection.execute(query).fetchone()
    except sqlite3.Error:
        return None
    return row[0] if row else None
