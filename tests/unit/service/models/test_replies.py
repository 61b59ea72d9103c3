"""Whole replies are read without trusting anything in them, and call ids are made usable."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.sdk.chat import ChatRequest, Message, ModelReply, ToolCall, Usage
from apps.sdk.jsontypes import Json
from service.models import replies
from service.models.replies import MAX_COUNT, NoReply, OversizedReply, plain_id, read_reply, read_usage, repair_ids, taken_ids

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


def test_a_whole_reply() -> None:
    """Text, calls, reason and usage are read; `stop` beside calls is `tool_calls`."""
    function = {"name": "a-b", "arguments": '{"x": 1}'}
    message = {"content": "Let me see", "tool_calls": [{"id": "c1", "type": "function", "function": function}]}
    usage = {"prompt_tokens": 9, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 3}}
    payload = {"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}
    expected = ModelReply("Let me see", (ToolCall("c1", "a-b", '{"x": 1}'),), "tool_calls", "m", Usage(9, 4, 3))
    assert read_reply(payload, "m") == expected


@pytest.mark.parametrize("payload", [{}, {"choices": []}, {"choices": None}, {"choices": "no"}])
def test_no_choices_is_no_reply(payload: dict[str, Json]) -> None:
    """Case 14: a reply with nothing in it."""
    with pytest.raises(NoReply):
        read_reply(payload, "m")


@pytest.mark.parametrize(
    "message",
    [
        {"content": "x" * 101},
        {"content": "x" * 60, "tool_calls": [{"function": {"name": "a-b", "arguments": "y" * 60}}]},
        {"tool_calls": [{"function": {"name": "n" * 101, "arguments": "{}"}}]},
    ],
    ids=["text", "both", "name"],
)
def test_a_reply_that_is_too_long_is_refused(monkeypatch: pytest.MonkeyPatch, message: dict[str, Json]) -> None:
    """As a streamed one is."""
    payload: dict[str, Json] = {"choices": [{"message": message}]}
    monkeypatch.setattr(replies, "MAX_CHARACTERS", 200)
    read_reply(payload, "m")
    monkeypatch.setattr(replies, "MAX_CHARACTERS", 100)
    with pytest.raises(OversizedReply, match="100 characters"):
        read_reply(payload, "m")


def test_a_reply_with_neither_text_nor_calls_is_an_empty_text() -> None:
    """The turn decides what an empty reply means."""
    reply = read_reply({"choices": [{"message": {"content": None}, "finish_reason": "tool_calls"}]}, "m")
    assert (reply.text, reply.tool_calls, reply.finish_reason) == ("", (), "stop")


@pytest.mark.parametrize(("arguments", "text"), [(None, ""), ({"x": 1}, '{"x": 1}'), ('{"x', '{"x'), ([1], "[1]")])
def test_arguments_are_kept_as_written(arguments: Json, text: str) -> None:
    """Arguments that do not parse stay as they are; an object instead of text is written as text."""
    call = {"id": "c", "function": {"name": "a-b", "arguments": arguments}}
    assert read_reply({"choices": [{"message": {"tool_calls": [call]}}]}, "m").tool_calls[0].arguments == text


@given(JSON, JSON, JSON)
def test_anything_in_a_reply_is_survived(message: Json, reason: Json, usage: Json) -> None:
    """Whatever JSON stands where a message should, a reply comes out."""
    reply = read_reply({"choices": [{"message": message, "finish_reason": reason}], "usage": usage}, "m")
    assert reply.finish_reason in {"stop", "tool_calls", "length", "content_filter"}


@pytest.mark.parametrize(
    ("given_count", "count"),
    [(0, 0), (7, 7), (-1, 0), (10**20, MAX_COUNT), (10**400, MAX_COUNT), (True, 0), (7.0, 0), (1e300, 0), ("7", 0), (None, 0)],
    ids=lambda value: f"{type(value).__name__} {float(value or 0):g}" if value != 10**400 else "int 1e400",
)
def test_a_count_of_tokens_is_a_whole_number_of_a_usable_size(given_count: Json, count: int) -> None:
    """What is no whole number counts nothing, an absurd one counts as the most that is believed."""
    counts = {"prompt_tokens": given_count, "completion_tokens": given_count}
    usage = read_usage({**counts, "prompt_tokens_details": {"cached_tokens": given_count}})
    assert usage == Usage(count, count, count)
    assert all(type(number) is int for number in (usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens))


@given(
    st.lists(st.sampled_from(["a__thought__x", "a__thought__", "__thought__x", "__thought____thought__", "a", "é", "a" * 41])),
    st.sets(st.sampled_from(["a", "call_1"])),
)
def test_an_id_is_usable_also_where_its_signature_is_taken_off(ids: list[str], taken: set[str]) -> None:
    """What is left of each is legal, and is its own."""
    left = [plain_id(call.id) for call in repair_ids([ToolCall(call_id, "a-b", "{}") for call_id in ids], taken)]
    assert [each for each in left if not re.fullmatch("[A-Za-z0-9_-]{1,40}", each)] == []
    assert len({*left, *taken}) == len(left) + len(taken)


@given(st.lists(st.sampled_from(["", "a", "b", "call_1", "call_2"])), st.sets(st.sampled_from(["a", "call_1", "call_3"])))
def test_repaired_ids_are_unique_and_the_same_every_time(ids: list[str], taken: set[str]) -> None:
    """No id is empty, none is used twice or was taken before; a usable id is kept; the outcome is deterministic."""
    calls = [ToolCall(call_id, "a-b", "{}") for call_id in ids]
    repaired = [call.id for call in repair_ids(calls, taken)]
    assert all(repaired)
    assert len({*repaired, *taken}) == len(repaired) + len(taken)
    assert repaired == [call.id for call in repair_ids(calls, frozenset(taken))]
    kept = [new for old, new in zip(ids, repaired, strict=True) if old == new]
    assert set(kept) == set(ids) - {""} - taken


def test_a_server_that_counts_anew_in_each_reply() -> None:
    """`call_0` again and again, round after round, ends as a history in which every id is there once."""
    history = (Message("assistant", tool_calls=(ToolCall("call_0", "a-b", "{}"),)), Message("tool", "1", tool_call_id="call_0"))
    request = ChatRequest((*history, Message("user", "again")))
    assert repair_ids([ToolCall("call_0", "a-b", "{}")], taken_ids(request))[0].id == "call_1"
