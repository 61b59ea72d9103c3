"""A look into a SQLite file without SQLAlchemy, whose import takes longer than the commands that need to know."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

SQLITE_FILE: Final = "sqlite+aiosqlite:///"


def may_hold_overrides(url: str) -> bool:
    """Whether the database must be opened to know the overrides: False for a SQLite file that is missing or has none."""
    if not url.startswith(SQLITE_FILE):
        return True
    path = Path(url.removeprefix(SQLITE_FILE))
    if not path.exists():
        return False
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            (found,) = connection.execute("SELECT EXISTS (SELECT 1 FROM overrides)").fetchone()
    except sqlite3.Error:  # whatever is wrong with it, the store has the words
        return True
    return bool(found)
