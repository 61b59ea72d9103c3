"""One turn: a message goes in, an answer comes out. `TurnRunner.run` is the whole flow, a step a line."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from apps.sdk.catalog import SkillSpec
from apps.sdk.chat import ChatModel, Message, ModelError, ModelTimeout, ToolCall, ToolDefinition, Usage
from apps.sdk.contract import Contract, make_contract
from apps.sdk.jsontypes import JsonObject
from apps.sdk.skill import SkillContext
from executor.engine.base import Engine
from executor.policy import Limits
from executor.validation import SkillSchemas
from preprocessor.availability import Override
from preprocessor.expand import Expansion
from preprocessor.intent import Intent
from preprocessor.pipeline import Prepared, Preprocessor, PreprocessRequest
from service.answers import Answer, TurnProblem, conclude
from service.callers import Caller
from service.events import Emit, Event
from service.history import repair_history
from service.instructions import BaseInstructions
from service.preparation_views import describe_preparation, describe_usage
from service.problems import DeadlineExceeded, TokenBudgetExhausted
from service.tool_calls import ExecutedCall, ToolCalls
from service.tool_loop import LoopState, ToolLoop

DEADLINE_MARGIN = 0.1
"""Seconds: a model that runs out of time this close to the turn's deadline did so because of it."""


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """One message to answer in `timeout` seconds, by `deadline` (`time.monotonic()`); `token_budget` counts both models."""

    id: str
    caller: Caller
    messages: tuple[Message, ...]
    intent: Intent
    timeout: float
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

    def choose(self, extra: JsonObject, contract: Contract) -> ChatModel: ...


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
    ) -> None:
        self._preprocessor = preprocessor
        self._overrides = overrides
        self._models = models
        self._engine = engine
        self._make_context = make_context
        self._limits = limits
        self._texts = texts
        self._max_output_tokens = max_output_tokens
        self._schemas = SkillSchemas()

    async def run(self, request: TurnRequest, emit: Emit) -> TurnOutcome:
        """Answer one message: expand, preselect and expose; converse; conclude.

        Raises `ModelError`, `TokenBudgetExhausted` or `DeadlineExceeded` only when there is nothing at all to answer with.
        """
        started = time.monotonic()
        emit(Event("turn.started", {"id": request.id}))
        history = repair_history(request.messages)
        prepared = await self.prepare(request.caller, request.intent, history.messages, request.deadline)
        emit(Event("preselection", describe_preparation(prepared).model_dump(mode="json")))
        loop = self._begin_loop(request, prepared, emit)
        messages = self._compose(prepared, history.messages)
        problem = await converse(loop, request, messages, prepared.exposure.tools)
        answer = conclude(loop.state, problem, self._texts.answers)
        outcome = TurnOutcome(request, prepared, answer, loop.state, history.repairs, time.monotonic() - started)
        emit(Event("usage", describe_usage(outcome.usage).model_dump()))
        return outcome

    async def execute(self, call: ToolCall, contract: Contract, caller: Caller, deadline: float, emit: Emit) -> ExecutedCall:
        """Run one call outside a conversation: the same code path and the same limits as in a turn."""
        calls = self._begin_calls(contract, caller, emit)
        batch = calls.parse((call,))
        await calls.run(batch, deadline)
        return calls.collect(batch)[0]

    def _begin_calls(self, contract: Contract, caller: Caller, emit: Emit) -> ToolCalls:
        make_context = partial(self._make_context, caller)
        return ToolCalls(
            contract=contract,
            engine=self._engine,
            limits=self._limits,
            schemas=self._schemas,
            make_context=make_context,
            emit=emit,
        )

    async def current_overrides(self, tenant: str) -> tuple[Override, ...]:
        """The administrators' overrides of a tenant."""
        return await self._overrides.current(tenant)

    async def expand(self, caller: Caller, intent: Intent) -> Expansion:
        """The first step alone."""
        request = PreprocessRequest((), intent, caller.source, await self.current_overrides(caller.tenant))
        return self._preprocessor().expand(request)

    async def prepare(self, caller: Caller, intent: Intent, messages: tuple[Message, ...], deadline: float) -> Prepared:
        """Expand, preselect, expose: on one snapshot of the catalog."""
        overrides = await self.current_overrides(caller.tenant)
        request = PreprocessRequest(messages, intent, caller.source, overrides, deadline=deadline)
        return await self._preprocessor().prepare(request)

    async def make_contract(self, caller: Caller, intent: Intent) -> tuple[Contract, Expansion]:
        """What may be called outside a conversation: everything that is available."""
        preprocessor = self._preprocessor()
        request = PreprocessRequest((), intent, caller.source, await self.current_overrides(caller.tenant))
        expansion = preprocessor.expand(request)
        return make_contract(preprocessor.catalog, expansion.available), expansion

    def _begin_loop(self, request: TurnRequest, prepared: Prepared, emit: Emit) -> ToolLoop:
        return ToolLoop(
            model=self._models.choose(prepared.preselection.extra, prepared.exposure.contract),
            calls=self._begin_calls(prepared.exposure.contract, request.caller, emit),
            texts=self._texts.turn,
            max_rounds=request.max_rounds,
            max_output_tokens=self._max_output_tokens,
            token_budget=request.token_budget,
            tokens_used=prepared.preselection.usage.total or prepared.preselection.prompt_tokens,
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


async def converse(
    loop: ToolLoop, request: TurnRequest, messages: tuple[Message, ...], tools: tuple[ToolDefinition, ...]
) -> TurnProblem | None:
    """Run the loop to its end or to the deadline; a problem is returned when there is something to answer with, else raised."""
    problem: TurnProblem
    try:
        async with asyncio.timeout(max(0.0, request.deadline - time.monotonic())) as timer:
            await loop.run(messages, tools)
        return None
    except TimeoutError:
        if not timer.expired():
            raise
        problem = DeadlineExceeded(request.timeout)
    except (ModelError, TokenBudgetExhausted) as error:
        too_late = isinstance(error, ModelTimeout) and time.monotonic() > request.deadline - DEADLINE_MARGIN
        problem = DeadlineExceeded(request.timeout) if too_late else error
    if not loop.state.has_something:
        raise problem
    return problem
