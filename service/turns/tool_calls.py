"""The tool calls of one turn, from what the model wrote to what it is given back; tells of each as it comes and goes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import Final

from apps.sdk.chat import ToolCall
from apps.sdk.contract import Contract
from apps.sdk.threads import run_in_thread
from executor.calls import Call, CallBatch, parse_calls
from executor.dispatch import ContextMaker
from executor.engine.base import Engine
from executor.policy import Limits
from executor.render import Rendered, render_result
from executor.results import CallResult
from executor.run import TurnExecution
from executor.validation import SkillSchemas
from service.turns.events import Emit, Event
from service.views.results import summarise_result

MAX_READ_AT_ONCE: Final = 50_000
"""Characters of a reply's arguments; as many take a tenth of a second at worst (2 microseconds each)."""


@dataclass(frozen=True, slots=True)
class ExecutedCall:
    """One call: what was written, what came back, and the text that the model is given."""

    call: ToolCall
    result: CallResult
    rendered: Rendered


class ToolCalls:
    """Made once per turn, since its limits and its memory of results are the turn's."""

    def __init__(
        self,
        *,
        contract: Contract,
        engine: Engine,
        limits: Limits,
        schemas: SkillSchemas,
        make_context: ContextMaker,
        emit: Emit,
        renderers: Executor,
    ) -> None:
        self._contract = contract
        self._limits = limits
        self._schemas = schemas
        self._execution = TurnExecution(engine, contract, limits, make_context, self)
        self._emit = emit
        self._renderers = renderers
        self._written: dict[str, ToolCall] = {}
        self._executed: dict[str, ExecutedCall] = {}

    async def parse(self, calls: Sequence[ToolCall], *, cut_off: bool = False) -> CallBatch:
        """What is to run; ids must be new to this turn. `cut_off`: the reply ended at its token limit, so nothing of it runs.

        Many arguments are read in a thread: megabytes take seconds, in which nobody else would be served.
        """
        self._written.update((call.id, call) for call in calls)
        read = partial(parse_calls, calls, self._contract, self._limits, schemas=self._schemas, cut_off=cut_off)
        large = sum(len(call.arguments) for call in calls) > MAX_READ_AT_ONCE
        return await run_in_thread(read, "reading of arguments") if large else read()

    async def run(self, batch: CallBatch, deadline: float) -> None:
        """Run the batch; raises nothing but the caller's own cancellation."""
        await self._execution.run(batch, deadline)

    async def collect(self, batch: CallBatch) -> tuple[ExecutedCall, ...]:
        """One result for each call, in order, also for what was cancelled or never began."""
        for result in self._execution.results_after_cancel(batch).results:
            if result.call_id not in self._executed:
                await self.call_finished(result)
        return tuple(self._executed[call.id] for call in batch.calls)

    async def call_started(self, call: Call) -> None:
        """Tell that a call begins."""
        arguments = self._written[call.id].arguments
        self._emit(Event("tool.started", {"id": call.id, "name": call.name, "arguments": arguments}))

    async def call_finished(self, result: CallResult) -> None:
        """Render the result at once, so that whoever listens sees what the model will see.

        In a thread, since megabytes take tenths of a second, in which nobody else would be served; not in one of the loop's
        own, which authors use too and may leave hanging.
        """
        skill = self._contract.skills.get(result.name)
        loop = asyncio.get_running_loop()
        rendered = await loop.run_in_executor(self._renderers, render_result, result, skill, self._limits)
        self._executed[result.call_id] = ExecutedCall(self._written[result.call_id], result, rendered)
        self._emit(Event("tool.finished", summarise_result(result, rendered)))
