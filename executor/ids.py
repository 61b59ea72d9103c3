"""The ids of a call's entries: a string or an integer, unique within the call, whatever the model wrote."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TypeAlias

from apps.sdk.jsontypes import Json
from apps.sdk.truncation import shorten

EntryId: TypeAlias = str | int

_MAX_CHARACTERS = 100


def assign_ids(written: Sequence[Json]) -> list[tuple[EntryId, str | None]]:
    """An id for each entry, in order, with a note where the written one could not be kept; None = none was written.

    `1` and `"1"` are the same id: the first keeps it. A fresh id is the smallest positive integer that no entry uses.
    """
    readable = [_read_id(value) for value in written]
    taken = {str(entry_id) for entry_id in readable if entry_id is not None}
    fresh = (number for number in itertools.count(1) if str(number) not in taken)
    seen: set[str] = set()
    assigned: list[tuple[EntryId, str | None]] = []
    for raw, entry_id in zip(written, readable, strict=True):
        if entry_id is not None and str(entry_id) not in seen:
            seen.add(str(entry_id))
            assigned.append((entry_id, None))
        else:
            new = next(fresh)
            assigned.append((new, _note(raw, entry_id, new)))
    return assigned


def _read_id(value: Json) -> EntryId | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if isinstance(value, int) and abs(value) < 2**63:
        return value
    return value if isinstance(value, str) and value.strip() and len(value) <= _MAX_CHARACTERS else None


def _note(written: Json, entry_id: EntryId | None, fresh: int) -> str | None:
    if written is None:
        return None
    if entry_id is not None:
        return f"The id {shorten(str(entry_id), 40)} was used twice; this request was given the id {fresh}."
    return f"The id was neither a short text nor an integer; this request was given the id {fresh}."
