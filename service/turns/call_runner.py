"""Runs calls the same way wherever they come from: a model's reply, HTTP or the command line."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final

from apps.sdk.catalog import SkillSpec
from apps.sdk.chat import ToolCall
from apps.sdk.contract import Contract
from apps.sdk.skill import Cancellation, SkillContext
from executor.engine.base import Engine
from executor.policy import Limits
from executor.validation import SkillSchemas
from service.turns.events import Emit
from service.turns.request import Caller
from service.turns.tool_calls import ExecutedCall, ToolCalls

RENDERERS: Final = 2
"""Threads that render results; more would not be quicker, since the work is Python's own."""


class CallRunner:
    """Holds what all turns share: the engine, the limits, the compiled schemas and how a skill's context is made."""

    def __init__(
        self, engine: Engine, limits: Limits, make_context: Callable[[Caller, SkillSpec, str, float, Cancellation], SkillContext]
    ) -> None:
        self._engine = engine
        self._limits = limits
        self._make_context = make_context
        self._schemas = SkillSchemas()
        self._renderers = ThreadPoolExecutor(RENDERERS, thread_name_prefix="render")

    def begin_turn(self, contract: Contract, caller: Caller, emit: Emit) -> ToolCalls:
        """The calls of one turn, under limits of their own."""
        return ToolCalls(
            contract=contract,
            engine=self._engine,
            limits=self._limits,
            schemas=self._schemas,
            make_context=partial(self._make_context, caller),
            emit=emit,
            renderers=self._renderers,
        )

    async def run_one(self, call: ToolCall, contract: Contract, caller: Caller, deadline: float, emit: Emit) -> ExecutedCall:
        """One call as a turn of its own; `deadline` is in seconds of `time.monotonic()`."""
        calls = self.begin_turn(contract, caller, emit)
        batch = await calls.parse((call,))
        await calls.run(batch, deadline)
        return (await calls.collect(batch))[0]
