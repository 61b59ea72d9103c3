"""Histories as callers keep them, made into ones that every provider accepts."""

from __future__ import annotations

from typing import Literal

from hypothesis import given
from hypothesis import strategies as st

from apps.sdk.chat import Message, ToolCall
from service.models.replies import make_sendable
from service.turns.history import repair_history
from tests.support.wire_rules import find_fault

IDS = st.sampled_from(["call_1", "call_2", "call_3", "", "x"])
CALLS = st.builds(ToolCall, IDS, st.just("lab-echo"), st.just("{}"))
PLAIN: list[Literal["system", "user", "assistant"]] = ["system", "user", "assistant"]
MESSAGES = st.one_of(
    st.builds(Message, st.sampled_from(PLAIN), st.sampled_from(["hello", "hi"])),
    st.builds(Message, st.just("assistant"), st.just(""), st.lists(CALLS, min_size=1, max_size=3).map(tuple)),
    st.builds(Message, st.just("tool"), st.sampled_from(["a result", "another"]), st.just(()), IDS),
)


def call(call_id: str) -> ToolCall:
    return ToolCall(call_id, "lab-echo", "{}")


def calling(*ids: str) -> Message:
    return Message("assistant", "", tuple(map(call, ids)))


def result(call_id: str, text: str = "done") -> Message:
    return Message("tool", text, tool_call_id=call_id)


@given(st.lists(MESSAGES, min_size=1, max_size=8))
def test_whatever_is_given_becomes_a_valid_history(messages: list[Message]) -> None:
    """A strict provider takes it; and what is valid is left alone."""
    history = repair_history([*messages, Message("user", "now")])
    assert find_fault({"messages": [message.to_wire() for message in history.messages]}) is None
    assert repair_history(history.messages).repairs == ()
    assert repair_history(history.messages).messages == history.messages


@given(st.lists(MESSAGES, max_size=8))
def test_nothing_is_lost_in_silence(messages: list[Message]) -> None:
    """What was said stays; each result that went has its line."""
    history = repair_history(messages)
    spoken = [message.content for message in messages if message.role != "tool"]
    assert [message.content for message in history.messages if message.role != "tool"] == spoken
    results = [message for message in messages if message.role == "tool"]
    kept = [message for message in history.messages if message.role == "tool" and "abandoned" not in message.content]
    assert len(results) - len(kept) == sum("was left out" in line for line in history.repairs)


def test_a_valid_history_is_left_as_it_is() -> None:
    messages = (Message("user", "go"), calling("a", "b"), result("b"), result("a"), Message("assistant", "done"))
    history = repair_history(messages)
    assert history.repairs == ()
    assert [message.tool_call_id for message in history.messages] == [None, None, "a", "b", None]


def test_an_open_call_is_answered_as_abandoned() -> None:
    """Also when only some of a message's calls are."""
    history = repair_history([calling("a", "b"), result("a"), Message("user", "next")])
    first, done, abandoned, following = (message.content for message in history.messages)
    assert (first, done, following) == ("", "done", "next")
    assert "code: abandoned" in abandoned
    assert history.repairs == ("the call 'b' had no result and is marked as abandoned",)


def test_results_that_answer_nothing_are_left_out() -> None:
    history = repair_history([result("a"), calling("b"), result("c"), result("b"), result("b", "twice")])
    assert [message.content for message in history.messages] == ["", "done"]
    assert history.repairs == (
        "a result for the unknown call 'a' was left out",
        "a result for the unknown call 'c' was left out",
        "a result for the unknown call 'b' was left out",
    )


def test_ids_that_come_twice_are_told_apart() -> None:
    """In one message in order, and over messages; each keeps its own result."""
    history = repair_history([calling("a", "a"), result("a", "one"), result("a", "two"), calling("a"), result("a", "three")])
    results = {message.tool_call_id: message.content for message in history.messages if message.role == "tool"}
    assert list(results.values()) == ["one", "two", "three"]
    assert len(results) == 3
    assert len(history.repairs) == 2


def test_arguments_that_are_no_object_do_not_go_into_history() -> None:
    for text in ("{", "[]", "1", "", '"x"', "{}}"):
        assert make_sendable(ToolCall("a", "lab-echo", text)).arguments == "{}"
    fine = ToolCall("a", "lab-echo", '{"query": 1}')
    assert make_sendable(fine) == fine
