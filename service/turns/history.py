"""What a caller or a model wrote, made into a history that every provider accepts: each tool call has its one result."""

from __future__ import annotations

from collections.abc import Iterator, MutableSequence, Sequence
from dataclasses import dataclass, replace
from functools import cache

from apps.sdk.chat import Message, ToolCall
from executor.errors import CallError
from executor.policy import Limits
from executor.render import render_result
from executor.results import CallResult
from service.models.replies import repair_ids

ABANDONED = CallError("abandoned", "This call was never answered.", retryable=True)


@dataclass(frozen=True, slots=True)
class History:
    """A valid history and what had to be done for it, one line each."""

    messages: tuple[Message, ...]
    repairs: tuple[str, ...] = ()


def repair_history(messages: Sequence[Message]) -> History:
    """Answer open calls as abandoned, drop results that answer no call, rename ids that come twice; keep the rest as it is."""
    repaired: list[Message] = []
    repairs: list[str] = []
    taken: set[str] = set()
    for message, results in _group_results(messages):
        if message.role == "tool":
            repairs.append(f"a result for the unknown call {message.tool_call_id!r} was left out")
            continue
        calls = repair_ids(message.tool_calls, taken, start=len(taken) + 1)
        taken.update(call.id for call in calls)
        repaired.append(replace(message, tool_calls=calls))
        for written, call in zip(message.tool_calls, calls, strict=True):
            if call.id != written.id:
                repairs.append(f"the call id {written.id!r} came twice; one of them became {call.id!r}")
            result = _take_result(results, written.id)
            if result is None:
                repairs.append(f"the call {call.id!r} had no result and is marked as abandoned")
            repaired.append(replace(result or _abandon(call), tool_call_id=call.id))
        repairs.extend(f"a result for the unknown call {unknown.tool_call_id!r} was left out" for unknown in results)
    return History(tuple(repaired), tuple(repairs))


def _abandon(call: ToolCall) -> Message:
    """The result of a call that has none, as a model is shown any other error."""
    return Message("tool", render_abandoned(), tool_call_id=call.id)


@cache
def render_abandoned() -> str:
    """The text of such a result, the same for every call."""
    return str(render_result(CallResult("", "an earlier call", "error", error=ABANDONED), None, Limits()).content)


def _take_result(results: MutableSequence[Message], call_id: str) -> Message | None:
    """The first of `results` for the call, taken out."""
    position = next((place for place, result in enumerate(results) if result.tool_call_id == call_id), None)
    return None if position is None else results.pop(position)


def _group_results(messages: Sequence[Message]) -> Iterator[tuple[Message, list[Message]]]:
    """Each message with the tool results that directly follow it; a result that follows no assistant message stands alone."""
    position = 0
    while position < len(messages):
        message = messages[position]
        position += 1
        results: list[Message] = []
        while message.role == "assistant" and position < len(messages) and messages[position].role == "tool":
            results.append(messages[position])
            position += 1
        yield message, results
