"""Streamed replies are put back together, whatever way a provider cuts them up (case 46)."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.sdk.chat import ToolCall, Usage
from apps.sdk.jsontypes import JsonObject
from service.models import chunks as streams
from service.models import replies
from service.models.chunks import CallAssembler, ReplyAssembler, _Draft
from service.models.replies import MAX_CALLS, NoReply, OversizedReply, is_object
from tests.support.model_replies import Call, Pieces, Reply, Where, write_events

NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,8}-[a-z][a-z0-9_-]{0,12}", fullmatch=True)
ARGUMENTS = st.dictionaries(st.text(max_size=5), st.none() | st.integers() | st.text(max_size=20) | st.lists(st.text(max_size=4)))
PIECES = st.integers(1, 9)


def call_lists(max_size: int = 4) -> st.SearchStrategy[list[Call]]:
    call = st.builds(Call, name=NAMES, arguments=ARGUMENTS)
    return st.lists(call, min_size=1, max_size=max_size)


def chunks_of(reply: Reply) -> list[JsonObject]:
    lines = write_events(reply, "m", 1, with_usage=True).decode().split("\n\n")
    return [json.loads(line.removeprefix("data: ")) for line in lines if line and not line.endswith("[DONE]")]


def assemble(reply: Reply) -> tuple[ToolCall, ...]:
    assembler = ReplyAssembler()
    for chunk in chunks_of(reply):
        assembler.add(chunk)
    return assembler.finish("m").tool_calls


def written(calls: Sequence[Call]) -> list[tuple[str, str]]:
    return [(call.name, call.arguments_text) for call in calls]


def read(calls: Sequence[ToolCall]) -> list[tuple[str, str]]:
    return [(call.name, call.arguments) for call in calls]


@given(call_lists(), PIECES, st.none() | PIECES, st.sampled_from(["every", "first", "never"]))
def test_interleaved_pieces_with_an_index(calls: list[Call], size: int, name_size: int | None, ids: Where) -> None:
    """Case 46: pieces of several calls in turns, with or without ids, names in pieces too."""
    assert read(assemble(Reply(calls=calls, pieces=Pieces(size, interleaved=True, ids=ids, name_size=name_size)))) == written(
        calls
    )


@given(call_lists(), PIECES, st.none() | PIECES)
def test_interleaved_pieces_with_an_id_each_and_no_index(calls: list[Call], size: int, name_size: int | None) -> None:
    """Case 46: an id in every piece is enough."""
    pieces = Pieces(size, interleaved=True, ids="every", indexes="never", name_size=name_size)
    assert read(assemble(Reply(calls=calls, pieces=pieces))) == written(calls)


@given(call_lists(), PIECES, st.sampled_from(["first", "never"]))
def test_calls_one_after_the_other_need_neither_id_nor_index(calls: list[Call], size: int, ids: Where) -> None:
    """Case 46: a name after whole arguments begins the next call."""
    assert read(assemble(Reply(calls=calls, pieces=Pieces(size, ids=ids, indexes="never")))) == written(calls)


def test_an_index_in_first_pieces_only() -> None:
    """Case 46: litellm gives the other pieces index 0; they go to the call that is still open."""
    calls = [Call("a-b", '{"x":"one"}'), Call("a-b", '{"x":"two"}'), Call("c-d", '{"y":3}')]
    assert read(assemble(Reply(calls=calls, pieces=Pieces(3, ids="first", indexes="first")))) == written(calls)


@given(call_lists(), PIECES)
def test_every_piece_repeats_id_and_name(calls: list[Call], size: int) -> None:
    """Some servers send name and id with each piece of the arguments; the name does not grow."""
    assembler = CallAssembler()
    for index, call in enumerate(calls):
        text = call.arguments_text
        for start in range(0, len(text), size):
            function = {"name": call.name, "arguments": text[start : start + size]}
            assembler.add({"index": index, "id": f"c{index}", "function": function})
    assert read(assembler.assemble()) == written(calls)


def test_ids_used_twice_belong_to_two_calls() -> None:
    """A duplicate id under another index is another call, also when their pieces are interleaved; it gets an id of its own."""
    calls = [Call("a-b", '{"x": 1}', id="dup"), Call("a-b", '{"x": 2}', id="dup")]
    for interleaved in (False, True):
        assembled = assemble(Reply(calls=calls, pieces=Pieces(3, interleaved=interleaved)))
        assert assembled == (ToolCall("dup", "a-b", '{"x": 1}'), ToolCall("call_1", "a-b", '{"x": 2}'))


def test_a_name_that_is_repeated_beside_the_first_arguments() -> None:
    """The opening piece holds the name alone, the next one the name again and the beginning of the arguments."""
    assembler = CallAssembler()
    assembler.add({"index": 0, "id": "x", "function": {"name": "a-b", "arguments": ""}})
    assembler.add({"index": 0, "id": "x", "function": {"name": "a-b", "arguments": "{}"}})
    assert assembler.assemble() == (ToolCall("x", "a-b", "{}"),)


def test_calls_stand_in_the_order_of_their_indexes() -> None:
    """The second call may begin first."""
    assembler = CallAssembler()
    assembler.add({"index": 1, "id": "y", "function": {"name": "c-d", "arguments": "{}"}})
    assembler.add({"index": 0, "id": "x", "function": {"name": "a-b", "arguments": "{}"}})
    assert [call.id for call in assembler.assemble()] == ["x", "y"]


def test_an_id_that_comes_late_is_taken() -> None:
    """A call may get its id after its name."""
    assembler = CallAssembler()
    assembler.add({"index": 0, "function": {"name": "a-b"}})
    assembler.add({"index": 0, "id": "late", "function": {"arguments": "{}"}})
    assert assembler.assemble() == (ToolCall("late", "a-b", "{}"),)


def test_pieces_that_hold_nothing_usable() -> None:
    """Hostile pieces end as a call without a name, never as an exception."""
    assembler = CallAssembler()
    for piece in (None, 7, {}, {"function": None}, {"index": "x", "id": 3, "function": {"name": None, "arguments": None}}):
        assembler.add(piece)
    assert all(call.name == "" for call in assembler.assemble())


@settings(max_examples=500)
@given(
    st.lists(st.text(alphabet='{}[]" \\:,1a\u00a0', max_size=3), max_size=8)
    | st.lists(st.sampled_from(['{"a":', '"}"', "}", "{", " ", '"\\', '"', "1", "[", "]", "\u00a0", ""]), max_size=8)
)
def test_a_draft_is_complete_when_it_is_an_object(pieces: list[str]) -> None:
    """Following the pieces comes to what parsing anew after each would."""
    draft = _Draft("", 0)
    for number, piece in enumerate(pieces, 1):
        draft.write(piece)
        assert draft.is_complete() == is_object("".join(pieces[:number]))


def test_arguments_are_not_parsed_anew_at_each_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bracket in every piece, and a name that asks each time whether another call begins: the text is parsed at most once."""
    parsed: list[int] = []

    def parse(text: str) -> bool:
        parsed.append(len(text))
        return is_object(text)

    monkeypatch.setattr(streams, "is_object", parse)
    for first in ('{"x": "', '{"x"}'):
        parsed.clear()
        assembler = CallAssembler()
        for number in range(1_000):
            function = {"name": "a-b", "arguments": "}" if number else first}
            assembler.add({"index": 0, "id": "c", "function": function})
        assert len(parsed) <= 1


