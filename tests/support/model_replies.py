"""What a scripted model answers, as records, and their OpenAI wire form: `Answer` is one of

Reply           text and tool calls, the same description for streaming and not
HttpError       a status with the provider's usual error object
Raw             these bytes, whatever they are (junk, HTML, `{"choices": []}`)
Hang            nothing for some seconds, then another answer
Drip            another answer, one byte per interval
Cut             the beginning of another answer, then the connection breaks
Disconnect      the connection closes before the first byte
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal, TypeAlias

from apps.sdk.jsontypes import Json, JsonObject

Where: TypeAlias = Literal["every", "first", "never"]


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call as the model writes it. `arguments` may be any text; a mapping is written as JSON. `id` None = made up."""

    name: str
    arguments: str | JsonObject = "{}"
    id: str | None = None

    @property
    def arguments_text(self) -> str:
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Pieces:
    """How calls are cut up when streamed: `size` characters of arguments a piece, pieces of several calls in turns."""

    size: int = 16
    interleaved: bool = False
    ids: Where = "first"
    indexes: Where = "every"
    name_size: int | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply. `finish_reason` None = what fits. `usage` = (prompt, completion, cached) tokens, None = not reported.

    `deltas` replaces the streamed pieces: each is one `delta` object, sent as it is.
    """

    text: str = ""
    calls: Sequence[Call] = ()
    finish_reason: str | None = None
    usage: tuple[int, int, int] | None = (10, 5, 0)
    pieces: Pieces = Pieces()
    deltas: Sequence[JsonObject] | None = None
    model: str | None = None

    @property
    def reason(self) -> str:
        return self.finish_reason or ("tool_calls" if self.calls else "stop")


@dataclass(frozen=True, slots=True)
class HttpError:
    status: int
    message: str = "scripted failure"
    code: str | None = None
    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class Raw:
    body: str | bytes
    status: int = 200
    content_type: str = "application/json"

    @property
    def bytes(self) -> bytes:
        return self.body.encode() if isinstance(self.body, str) else self.body


@dataclass(frozen=True, slots=True)
class Hang:
    seconds: float
    then: Answer = Reply("late")


@dataclass(frozen=True, slots=True)
class Drip:
    answer: Answer
    interval: float = 0.01


@dataclass(frozen=True, slots=True)
class Cut:
    """`share` of the bytes arrive; 0 = only the headers do."""

    answer: Answer
    share: float = 0.5


@dataclass(frozen=True, slots=True)
class Disconnect:
    pass


Plain: TypeAlias = Reply | HttpError | Raw | Disconnect
Answer: TypeAlias = Plain | Hang | Drip | Cut

EMPTY_CHOICES = Raw('{"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": []}')
JUNK = Raw("<html><body>Bad gateway</body></html>", content_type="text/html")


def write_body(reply: Reply, model: str, number: int) -> bytes:
    """The whole reply as one `chat.completion` object."""
    message: JsonObject = {"role": "assistant", "content": reply.text or None}
    if reply.calls:
        message["tool_calls"] = [_whole_call(call, f"call_{number}_{index}") for index, call in enumerate(reply.calls)]
    body: JsonObject = {
        **_envelope("chat.completion", reply, model, number),
        "choices": [{"index": 0, "message": message, "finish_reason": reply.reason}],
    }
    if reply.usage:
        body["usage"] = _usage(reply.usage)
    return json.dumps(body).encode()


def write_events(reply: Reply, model: str, number: int, *, with_usage: bool) -> bytes:
    """The whole reply as server-sent `chat.completion.chunk` events, closed by `[DONE]`."""
    envelope = _envelope("chat.completion.chunk", reply, model, number)

    def event(choices: list[Json], **more: Json) -> bytes:
        return b"data: " + json.dumps({**envelope, "choices": choices, **more}).encode() + b"\n\n"

    deltas = reply.deltas if reply.deltas is not None else list(_deltas(reply, number))
    events = [event([{"index": 0, "delta": delta, "finish_reason": None}]) for delta in deltas]
    events.append(event([{"index": 0, "delta": {}, "finish_reason": reply.reason}]))
    if with_usage and reply.usage:
        events.append(event([], usage=_usage(reply.usage)))
    return b"".join([*events, b"data: [DONE]\n\n"])


def write_error(error: HttpError) -> bytes:
    return json.dumps({"error": {"message": error.message, "type": "scripted", "code": error.code, "param": None}}).encode()


def cut_text(text: str, size: int) -> list[str]:
    """`text` in pieces of at most `size` characters; one empty piece for an empty text."""
    return [text[start : start + size] for start in range(0, len(text), size)] or [""]


def _envelope(kind: str, reply: Reply, model: str, number: int) -> JsonObject:
    return {"id": f"chatcmpl-{number}", "object": kind, "created": 1_700_000_000, "model": reply.model or model}


def _usage(counts: tuple[int, int, int]) -> JsonObject:
    prompt, completion, cached = counts
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": cached},
    }


def _whole_call(call: Call, made_up_id: str) -> JsonObject:
    call_id = made_up_id if call.id is None else call.id
    return {"id": call_id, "type": "function", "function": {"name": call.name, "arguments": call.arguments_text}}


def _deltas(reply: Reply, number: int) -> Iterator[JsonObject]:
    yield {"role": "assistant", "content": ""}
    if reply.text:
        yield from ({"content": piece} for piece in cut_text(reply.text, reply.pieces.size))
    series = [list(_call_pieces(call, index, number, reply.pieces)) for index, call in enumerate(reply.calls)]
    for piece in _in_turns(series) if reply.pieces.interleaved else (piece for pieces in series for piece in pieces):
        yield {"tool_calls": [piece]}


def _in_turns(series: Iterable[list[JsonObject]]) -> Iterator[JsonObject]:
    return (piece for row in zip_longest(*series) for piece in row if piece is not None)


def _call_pieces(call: Call, index: int, number: int, pieces: Pieces) -> Iterator[JsonObject]:
    names = cut_text(call.name, pieces.name_size or 1000)
    functions: list[JsonObject] = [{"name": name, "arguments": ""} for name in names]
    functions += [{"arguments": piece} for piece in cut_text(call.arguments_text, pieces.size) if piece]
    for position, function in enumerate(functions):
        piece: JsonObject = {"function": function}
        if _is_sent(pieces.indexes, position):
            piece["index"] = index
        if _is_sent(pieces.ids, position):
            piece |= {"id": f"call_{number}_{index}" if call.id is None else call.id, "type": "function"}
        yield piece


def _is_sent(where: Where, position: int) -> bool:
    return where == "every" or (where == "first" and position == 0)
