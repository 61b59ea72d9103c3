"""What a caller or a model wrote, made into a history that every provider accepts: each tool call has its one result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import orjson

from apps.sdk.chat import Message, ToolCall

ABANDONED = "status: abandoned\nThis call was never answered."


@dataclass(frozen=True, slots=True)
class History:
    """A valid history and what had to be done for it, one line each."""

    messages: tuple[Message, ...]
    repairs: tuple[str, ...] = ()


def repair_history(messages: Sequence[Message]) -> History:
    """Answer open calls as abandoned, drop results that answer no call, keep everything else as it is."""
    repaired: list[Message] = []
    repairs: list[str] = []
    for message, results in _group_results(messages):
        if message.role == "tool":
            repairs.append(f"a result for the unknown call {message.tool_call_id!r} was left out")
            continue
        repaired.append(message)
        by_id = {result.tool_call_id: result for result in reversed(results)}
        for call in message.tool_calls:
            result = by_id.pop(call.id, None)
            if result is None:
                repairs.append(f"the call {call.id!r} had no result and is marked as abandoned")
                result = Message("tool", ABANDONED, tool_call_id=call.id)
            repaired.append(result)
        repairs.extend(f"a result for the unknown call {unknown!r} was left out" for unknown in by_id)
    return History(tuple(repaired), tuple(repairs))


def keep_parsable(call: ToolCall) -> ToolCall:
    """The call as it goes into history: arguments that are no JSON object become `{}`, or providers refuse the history."""
    try:
        if isinstance(orjson.loads(call.arguments), dict):
            return call
    except orjson.JSONDecodeError:
        pass
    return replace(call, arguments="{}")


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
