"""What is wrong with a `class_path`, as far as the app's own files tell: nothing is imported."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from pathlib import Path

from apps.sdk.findings import Position
from apps.sdk.loading.file_stamps import SKIPPED_FOLDERS
from apps.sdk.near_names import ask, find_near
from apps.sdk.shown import show_path

MAX_FILES = 200
"""Python files of an app that are searched for a class."""
MAX_BYTES = 200_000
"""Of a file that is searched; the bundled apps' largest module has 10 kB."""
MAX_CLASSES = 1_000
MAX_SUGGESTIONS = 20
"""Wrong paths of one app that are compared with its classes; each comparison takes milliseconds when there are many."""


def locate_syntax_error(error: BaseException, folder: Path) -> Position | None:
    """Where the file of the app in `folder` is no Python, when that caused the error."""
    cause = error.__cause__
    if type(cause) not in {SyntaxError, IndentationError, TabError}:
        return None
    assert isinstance(cause, SyntaxError)
    if not isinstance(cause.filename, str) or not Path(cause.filename).is_relative_to(folder):
        return None
    return Position(show_path(Path(cause.filename)), max(cause.lineno or 1, 1), max(cause.offset or 1, 1))


class AppClasses:
    """The classes of one app by the text of its files, which are read when the first suggestion is asked for."""

    def __init__(self, app_id: str, folder: Path) -> None:
        self._package = f"apps.{app_id}."
        self._folder = folder
        self._left = MAX_SUGGESTIONS

    def suggest(self, class_path: str) -> str | None:
        """Which class may be meant by a path that leads to none; None after `MAX_SUGGESTIONS` questions."""
        self._left -= 1
        if self._left < 0 or class_path in self._found:
            return None
        written = class_path.removeprefix(self._package)
        close = [path for path in self._found if _is_meant(written, path.removeprefix(self._package))]
        return ask(close[0]) if close else None

    @cached_property
    def _found(self) -> list[str]:
        return [f"{self._package}{path}" for path in islice(_list_classes(self._folder), MAX_CLASSES)]


def _is_meant(written: str, path: str) -> bool:
    """Whether module and class are both close, or `written` is the module alone."""
    module, _, name = written.rpartition(".")
    real_module, _, real_name = path.rpartition(".")
    return written == real_module or (_is_close(module, real_module) and _is_close(name, real_name))


def _is_close(written: str, name: str) -> bool:
    """Of the last words, without the ending that most classes share."""
    last, other = (text.rpartition(".")[2].removesuffix("Skill") for text in (written, name))
    return bool(find_near(last, [other]))


def _list_classes(folder: Path) -> Iterator[str]:
    """Module and name, from the app's package on, of each class that is derived from another."""
    for file in islice(_list_files(folder), MAX_FILES):
        for name in _read_classes(file):
            yield ".".join((*file.relative_to(folder).with_suffix("").parts, name))


def _list_files(folder: Path) -> Iterator[Path]:
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in SKIPPED_FOLDERS and not name.startswith("."))
        yield from (Path(parent, name) for name in sorted(files) if name.endswith(".py") and name != "__init__.py")


def _read_classes(file: Path) -> list[str]:
    try:
        with file.open("rb") as opened:
            tree = ast.parse(opened.read(MAX_BYTES))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return [node.name for node in tree.body if isinstance(node, ast.ClassDef) and node.bases]