@settings(max_examples=200)
@given(
    st.lists(
        st.fixed_dictionaries(
            {},
            optional={
                "index": st.none() | st.integers(-1, 3),
                "id": st.none() | st.sampled_from(["", "a", "b"]),
                "function": st.none()
                | st.fixed_dictionaries(
                    {}, optional={"name": st.sampled_from(["", "f", "g"]), "arguments": st.sampled_from(["", "{", "}", "{}"])}
                ),
            },
        ),
        max_size=12,
    )
)
def test_no_character_of_arguments_is_lost_whatever_comes(pieces: list[JsonObject]) -> None:
    """Any sequence of pieces gives calls that hold all arguments that came."""
    assembler = CallAssembler()
    for piece in pieces:
        assembler.add(piece)
    came = "".join((piece.get("function") or {}).get("arguments", "") for piece in pieces)
    assert sorted("".join(call.arguments for call in assembler.assemble())) == sorted(came)


@given(st.text(max_size=60), PIECES)
def test_text_comes_as_deltas_and_whole(text: str, size: int) -> None:
    """The deltas joined are the reply's text; usage comes from the last chunk."""
    assembler = ReplyAssembler()
    deltas = [assembler.add(chunk) for chunk in chunks_of(Reply(text, usage=(3, 2, 1), pieces=Pieces(size)))]
    reply = assembler.finish("m")
    assert "".join(deltas) == reply.text == text
    assert reply.usage == Usage(3, 2, 1)
    assert reply.finish_reason == "stop"


