"""Stored conversations: bytes, operations of the store, what a turn takes longer, and how late its events are."""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks import event_delay, kept_turns, store_operations, stored_bytes
from benchmarks.databases import ABSENT, find_kinds
from benchmarks.measuring import tell
from benchmarks.report import Section, Table

READING = """
*Bytes* are of SQLite: of rows as it packs them, and of its file once everything is in it, indexes and partly filled pages
included. The peer of an intent is the list of names that it stands for, written out, for 1,000 skills; the floor of a turn is
the bare text of what was said.

*Operations* run one after the other, in turns with one INSERT in a transaction of its own through the same driver on a
connection of its own, with SQLite in a thread as the store does it. Statements are counted without BEGIN and COMMIT. SQLite
runs with `synchronous = FULL`: each commit waits for the disk.

*Turns* are `POST /v1/turns` of an offline service (no model, one call of `math-calculate`, two rounds), so that what is added
is not lost in a model's time: the same message with the history sent by the caller, which stores nothing, and in a conversation
that stores it. *Added* is the difference within a round. Each turn is three transactions and one more for each further round
of calls; a turn that takes longer than 100 ms shares one with all others for its events, ten times a second.

*Followers* hear of a turn's events behind the client of the turn itself, which is told at once: those of the same process when
the events are stored (a beat of 100 ms while it runs, at once when it ends), those of another process when that looks (every
500 ms, `SHORTLIST_EVENT_POLL`).
"""


async def measure(*, quick: bool) -> Section:
    """The whole benchmark."""
    kinds = find_kinds()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tell("  bytes")
        tables = await stored_bytes.measure(folder, quick=quick)
        operations: list[Table] = []
        turns: list[Table] = []
        followers: list[Table] = []
        for kind in kinds:
            tell(f"  {kind}: operations")
            operations.append(await store_operations.measure(kind, folder, quick=quick))
            tell(f"  {kind}: turns")
            turns += await kept_turns.measure(kind, folder, quick=quick)
            tell(f"  {kind}: followers")
            followers.append(await event_delay.measure(kind, folder, quick=quick))
    reading = READING if "PostgreSQL" in kinds else f"{READING.rstrip()}\n\n{ABSENT}"
    return Section("Conversations", reading, [*tables, *operations, *turns, *followers])
