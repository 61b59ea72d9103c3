"""Ask the model, run what it calls, give back the results, until it answers."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Final

from apps.sdk.chat import (
    ChatModel,
    ChatRequest,
    ContextWindowExceeded,
    Message,
    ModelReply,
    TextDelta,
    ToolDefinition,
    Usage,
)
from apps.sdk.tokens import estimate_definition, estimate_message, estimate_reply, estimate_request
from service.models.history import LeftOut, PromptWindow, write_exchange
from service.models.replies import make_sendable
from service.turns.errors import BudgetSpent
from service.turns.events import Emit, Event
from service.turns.message_log import NO_LOG, MessageLog
from service.turns.request import TurnLimits
from service.turns.tool_calls import ExecutedCall, ToolCalls

SHORTENED: Final = "history_shortened"
"""The notice that the model was not shown all of the history."""


@dataclass(frozen=True, slots=True)
class Round:
    """One model call of the loop; `usage` is the provider's own count, zero where it gave none."""

    model: str
    finish_reason: str
    calls: tuple[str, ...]
    usage: Usage
    prompt_tokens_estimated: int


@dataclass(slots=True)
class LoopState:
    """What a turn has so far. It is always a valid history: no call is added without its result.

    `left_out` is what the model was not shown of the turns before, at its last call.
    """

    messages: list[Message] = field(default_factory=list)
    rounds: list[Round] = field(default_factory=list)
    executed: list[ExecutedCall] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    text: str = ""
    answered: bool = False
    notices: list[str] = field(default_factory=list)
    left_out: LeftOut = field(default_factory=LeftOut)

    @property
    def has_something(self) -> bool:
        return bool(self.text or self.executed)


class ToolLoop:
    """One turn's conversation with the main model. Make one per turn; `state` stays readable whatever `run` raises.

    `tokens_used` is what the turn has taken of its budget before; replies without usage count by the estimate. `last_call` is
    what the model is told when it is asked without tools.
    """

    def __init__(
        self,
        *,
        model: ChatModel,
        window: PromptWindow,
        calls: ToolCalls,
        limits: TurnLimits,
        tokens_used: int,
        last_call: str,
        emit: Emit,
        stream: bool,
        log: MessageLog = NO_LOG,
    ) -> None:
        self._model = model
        self._window = window
        self._calls = calls
        self._limits = limits
        self._last_call = last_call
        self._tokens_used = tokens_used
        self._emit = emit
        self._log = log
        self._stream = stream
        self.state = LoopState()

    async def run(self, history: Sequence[Message], tools: tuple[ToolDefinition, ...]) -> None:
        """Fill `state` until a model has answered. Raises `ModelError` when none does, `BudgetSpent` when none may."""
        cut_off = False
        for _ in range(self._limits.max_rounds):
            reply = await self._ask(history, tools)
            if not reply.tool_calls:
                break
            twice_cut_off = cut_off and reply.finish_reason == "length"
            cut_off = reply.finish_reason == "length"
            await self._run_calls(reply)
            if twice_cut_off:
                reply = await self._ask_without_tools(history)
                break
        else:
            reply = await self._ask_without_tools(history)
        if not reply.text.strip() and tools:
            reply = await self._ask_without_tools(history)
        self._take_answer(reply)

    async def _ask_without_tools(self, history: Sequence[Message]) -> ModelReply:
        """The last call of a turn: no tools, so that there is an answer."""
        self.state.notices.append("answered_without_tools")
        return await self._ask((*history,), (), closing=(Message("system", self._last_call),))

    async def _ask(
        self, history: Sequence[Message], tools: tuple[ToolDefinition, ...], closing: tuple[Message, ...] = ()
    ) -> ModelReply:
        """Ask with what fits of the history; with less of it where a model says that it is too long, or the budget that it is
        too dear: else a conversation that has grown beyond a turn's budget could never go on. All of this turn stays.
        """
        beside = sum(map(estimate_message, closing)) + sum(map(estimate_definition, tools))
        while True:
            fitting = self._window.fit((*history, *self.state.messages), beside)
            self._note_left_out(fitting.left_out)
            request = ChatRequest((*fitting.messages, *closing), tools, timeout=self._limits.time_left)
            try:
                return await self._send(request)
            except ContextWindowExceeded:
                was_told = bool(self.state.text)
                if was_told or not self._window.narrow(fitting, estimate_request(request)):
                    raise
            except BudgetSpent:
                if not self._window.narrow(fitting, self._limits.token_budget - self._tokens_used):
                    raise

    def _note_left_out(self, left_out: LeftOut) -> None:
        self.state.left_out = left_out
        if left_out.messages:
            self.state.notices.append(SHORTENED)

    async def _send(self, request: ChatRequest) -> ModelReply:
        estimate = estimate_request(request)
        if self._tokens_used + estimate > self._limits.token_budget:
            raise BudgetSpent(self._limits.token_budget)
        reply = await (self._receive(request) if self._stream else self._model.complete(request))
        self._tokens_used += reply.usage.total or estimate + estimate_reply(reply)
        self.state.usage += reply.usage
        called = tuple(call.name for call in reply.tool_calls)
        self.state.rounds.append(Round(reply.model, reply.finish_reason, called, reply.usage, estimate))
        return reply

    async def _receive(self, request: ChatRequest) -> ModelReply:
        """The streamed reply; its text is told as it comes and kept, in case the stream breaks."""
        self.state.text = ""
        async with aclosing(self._model.stream(request)) as parts:
            async for part in parts:
                if isinstance(part, ModelReply):
                    return part
                self._tell_text(part)
        raise AssertionError("a stream ends with its reply")  # the port's contract

    def _tell_text(self, delta: TextDelta) -> None:
        self.state.text += delta.text
        self._emit(Event("text.delta", {"text": delta.text, "round": len(self.state.rounds) + 1}))

    async def _run_calls(self, reply: ModelReply) -> None:
        batch = await self._calls.parse(reply.tool_calls, cut_off=reply.finish_reason == "length")
        try:
            await self._calls.run(batch, self._limits.deadline)
        finally:
            # also when this is cancelled: whatever happens, each call in the history has its one result
            self._take_results(reply, await self._calls.collect(batch))
        await self._log.flush()

    def _take_results(self, reply: ModelReply, executed: Sequence[ExecutedCall]) -> None:
        self.state.executed.extend(executed)
        results = [Message("tool", item.rendered.content, tool_call_id=item.call.id) for item in executed]
        exchange = tuple(write_exchange(reply.text, [make_sendable(item.call) for item in executed], results))
        self.state.messages.extend(exchange)
        self._log.add(exchange)

    def _take_answer(self, reply: ModelReply) -> None:
        self.state.text = reply.text
        self.state.answered = bool(reply.text.strip())
        if reply.finish_reason == "length":
            self.state.notices.append("answer_cut_off")
        if reply.finish_reason == "content_filter":
            self.state.notices.append("answer_filtered")
