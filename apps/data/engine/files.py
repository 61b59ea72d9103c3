"""The files below the permitted directory; nothing outside it can be named, by no path and no link."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from .problems import Problem, Refusal

FORMATS: Final = {
    ".csv": "csv", ".tsv": "csv", ".txt": "csv", ".json": "json", ".ndjson": "json", ".jsonl": "json", ".parquet": "parquet",
}  # fmt: skip
MAX_LISTED: Final = 200
_MAX_SEEN: Final = 10_000
_MAX_NAMED: Final = 20


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file below the directory; `name` is its path from there, with slashes."""

    name: str
    format: str
    size: int


def find_file(directory: str, name: str) -> Path:
    """The file `name` below `directory`; raises `Problem`."""
    root = _resolve_root(directory)
    try:
        path = (root / name).resolve(strict=True)
    except (OSError, ValueError, RuntimeError):
        path = root
    if path == root or not path.is_relative_to(root) or not path.is_file() or _is_hidden(name) or set(name) & set("*?["):
        known = [file.name for file in list_files(directory)[:_MAX_NAMED]]
        raise Problem(f"There is no file {name!r:.100}.", f"Files: {', '.join(known) or 'none'}.")
    return path


def list_files(directory: str) -> list[DataFile]:
    """The first `MAX_LISTED` files of a known format, by name; raises `Refusal` when there is no such directory."""
    root = _resolve_root(directory)
    found = []
    for path in _walk(root):
        name = path.relative_to(root).as_posix()
        if path.suffix.casefold() in FORMATS and not _is_hidden(name) and path.resolve().is_relative_to(root) and path.is_file():
            found.append(DataFile(name, FORMATS[path.suffix.casefold()], path.stat().st_size))
    return sorted(found, key=lambda file: file.name)[:MAX_LISTED]


def _resolve_root(directory: str) -> Path:
    try:
        root = Path(directory).resolve(strict=True)
    except (OSError, ValueError, RuntimeError):
        root = None
    if root is None or not root.is_dir():
        raise Refusal("The directory of data files that this service is set up with is not there.")
    return root


def _walk(root: Path) -> Iterator[Path]:
    seen = 0
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            seen += 1
            if seen > _MAX_SEEN:
                return
            yield Path(folder, name)


def _is_hidden(name: str) -> bool:
    return any(part.startswith(".") for part in Path(name).parts)
