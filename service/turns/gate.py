"""How many turns run at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from service.turns.errors import TooManyTurns


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
        """Let one turn in. Raises `TooManyTurns`."""
        if self._running >= self._limit:
            raise TooManyTurns(self._limit)
        self._running += 1
        try:
            yield
        finally:
            self._running -= 1
