"""What a turn tells while it runs, and the server-sent-events wire form of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import orjson

from apps.sdk.jsontypes import JsonObject

EventName: TypeAlias = Literal[
    "turn.started", "preselection", "tool.started", "tool.finished", "text.delta", "usage", "turn.finished", "error"
]


@dataclass(frozen=True, slots=True)
class Event:
    """One event; `data` is what its JSON line holds. `id`: that under which a conversation keeps it."""

    name: EventName
    data: JsonObject
    id: int | None = None


Emit: TypeAlias = Callable[[Event], None]
"""Takes an event without waiting; must not raise."""


def discard(event: Event) -> None:
    """An `Emit` for callers that only want the outcome."""


def encode_event(event: Event, event_id: int | None) -> bytes:
    """The event as server-sent-events text: id, if it has one, name and one line of JSON."""
    head = b"" if event_id is None else b"id: %d\n" % event_id
    return b"%sevent: %s\ndata: %s\n\n" % (head, event.name.encode(), orjson.dumps(event.data))


HEARTBEAT = b": still here\n\n"
"""A comment line, which keeps proxies from closing a quiet stream."""
