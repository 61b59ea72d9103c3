"""A turn that has begun, whoever keeps its history."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from apps.sdk.jsontypes import JsonObject
from service.turns.events import Emit
from service.turns.request import TurnRequest
from service.turns.turn import TurnOutcome, TurnRunner


class BegunTurn(Protocol):
    """Run it once, then finish or fail it, as `carry_out` does. `end_id`: the event that keeps how it ended, None = none does."""

    request: TurnRequest
    end_id: int | None

    async def run(self, emit: Emit) -> TurnOutcome:
        """Answer the message. Raises `ModelError` or `TurnError` when there is nothing to answer with."""

    async def finish(self, outcome: TurnOutcome) -> None:
        """It has its answer."""

    async def fail(self, problem: JsonObject) -> None:
        """It has none, for this reason (problem details). Does not raise."""


async def carry_out(turn: BegunTurn, emit: Emit, describe: Callable[[Exception], JsonObject]) -> TurnOutcome:
    """Run a turn to its end, whichever. Raises what kept it from an answer, or from keeping that, as `describe` tells it."""
    try:
        outcome = await turn.run(emit)
        await turn.finish(outcome)
    except Exception as error:
        await turn.fail(describe(error))
        raise
    return outcome


class UnkeptTurn:
    """A turn whose caller keeps the history."""

    end_id: int | None = None

    def __init__(self, request: TurnRequest, runner: TurnRunner) -> None:
        self.request = request
        self._runner = runner

    async def run(self, emit: Emit) -> TurnOutcome:
        """Answer the message."""
        return await self._runner.run(self.request, emit)

    async def finish(self, outcome: TurnOutcome) -> None:
        """Nothing is kept."""

    async def fail(self, problem: JsonObject) -> None:
        """Nothing is kept."""
