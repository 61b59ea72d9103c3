"""What stands in an app's folder, quickly taken and compared: whether anything that its code or a load reads has changed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final, TypeAlias

SKIPPED_FOLDERS: Final = frozenset({"tests", "__pycache__"})
"""Folders that hold nothing of an app; nor do those whose name begins with a dot."""
ENDINGS: Final = (".py", ".yml", ".yaml", ".json", ".csv", ".tsv", ".txt", ".toml", ".md")
"""Of the files that count, code and data: editors' temporary files, databases and compiled modules have others."""

FileStamp: TypeAlias = tuple[str, int, int, int, int]
"""Path, file number, size, and the times of the last change of the content and of anything."""
Stamp: TypeAlias = frozenset[FileStamp]


def stamp_folder(folder: Path) -> Stamp:
    """The stamp of every file that counts; two are equal when nothing has changed between. Never raises.

    A link to a file is followed, one to a folder is not: it might lead anywhere.
    """
    return frozenset(map(_stamp_file, _find_files(str(folder))))


def _find_files(folder: str) -> Iterator[str]:
    for parent, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".") and name not in SKIPPED_FOLDERS]
        for name in files:
            if name.endswith(ENDINGS) and not name.startswith("."):
                yield os.path.join(parent, name)  # noqa: PTH118 - thousands of files; Path is ten times slower


def _stamp_file(path: str) -> FileStamp:
    try:
        status = os.stat(path)  # noqa: PTH116
    except OSError:
        return path, 0, 0, 0, 0
    return path, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
