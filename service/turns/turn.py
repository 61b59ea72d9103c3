"""One turn: a message goes in, an answer comes out. `TurnRunner.run` is the whole flow, a step a line."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import Protocol

from apps.sdk.chat import Message, ModelError, ModelTimeout, Usage
from apps.sdk.contract import Contract
from apps.sdk.jsontypes import JsonObject
from preprocessor.exposure import Exposure
from preprocessor.pipeline import Prepared
from preprocessor.preselect import Preselection
from service.instructions import BaseInstructions
from service.models.history import PromptWindow, repair_history
from service.models.main_model import MainModel
from service.turns.answers import Answer, TurnProblem, conclude
from service.turns.call_runner import CallRunner
from service.turns.errors import BudgetSpent, DeadlinePassed
from service.turns.events import Emit, Event
from service.turns.message_log import NO_LOG, MessageLog
from service.turns.preparation import Preparation
from service.turns.request import TurnLimits, TurnRequest
from service.turns.tool_loop import SHORTENED, LoopState, ToolLoop
from service.views.preparation import describe_preparation, describe_usage

DEADLINE_MARGIN = 0.1
"""Seconds: a model that runs out of time this close to the turn's deadline did so because of it."""


@dataclass(frozen=True, slots=True)
class TurnOutcome:
    """What came of a turn: the answer, the messages to add to the history, and how it came about."""

    request: TurnRequest
    prepared: Prepared
    answer: Answer
    state: LoopState
    repairs: tuple[str, ...]
    seconds: float

    @property
    def usage(self) -> Usage:
        return self.prepared.preselection.usage + self.state.usage


class TurnModels(Protocol):
    """Chooses the main model of a turn; `extra` is what the preselection found out beside the skills."""

    def choose(self, extra: JsonObject, contract: Contract) -> MainModel: ...


class TurnRunner:
    """Runs turns. Holds no turn's state, so any number may run at once."""

    def __init__(self, preparation: Preparation, calls: CallRunner, models: TurnModels, texts: BaseInstructions) -> None:
        self._preparation = preparation
        self._calls = calls
        self._models = models
        self._texts = texts

    async def run(self, request: TurnRequest, emit: Emit, log: MessageLog = NO_LOG) -> TurnOutcome:
        """Answer one message: expand, preselect and expose; converse; conclude. Each round's messages go to `log`.

        Raises `ModelError`, `BudgetSpent` or `DeadlinePassed` only when there is nothing at all to answer with.
        """
        started = time.monotonic()
        emit(Event("turn.started", {"id": request.id}))
        history = repair_history(request.messages)
        prepared = await self._preparation.prepare(request.caller, request.intent, history.messages, request.limits)
        emit(Event("preselection", describe_preparation(prepared).model_dump(mode="json")))
        loop = self._begin_loop(request, prepared, emit, log)
        if request.is_cut:
            loop.state.notices.append(SHORTENED)
        messages = self._compose(prepared.exposure, history.messages)
        problem = await converse(loop, messages, prepared.exposure, request.limits)
        answer = conclude(loop.state, problem, self._texts.answers)
        outcome = TurnOutcome(request, prepared, answer, loop.state, history.repairs, time.monotonic() - started)
        emit(Event("usage", describe_usage(outcome.usage).model_dump()))
        return outcome

    def _begin_loop(self, request: TurnRequest, prepared: Prepared, emit: Emit, log: MessageLog) -> ToolLoop:
        contract = prepared.exposure.contract
        main = self._models.choose(prepared.preselection.extra, contract)
        return ToolLoop(
            model=main.model,
            window=PromptWindow(main.prompt_limit),
            calls=self._calls.begin_turn(contract, request.caller, emit),
            limits=request.limits,
            tokens_used=count_tokens(prepared.preselection),
            last_call=self._texts.turn.last_call,
            emit=emit,
            log=log,
            stream=request.stream,
        )

    def _compose(self, exposure: Exposure, history: tuple[Message, ...]) -> tuple[Message, ...]:
        """One system message, the stable part first: base, apps' instructions, then what the caller's own said; then the rest."""
        given = [message.text for message in history if message.role == "system"]
        parts = [self._texts.turn.system, *exposure.instructions, *given]
        rest = (message for message in history if message.role != "system")
        return (Message("system", "\n\n".join(part.strip() for part in parts if part.strip())), *rest)


async def converse(loop: ToolLoop, messages: tuple[Message, ...], exposure: Exposure, limits: TurnLimits) -> TurnProblem | None:
    """Run the loop to its end or to the deadline; a problem is returned when there is something to answer with, else raised."""
    problem: TurnProblem
    try:
        async with asyncio.timeout(limits.time_left) as timer:
            await loop.run(messages, exposure.tools)
        return None
    except TimeoutError:
        if not timer.expired():
            raise
        problem = DeadlinePassed(limits.timeout)
    except (ModelError, BudgetSpent) as error:
        too_late = isinstance(error, ModelTimeout) and limits.time_left < DEADLINE_MARGIN
        problem = DeadlinePassed(limits.timeout) if too_late else error
    if not loop.state.has_something:
        raise problem
    return problem


def count_tokens(preselection: Preselection) -> int:
    """What the preselection took of the turn's budget: the provider's own count, or the estimate where it gave none."""
    return preselection.usage.total or preselection.prompt_tokens
