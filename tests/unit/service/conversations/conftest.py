"""A replica on a store that fails when a test says so."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from service.conversations import held_turn
from service.turns.turn import TurnOutcome
from tests.support.brittle_database import Replica, make_outcome, open_replica


@pytest.fixture(scope="session")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> TurnOutcome:
    """Of one real turn, run once."""
    return asyncio.run(make_outcome(tmp_path_factory.mktemp("outcome")))


@pytest.fixture
async def replica(outcome: TurnOutcome) -> AsyncIterator[Replica]:
    """One whose leases last."""
    async with open_replica(outcome) as opened:
        yield opened


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """A turn's end is tried again at once."""
    monkeypatch.setattr(held_turn, "RETRY_DELAYS", (0.0,) * len(held_turn.RETRY_DELAYS))
