"""How many turns run at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from service.problems import TooBusy


class TurnGate:
    """Counts what runs. One event loop only."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._running = 0

    @property
    def running(self) -> int:
        return self._running

    @contextmanager
    def admit(self) -> Iterator[None]:
        """Let one turn in. Raises `TooBusy`, naming the setting."""
        if self._running >= self._limit:
            raise TooBusy("SHORTLIST_TURNS_PARALLEL", self._limit)
        self._running += 1
        try:
            yield
        finally:
            self._running -= 1
