"""From what a provider sent (`chat.completion` as JSON) to a `ModelReply`; nothing it sends is trusted to be there or to fit."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from itertools import count

from apps.sdk.chat import ChatRequest, FinishReason, ModelReply, ToolCall, Usage
from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.names import MAX_TOOL_NAME
from executor.arguments import parse_arguments
from executor.errors import CallError

UNSAFE_IN_NAME = re.compile(r"[^A-Za-z0-9_-]")

_HALF_CHARACTER = re.compile(r"\\u[dD][89a-fA-F]")
_NO_JSON = re.compile("NaN|Infinity")

_THOUGHT = "__thought__"

USABLE_ID = re.compile(rf"[A-Za-z0-9_-]{{1,40}}(?:{_THOUGHT}[A-Za-z0-9+/=_-]+)?")
"""Call ids that every provider takes: OpenAI's at most 40 characters of Anthropic's alphabet. litellm appends Gemini's
`thought_signature`, which Gemini wants back, and takes it off again for the others."""

MAX_CALLS = 1_000
"""Most calls of one reply: far more than any turn carries out."""

MAX_CHARACTERS = 4_000_000
"""Longest reply, arguments included: ten times the longest output of today's models (128,000 tokens)."""

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
    message = read_object(choice.get("message"))
    written = read_list(message.get("tool_calls"))
    if len(written) > MAX_CALLS:
        raise OversizedReply(f"the reply holds more than {MAX_CALLS} calls")
    text, read = read_text(message.get("content")), [_read_call(call) for call in written]
    check_length(len(text) + sum(len(call.name) + len(call.arguments) for call in read))
    calls = repair_ids(read, taken)
    return ModelReply(
        text=clean_text(text),
        tool_calls=calls,
        finish_reason=read_finish_reason(choice.get("finish_reason"), calls),
        model=model,
        usage=read_usage(payload.get("usage")),
    )


def check_length(characters: int) -> None:
    """Raise `OversizedReply` for a reply of more characters than are read of one."""
    if characters > MAX_CHARACTERS:
        raise OversizedReply(f"the reply is longer than {MAX_CHARACTERS} characters")


def first_choice(payload: JsonObject) -> JsonObject | None:
    choices = read_list(payload.get("choices"))
    return read_object(choices[0]) if choices else None


def read_text(content: Json) -> str:
    """A message's words: its text, or that of its text blocks."""
    if isinstance(content, str):
        return content
    blocks = (read_object(block) for block in read_list(content))
    return "".join(str(block.get("text") or "") for block in blocks if block.get("type") == "text")


def clean_text(text: str) -> str:
    """The text with each half of a surrogate pair replaced: an emoji cut by a token limit cannot be written as UTF-8."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def read_usage(usage: Json) -> Usage:
    counts = read_object(usage)
    details = read_object(counts.get("prompt_tokens_details"))
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
    """The calls in clean text, with ids that every provider takes and that differ from each other and from `taken` (plain ids).

    A new id is the first free `call_<n>` from `start`. Some servers count anew in every reply; providers refuse repeated ids.
    """
    written = list(calls)
    own = {plain_id(call.id) for call in written}
    free = (name for number in count(start) if (name := f"call_{number}") not in taken and name not in own)
    used: set[str] = set()
    repaired: list[ToolCall] = []
    for call in written:
        plain = plain_id(call.id)
        keeps = plain and plain not in used and plain not in taken and USABLE_ID.fullmatch(call.id)
        call_id = call.id if keeps else next(free)
        used.add(plain_id(call_id))
        repaired.append(ToolCall(call_id, clean_text(call.name), clean_text(call.arguments)))
    return tuple(repaired)


def plain_id(call_id: str) -> str:
    """The id without what litellm appends, as other providers than Gemini get it."""
    return call_id.partition(_THOUGHT)[0]


def make_sendable(call: ToolCall) -> ToolCall:
    """A call as every provider takes it in a history, whatever a model once wrote: a plain name, arguments that are an object."""
    name = UNSAFE_IN_NAME.sub("_", call.name)[:MAX_TOOL_NAME] or "unnamed"
    return ToolCall(call.id, name, _make_object(call.arguments))


def _make_object(text: str) -> str:
    """The text of one JSON object: `text` itself, what is encoded in it, or an empty one for what cannot be read."""
    if is_strict_object(text) and not _HALF_CHARACTER.search(text):
        return text
    arguments = parse_arguments(text)
    return "{}" if isinstance(arguments, CallError) else json.dumps(arguments, ensure_ascii=False)


def is_strict_object(text: str) -> bool:
    """Whether the text is one JSON object to every reader: `NaN`, which Python takes, is no JSON."""
    return is_object(text) and not (_NO_JSON.search(text) and isinstance(parse_arguments(text), CallError))


def is_object(text: str) -> bool:
    """Whether the text is one JSON object."""
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def taken_ids(request: ChatRequest) -> frozenset[str]:
    """The call ids that a request's history holds, plain."""
    return frozenset(plain_id(call.id) for message in request.messages for call in message.tool_calls)


def write_arguments(arguments: Json) -> str:
    """Arguments as text: some servers send them parsed; none at all is the empty text."""
    if arguments is None:
        return ""
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


def read_word(value: Json) -> str:
    """A name or an id as text; what is neither text nor a number is none."""
    return value if isinstance(value, str) else str(value) if type(value) is int else ""


def read_object(value: Json) -> JsonObject:
    """The object, or an empty one where something else came."""
    return value if isinstance(value, dict) else {}


def read_list(value: Json) -> list[Json]:
    """The list, or an empty one where something else came."""
    return value if isinstance(value, list) else []


def _read_call(call: Json) -> ToolCall:
    function = read_object(read_object(call).get("function"))
    return ToolCall(
        id=read_word(read_object(call).get("id")),
        name=read_word(function.get("name")),
        arguments=write_arguments(function.get("arguments")),
    )


def _count(value: Json) -> int:
    return max(0, min(value, MAX_COUNT)) if isinstance(value, int) and not isinstance(value, bool) else 0
