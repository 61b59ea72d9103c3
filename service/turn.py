"""One turn: a message goes in, an answer comes out. `TurnRunner.run` is the whole flow, a step a line."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from apps.sdk.catalog import SkillSpec
from apps.sdk.chat import ChatModel, Message, ModelError, ToolDefinition, Usage
from apps.sdk.contract import Contract
from apps.sdk.jsontypes import JsonObject
from apps.sdk.skill import SkillContext, Source
from executor.engine.base import Engine
from executor.policy import Limits
from executor.run import Observer, TurnExecution
from preprocessor.availability import Override
from preprocessor.intent import Intent
from preprocessor.pipeline import Prepared, Preprocessor, PreprocessRequest
from service.answers import Answer, TurnProblem, TurnTimeout, conclude
from service.events import Emit, Event
from service.history import called_skills, repair_history
from service.instructions import BaseInstructions
from service.tool_loop import BudgetExhausted, LoopState, ToolLoop
from service.turn_trace import describe_preparation, describe_usage

HISTORY_TURNS = 3
"""Skills called in the last so many user turns stay exposed, so that "and Paris?" still has its skill."""


@dataclass(frozen=True, slots=True)
class Caller:
    """On whose behalf something runs."""

    tenant: str
    user: str
    source: Source
    conversation: str | None = None


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """One message to answer. `deadline` is in seconds of `time.monotonic()`, `token_budget` counts both models."""

    id: str
    caller: Caller
    messages: tuple[Message, ...]
    intent: Intent
    deadline: float
    token_budget: int
    max_rounds: int
    stream: bool = False


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

    def choose(self, extra: JsonObject) -> ChatModel: ...


class OverrideSource(Protocol):
    """The administrators' overrides of a tenant, as they are now."""

    async def current(self, tenant: str) -> tuple[Override, ...]: ...


class TurnRunner:
    """Runs turns. Holds no turn's state, so any number may run at once."""

    def __init__(
        self,
        *,
        preprocessor: Callable[[], Preprocessor],
        overrides: OverrideSource,
        models: TurnModels,
        engine: Engine,
        make_context: Callable[[Caller, SkillSpec, str, float], SkillContext],
        limits: Limits,
        texts: BaseInstructions,
        max_output_tokens: int | None,
        observe: Callable[[Emit], Observer],
    ) -> None:
        self._preprocessor = preprocessor
        self._overrides = overrides
        self._models = models
        self._engine = engine
        self._make_context = make_context
        self._limits = limits
        self._texts = texts
        self._max_output_tokens = max_output_tokens
        self._observe = observe

    async def run(self, request: TurnRequest, emit: Emit) -> TurnOutcome:
        """Answer one message: expand, preselect and expose; converse; conclude.

        Raises `ModelError`, `BudgetExhausted` or `TurnTimeout` only when there is nothing at all to answer with.
        """
        started = time.monotonic()
        emit(Event("turn.started", {"id": request.id}))
        history = repair_history(request.messages)
        prepared = await self._prepare(request, history.messages)
        emit(Event("preselection", describe_preparation(prepared)))
        loop = self._begin_loop(request, prepared, emit)
        messages = self._compose(prepared, history.messages)
        problem = await converse(loop, request, messages, prepared.exposure.tools)
        answer = conclude(loop.state, problem, self._texts.answers)
        outcome = TurnOutcome(request, prepared, answer, loop.state, history.repairs, time.monotonic() - started)
        emit(Event("usage", describe_usage(outcome.usage)))
        return outcome

    def begin_execution(self, contract: Contract, caller: Caller, emit: Emit) -> TurnExecution:
        """The execution of one turn; `/v1/execute` is a turn of calls alone, under the same limits."""
        make_context = partial(self._make_context, caller)
        return TurnExecution(self._engine, contract, self._limits, make_context, self._observe(emit))

    async def _prepare(self, request: TurnRequest, history: tuple[Message, ...]) -> Prepared:
        """Expand, preselect, expose: on one snapshot of the catalog."""
        return await self._preprocessor().prepare(
            PreprocessRequest(
                messages=history,
                intent=request.intent,
                source=request.caller.source,
                overrides=await self._overrides.current(request.caller.tenant),
                history_skills=called_skills(history, turns=HISTORY_TURNS),
            )
        )

    def _begin_loop(self, request: TurnRequest, prepared: Prepared, emit: Emit) -> ToolLoop:
        contract = prepared.exposure.contract
        return ToolLoop(
            model=self._models.choose(prepared.preselection.extra),
            execution=self.begin_execution(contract, request.caller, emit),
            contract=contract,
            limits=self._limits,
            texts=self._texts.turn,
            max_rounds=request.max_rounds,
            max_output_tokens=self._max_output_tokens,
            token_budget=request.token_budget - prepared.preselection.usage.total,
            deadline=request.deadline,
            emit=emit,
            stream=request.stream,
        )

    def _compose(self, prepared: Prepared, history: tuple[Message, ...]) -> tuple[Message, ...]:
        """One system message, the stable part first: base, apps' instructions, then what the caller's own said; then the rest."""
        given = [message.text for message in history if message.role == "system"]
        parts = [self._texts.turn.system, *prepared.exposure.instructions, *given]
        rest = (message for message in history if message.role != "system")
        return (Message("system", "\n\n".join(part.strip() for part in parts if part.strip())), *rest)


async def converse(loop: ToolLoop, request: TurnRequest, messages: tuple[Message, ...], tools: tuple[ToolDefinition, ...]) -> TurnProblem | None:
    """Run the loop to its end or to the deadline; what went wrong is returned when there is something to answer with, else raised."""
    problem: TurnProblem
    try:
        async with asyncio.timeout(max(0.0, request.deadline - time.monotonic())) as timer:
            await loop.run(messages, tools)
        return None
    except TimeoutError:
        if not timer.expired():
            raise
        problem = TurnTimeout()
    except (ModelError, BudgetExhausted) as error:
        problem = error
    if not loop.state.has_something:
        raise problem
    return problem
