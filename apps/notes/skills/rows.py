"""Notes as rows of a result: flat, so that they fit a table, and long texts cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from apps.notes.skills.notebook import Entry, Note
from apps.sdk.jsontypes import JsonObject
from apps.sdk.truncation import shorten

SHOWN: Final = 300
"""Characters of a text that a list shows."""


def write_full(entry: Entry) -> JsonObject:
    """One note, whole."""
    return {"id": entry.id, "saved": write_time(entry.note), **write_content(entry.note)}


def write_short(entry: Entry, around: int = 0) -> JsonObject:
    """One line of a list: of a long text the part with the character at `around`."""
    return {**write_full(entry), "text": _cut(entry.note.text, around)}


def write_content(note: Note) -> JsonObject:
    """What the note says; tags as one text."""
    return {"title": note.title, "tags": " ".join(note.tags), "text": note.text}


def write_time(note: Note) -> str:
    """UTC, to the second."""
    return f"{note.saved:%Y-%m-%dT%H:%M:%SZ}"


def explain_cuts(entries: Sequence[Entry]) -> str | None:
    """A word about cut texts, where there are some."""
    cut = any(len(entry.note.text) > SHOWN for entry in entries)
    return 'Texts with … are cut; notes-list with "id" shows one in full.' if cut else None


def join_remarks(*remarks: str | None) -> str | None:
    """One text of those that there are."""
    return " ".join(filter(None, remarks)) or None


def _cut(text: str, around: int) -> str:
    start = max(0, min(around - SHOWN // 3, len(text) - SHOWN))
    return f"{'…' if start else ''}{shorten(text[start:], SHOWN)}"
