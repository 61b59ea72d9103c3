"""Names and texts of others as people are shown them: nothing in them moves a cursor, colours a terminal or adds a line."""

from __future__ import annotations

from pathlib import Path


def spell_out(text: str, keep: str = "") -> str:
    """`text` with each character that does not print, those of `keep` apart as an escape of Python's."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in keep else char.encode("unicode_escape").decode() for char in text)


def show_path(path: Path) -> str:
    """The path as people name it, spelled out: from the working directory when it lies below it."""
    here = find_working_directory()
    return spell_out(str(path.relative_to(here) if here and path.is_relative_to(here) else path))


def find_working_directory() -> Path | None:
    """The folder that relative paths start from; None when somebody has removed it."""
    try:
        return Path.cwd()
    except OSError:
        return None