def test_cut_arguments_keep_their_reason() -> None:
    """Case 47: a reply that the token limit cut off in the middle of arguments says `length` and holds what came."""
    assembler = ReplyAssembler()
    for chunk in chunks_of(Reply(calls=[Call("a-b", '{"x": [1, 2')], finish_reason="length")):
        assembler.add(chunk)
    reply = assembler.finish("m")
    assert reply.finish_reason == "length"
    assert reply.tool_calls[0].arguments == '{"x": [1, 2'


def test_a_stream_that_held_nothing_is_no_reply() -> None:
    """What litellm makes of a body that is no stream (one made-up `stop`) is not taken for an empty answer."""
    assembler = ReplyAssembler()
    assembler.add({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    assembler.add({"choices": []})
    with pytest.raises(NoReply):
        assembler.finish("m")


def test_a_reply_without_end_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream cannot fill the memory."""
    monkeypatch.setattr(replies, "MAX_CHARACTERS", 100)
    assembler = ReplyAssembler()
    chunk = {"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": "x" * 10}}]}}]}
    for _ in range(10):
        assembler.add(chunk)
    with pytest.raises(OversizedReply, match="100 characters"):
        assembler.add(chunk)


def test_calls_without_end_are_stopped() -> None:
    """A thousand calls are read, in one chunk or in many; one more is too much."""
    pieces = [
        {"index": number, "id": f"c{number}", "function": {"name": "a-b", "arguments": "{}"}} for number in range(MAX_CALLS)
    ]
    one_more = {"index": MAX_CALLS, "id": "more", "function": {"name": "a-b", "arguments": "{}"}}
    assembler = ReplyAssembler()
    assembler.add({"choices": [{"delta": {"tool_calls": pieces}}]})
    assert len(assembler.finish("m").tool_calls) == MAX_CALLS
    with pytest.raises(OversizedReply, match="1000 calls"):
        assembler.add({"choices": [{"delta": {"tool_calls": [one_more]}}]})


@pytest.mark.parametrize("delta", [{"content": "x"}, {}, {"tool_calls": [{"index": 0, "function": {"arguments": "x"}}]}])
def test_pieces_without_end_are_stopped(monkeypatch: pytest.MonkeyPatch, delta: JsonObject) -> None:
    """Pieces are counted, whatever they hold: each costs time."""
    monkeypatch.setattr(streams, "MAX_PIECES", 100)
    assembler, chunk = ReplyAssembler(), {"choices": [{"delta": delta}]}
    pieces_each = 1 + len(delta.get("tool_calls", []))
    for _ in range(100 // pieces_each):
        assembler.add(chunk)
    with pytest.raises(OversizedReply, match="100 pieces"):
        assembler.add(chunk)


def test_an_emoji_in_two_halves_is_whole_again() -> None:
    """A surrogate pair may be split over two chunks; a half that stays alone is replaced, so that it can be written as UTF-8."""
    assembler = ReplyAssembler()
    pieces = [assembler.add({"choices": [{"delta": {"content": text}}]}) for text in ("a\ud83d", "\ude00b", "c\ude00", "\ud83d")]
    assert pieces == ["a", "\U0001f600b", "c\ufffd", ""]
    assert assembler.finish("m").text == "a\U0001f600bc\ufffd"
