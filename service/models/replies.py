"""From what a provider sent (`chat.completion` as JSON) to a `ModelReply`; nothing it sends is trusted to be there or to fit."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from itertools import count

from apps.sdk.chat import ChatRequest, FinishReason, ModelReply, ToolCall, Usage
from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.names import MAX_TOOL_NAME

UNSAFE_IN_NAME = re.compile(r"[^A-Za-z0-9_-]")

MAX_COUNT = 2**53
"""Most tokens that a reply is believed to have cost: what every JSON reader takes, and a thousand of them fit in 64 bits."""


class NoReply(Exception):
    """What came is no reply at all; the text says why and quotes nothing of it."""


class OversizedReply(NoReply):
    """The reply goes beyond what is read of one; asking again would cost as much and come to the same."""


def read_reply(payload: JsonObject, model: str, taken: Collection[str] = ()) -> ModelReply:
    """The reply in `payload`; `taken` are call ids that its calls may not have. Raises `NoReply`."""
    choice = first_choice(payload)
    if choice is None:
        raise NoReply("the reply holds no choices")
    message = _object(choice.get("message"))
    calls = repair_ids((_read_call(call) for call in _list(message.get("tool_calls"))), taken)
    return ModelReply(
        text=clean_text(read_text(message.get("content"))),
        tool_calls=calls,
        finish_reason=read_finish_reason(choice.get("finish_reason"), calls),
        model=model,
        usage=read_usage(payload.get("usage")),
    )


def first_choice(payload: JsonObject) -> JsonObject | None:
    choices = _list(payload.get("choices"))
    return _object(choices[0]) if choices else None


def read_text(content: Json) -> str:
    """A message's words: its text, or that of its text blocks."""
    if isinstance(content, str):
        return content
    blocks = (_object(block) for block in _list(content))
    return "".join(str(block.get("text") or "") for block in blocks if block.get("type") == "text")


def clean_text(text: str) -> str:
    """The text with each half of a surrogate pair replaced: an emoji cut by a token limit cannot be written as UTF-8."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def read_usage(usage: Json) -> Usage:
    counts = _object(usage)
    details = _object(counts.get("prompt_tokens_details"))
    return Usage(
        prompt_tokens=_count(counts.get("prompt_tokens")),
        completion_tokens=_count(counts.get("completion_tokens")),
        cached_tokens=_count(details.get("cached_tokens")),
    )


def read_finish_reason(reason: Json, calls: Collection[ToolCall]) -> FinishReason:
    """`length` and `content_filter` as they are; anything else is what the reply really holds."""
    match reason:
        case "length":
            return "length"
        case "content_filter":
            return "content_filter"
        case _:
            return "tool_calls" if calls else "stop"


def repair_ids(calls: Iterable[ToolCall], taken: Collection[str] = (), *, start: int = 1) -> tuple[ToolCall, ...]:
    """The calls in clean text, with ids that are not empty and differ from each other and from `taken`.

    A new id is the first free `call_<n>` from `start`. Some servers count anew in every reply; providers refuse repeated ids.
    """
    written = list(calls)
    own = {call.id for call in written}
    free = (name for number in count(start) if (name := f"call_{number}") not in taken and name not in own)
    used = {""}
    repaired: list[ToolCall] = []
    for call in written:
        call_id = next(free) if call.id in used or call.id in taken else call.id
        used.add(call_id)
        repaired.append(ToolCall(clean_text(call_id), clean_text(call.name), clean_text(call.arguments)))
    return tuple(repaired)


def make_sendable(call: ToolCall) -> ToolCall:
    """A call as every provider takes it in a history, whatever a model once wrote: a plain name, arguments that are an object."""
    name = UNSAFE_IN_NAME.sub("_", call.name)[:MAX_TOOL_NAME] or "unnamed"
    return ToolCall(call.id, name, call.arguments if is_object(call.arguments) else "{}")


def is_object(text: str) -> bool:
    """Whether the text is one JSON object."""
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def taken_ids(request: ChatRequest) -> frozenset[str]:
    """The call ids that a request's history holds."""
    return frozenset(call.id for message in request.messages for call in message.tool_calls)


def _read_call(call: Json) -> ToolCall:
    function = _object(_object(call).get("function"))
    arguments = function.get("arguments")
    return ToolCall(
        id=str(_object(call).get("id") or ""),
        name=str(function.get("name") or ""),
        arguments=arguments if isinstance(arguments, str) else json.dumps(arguments) if arguments else "",
    )


def _object(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _count(value: Json) -> int:
    return max(0, min(value, MAX_COUNT)) if isinstance(value, int) and not isinstance(value, bool) else 0
