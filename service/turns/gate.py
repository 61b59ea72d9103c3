"""How many turns run at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from service.turns.errors import TooManyOfTenant, TooManyTurns


class TurnGate:
    """Counts what runs, in all and per tenant, so that no tenant can take every place. One event loop only."""

    def __init__(self, limit: int, *, per_tenant: int) -> None:
        self._limit = limit
        self._per_tenant = per_tenant
        self._running: Counter[str] = Counter()

    @property
    def running(self) -> int:
        return self._running.total()

    @contextmanager
    def admit(self, tenant: str) -> Iterator[None]:
        """Let one turn in. Raises `TooManyTurns`, `TooManyOfTenant`."""
        if self.running >= self._limit:
            raise TooManyTurns(self._limit)
        if self._running[tenant] >= self._per_tenant:
            raise TooManyOfTenant(self._per_tenant)
        self._running[tenant] += 1
        try:
            yield
        finally:
            self._running[tenant] -= 1
            if not self._running[tenant]:
                del self._running[tenant]
