"""Replies cut up at random, as no one provider does and all of them together might: what comes out is what was said."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from hypothesis import given
from hypothesis import strategies as st

from apps.sdk.chat import ModelReply
from apps.sdk.jsontypes import Json, JsonObject
from service.models.chunks import ReplyAssembler
from service.models.replies import NoReply, is_object, read_reply

TOOLS = ["web-search", "web-read", "notes-add", "a-b", "c-d"]
NAMES = st.sampled_from([*TOOLS, "a-b", "made-up"])
OBJECTS = st.dictionaries(st.text(max_size=3), st.integers() | st.text('ab"\\{}[]\n', max_size=8), min_size=1, max_size=2).map(
    json.dumps
)
ARGUMENTS = OBJECTS | st.sampled_from(["", "{}", '{"x": [1, 2', "no json", '{"a": "}"}', " "])
REASONS = st.sampled_from(["stop", "tool_calls", "length", "content_filter", "function_call", "", None])
Style: TypeAlias = Literal["every", "first", "never"]


@dataclass(frozen=True, slots=True)
class Said:
    """One call as the model meant it."""

    name: str
    arguments: str


SAID = st.builds(Said, NAMES, ARGUMENTS)


def whole(text: str, calls: Sequence[Said], ids: Sequence[str], reason: str | None) -> ModelReply | None:
    """The same reply in one piece; None when it says nothing at all."""
    wire = [
        {"id": call_id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
        for call, call_id in zip(calls, ids, strict=True)
    ]
    reply = read_reply({"choices": [{"message": {"content": text, "tool_calls": wire}, "finish_reason": reason}]}, "m")
    return reply if reply.text or reply.tool_calls or reply.finish_reason != "stop" else None


def streamed(deltas: Sequence[Json], reason: str | None) -> ModelReply | None:
    assembler = ReplyAssembler(known=TOOLS)
    for delta in deltas:
        assembler.add({"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
    assembler.add({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
    assembler.add({"choices": []})
    try:
        return assembler.finish("m")
    except NoReply:
        return None


def cut(draw: st.DrawFn, text: str) -> list[str]:
    """The text in pieces, empty ones among them."""
    places = sorted(draw(st.lists(st.integers(0, len(text)), max_size=4)))
    return [text[start:end] for start, end in zip([0, *places], [*places, len(text)], strict=True)]


def in_turns(draw: st.DrawFn, series: list[list[JsonObject]]) -> list[JsonObject]:
    """One piece after the other, each series in its own order."""
    left = [list(pieces) for pieces in series if pieces]
    merged: list[JsonObject] = []
    while left:
        chosen = draw(st.sampled_from(range(len(left))))
        merged.append(left[chosen].pop(0))
        left = [pieces for pieces in left if pieces]
    return merged


def pieces_of(draw: st.DrawFn, call: Said, labels: JsonObject, names: Literal["first", "cut", "every"]) -> list[JsonObject]:
    """The pieces of one call, all with its labels."""
    parts = cut(draw, call.arguments)
    if names == "cut":
        heads = [{**labels, "function": {"name": piece, "arguments": ""}} for piece in cut(draw, call.name)]
        return heads + [{**labels, "function": {"arguments": part}} for part in parts]
    heads = [{**labels, "function": {"name": call.name, "arguments": draw(st.sampled_from(["", None]))}}]
    repeated: JsonObject = {"name": call.name} if names == "every" else draw(st.sampled_from([{}, {"name": None}, {"name": ""}]))
    return heads + [{**labels, "function": {**repeated, "arguments": part}} for part in parts]


def gather(draw: st.DrawFn, pieces: list[JsonObject], text: str) -> list[Json]:
    """The deltas: a piece or some of them in each, text in between, and empty ones."""
    deltas: list[Json] = []
    while pieces:
        size = draw(st.integers(1, 3))
        deltas.append({"content": draw(st.sampled_from([None, ""])), "tool_calls": pieces[:size]})
        pieces = pieces[size:]
    for part in cut(draw, text):
        deltas.insert(draw(st.integers(0, len(deltas))) if not text else len(deltas), {"content": part})
    for empty in draw(
        st.lists(st.sampled_from([{}, None, {"content": None}, {"tool_calls": None}, {"role": "assistant"}]), max_size=2)
    ):
        deltas.insert(draw(st.integers(0, len(deltas))), empty)
    return deltas


@given(st.data(), st.lists(SAID, max_size=4), st.sampled_from(["first", "cut", "every"]), st.booleans())
def test_calls_with_labels_come_in_any_order(
    data: st.DataObject, calls: list[Said], names: Literal["first", "cut", "every"], with_ids: bool
) -> None:
    """hostile F: pieces of several calls in turns, each with its index and perhaps an id: the same as the whole reply."""
    draw: st.DrawFn = data.draw  # type: ignore[assignment]
    text, reason = draw(st.text(max_size=12)), draw(REASONS)
    if (
        names == "every"
    ):  # a name beside a whole object and more after it would be another call, an unknown one twice a longer name
        calls = [call for call in calls if call.name in TOOLS and (is_object(call.arguments) or with_ids)]
    ids = [f"id_{number}" if with_ids else "" for number in range(len(calls))]
    series = [
        pieces_of(draw, call, {"index": number, **({"id": call_id} if call_id else {})}, names)
        for number, (call, call_id) in enumerate(zip(calls, ids, strict=True))
    ]
    if names == "every":
        series = [
            [*pieces[:1], *(piece for piece in pieces[1:] if piece["function"]["arguments"] or with_ids)] for pieces in series
        ]
    assert streamed(gather(draw, in_turns(draw, series), text), reason) == whole(text, calls, ids, reason)


@given(st.data(), st.lists(st.builds(Said, NAMES, OBJECTS), max_size=4), st.sampled_from(["first", "every", "never"]))
def test_calls_one_after_the_other_need_no_index(data: st.DataObject, calls: list[Said], ids: Style) -> None:
    """hostile F: with an id in each piece, in the first or in none: the same as the whole reply."""
    draw: st.DrawFn = data.draw  # type: ignore[assignment]
    named = [f"id_{number}" if ids != "never" else "" for number in range(len(calls))]
    pieces: list[JsonObject] = []
    for call, call_id in zip(calls, named, strict=True):
        own = pieces_of(draw, call, {"id": call_id}, "first")
        pieces += own if ids != "first" else [own[0], *({**piece, "id": None} for piece in own[1:])]
    assert streamed(gather(draw, pieces, ""), None) == whole("", calls, named, None)


@given(st.data(), st.lists(st.builds(Said, st.sampled_from(TOOLS), ARGUMENTS), min_size=2, max_size=4))
def test_names_without_any_label_are_never_glued(data: st.DataObject, calls: list[Said]) -> None:
    """hostile F: in turns, without id and index, nobody can tell whose arguments are whose; but no two names become one."""
    draw: st.DrawFn = data.draw  # type: ignore[assignment]
    series = [pieces_of(draw, call, {}, "first") for call in calls]
    reply = streamed(gather(draw, in_turns(draw, series), ""), "tool_calls")
    assert reply is not None
    assert {call.name for call in reply.tool_calls} == {call.name for call in calls}


def test_two_calls_without_arguments_id_or_index_are_two() -> None:
    """hostile F: `a-b` and `c-d` never become `a-bc-d`; a name once more is the same call."""
    deltas = [{"tool_calls": [{"function": {"name": name, "arguments": ""}}]} for name in ("a-b", "a-b", "c-d")]
    reply = streamed(deltas, "tool_calls")
    assert reply is not None
    assert [call.name for call in reply.tool_calls] == ["a-b", "c-d"]


def test_arguments_that_come_parsed_are_written_as_json() -> None:
    """hostile D: an object instead of text, in a stream and in a whole reply."""
    call = {"index": 0, "id": "x", "function": {"name": "a-b", "arguments": {"größe": [True, None]}}}
    reply = streamed([{"tool_calls": [call]}], "tool_calls")
    assert reply is not None
    assert reply.tool_calls[0].arguments == '{"größe": [true, null]}'
    assert read_reply({"choices": [{"message": {"tool_calls": [call]}}]}, "m").tool_calls == reply.tool_calls


JSON: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4) | NAMES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["tool_calls", "function", "name", "arguments", "index", "id", "content", "x"]), inner)
    ),
    max_leaves=10,
)


@given(st.lists(JSON, max_size=5), JSON)
def test_any_json_in_a_stream_is_survived(deltas: list[Json], reason: Json) -> None:
    """Whatever stands where a delta should: a reply or the error that there is none."""
    reply = streamed(deltas, reason)
    assert reply is None or reply.finish_reason in {"stop", "tool_calls", "length", "content_filter"}
