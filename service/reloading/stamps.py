"""What stands in the directories of apps, quickly taken and compared: whether anything that a load reads has changed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from apps.sdk.loader import AppsDirectoryMissing, find_folders

_NOT_READ: Final = frozenset({"tests", "__pycache__"})
READ_BY_A_LOAD: Final = (".py", ".yml", ".yaml", ".md")
"""Endings of the files that count: editors' temporary files, databases and compiled modules have others."""

FileStamp: TypeAlias = tuple[str, int, int, int, int]
"""Path, file number, size, and the times of the last change of the content and of anything."""
Stamp: TypeAlias = frozenset[FileStamp]


def stamp_apps(directories: Sequence[Path]) -> Stamp:
    """The stamp of every file that counts; two are equal when nothing has changed between. Never raises.

    A link to a file or to an app's folder is followed, one to a folder inside an app is not: it might lead anywhere.
    """
    return frozenset(entry for directory in directories for entry in _stamp_directory(directory))


def _stamp_directory(directory: Path) -> Iterator[FileStamp]:
    try:
        folders = list(find_folders(directory))
    except AppsDirectoryMissing:
        return
    yield str(directory), 1, 0, 0, 0
    for folder in folders:
        yield from _stamp_folder(str(folder))


def _stamp_folder(folder: str) -> Iterator[FileStamp]:
    for parent, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".") and name not in _NOT_READ]
        for name in files:
            if name.endswith(READ_BY_A_LOAD) and not name.startswith("."):
                yield _stamp_file(os.path.join(parent, name))  # noqa: PTH118 - thousands of files; Path is ten times slower


def _stamp_file(path: str) -> FileStamp:
    try:
        status = os.stat(path)  # noqa: PTH116
    except OSError:
        return path, 0, 0, 0, 0
    return path, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
