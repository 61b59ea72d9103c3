"""Histories as callers keep them, made into ones that every provider accepts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.sdk.chat import Message, ToolCall
from apps.sdk.jsontypes import Json
from service.models.history import HistoryRefused, check_answerable, repair_history
from service.models.replies import make_sendable
from tests.support.wire_rules import find_fault

IDS = st.sampled_from(
    ["call_1", "call_2", "call_3", "", "x", "functions.go:0", "i" * 41, "half \ud83d", "call_1__thought__aZ+/="]
)
NAMES = st.sampled_from(["lab-echo", "lab.echo", "", "n" * 70, "Hello, world!"])
ARGUMENTS = st.sampled_from(["{}", "", "null", '{"a": 1}', '{"a', "[]", '"{\\"a\\": 1}"', '{"a": NaN}', '{"a": "\\ud83d"}'])
CALLS = st.builds(ToolCall, IDS, NAMES, ARGUMENTS)
BLOCKS: st.SearchStrategy[Json] = st.sampled_from(
    [
        {"type": "text", "text": "a block"},
        {"type": "text", "text": " "},
        {"type": "text", "text": None},
        {"type": "image_url", "image_url": {"url": "data:,"}},
        {"text": "without a type"},
        {"type": ""},
        "bare",
        7,
    ]
)
TEXTS = st.sampled_from(["hello", "hi", "", " \n", "half \ud83d"])
PLAIN: list[Literal["system", "user", "assistant"]] = ["system", "user", "assistant"]
MESSAGES = st.one_of(
    st.builds(Message, st.sampled_from(PLAIN), TEXTS),
    st.builds(Message, st.just("user"), st.lists(BLOCKS, max_size=3)),
    st.builds(Message, st.just("assistant"), TEXTS, st.lists(CALLS, min_size=1, max_size=3).map(tuple)),
    st.builds(Message, st.just("tool"), st.sampled_from(["a result", "another", ""]), st.just(()), IDS | st.none()),
    st.builds(Message, st.just("tool"), st.lists(BLOCKS, max_size=2), st.just(()), IDS),
)
NOW = Message("user", "now")


def fault_of(messages: Iterable[Message]) -> str | None:
    """What a strict provider says; images that follow no text are litellm's to move."""
    wire = [message.to_wire() for message in messages]
    for message in wire:
        for call in message.get("tool_calls", ()):
            call["id"] = call["id"].partition("__thought__")[0]  # as litellm does for all but Gemini
        if "tool_call_id" in message:
            message["tool_call_id"] = message["tool_call_id"].partition("__thought__")[0]
    return find_fault({"messages": wire})


def words_of(messages: Iterable[Message], *roles: str) -> Counter[str]:
    """Every word that was said as text, with its number."""
    said = " ".join(text for message in messages if message.role in roles for text in texts_of(message.content))
    return Counter(said.replace("\ud83d", "\ufffd").split())


def texts_of(content: Json) -> list[str]:
    if isinstance(content, str):
        return [content]
    return [str(block.get("text") or "") for block in content if isinstance(block, dict) and block.get("type") == "text"]


def call(call_id: str, name: str = "lab-echo", arguments: str = "{}") -> ToolCall:
    return ToolCall(call_id, name, arguments)


def calling(*ids: str, text: str = "") -> Message:
    return Message("assistant", text, tuple(map(call, ids)))


def result(call_id: str, text: str = "done") -> Message:
    return Message("tool", text, tool_call_id=call_id)


def outline(messages: Iterable[Message]) -> list[str]:
    """Roles with ids: `user`, `assistant a,b`, `tool a`."""
    return [
        " ".join(filter(None, (item.role, ",".join(call.id for call in item.tool_calls), item.tool_call_id))) for item in messages
    ]


@given(st.lists(MESSAGES, max_size=9))
def test_whatever_is_given_becomes_a_valid_history(messages: list[Message]) -> None:
    """A strict provider takes it; and repairing it again changes nothing."""
    history = repair_history([*messages, NOW])
    assert fault_of(history.messages) is None
    check_answerable(history.messages)
    again = repair_history(history.messages)
    assert again.messages == history.messages
    assert again.repairs == ()


@given(st.lists(MESSAGES, max_size=9))
def test_what_was_changed_is_told(messages: list[Message]) -> None:
    """No repair is silent."""
    history = repair_history([NOW, *messages])
    if history.messages != (NOW, *messages):
        assert history.repairs or all(
            sent.content == given.content for sent, given in zip(history.messages, (NOW, *messages), strict=True)
        )


@given(st.lists(MESSAGES, max_size=9))
def test_nothing_that_was_said_is_lost(messages: list[Message]) -> None:
    """Every word of users, tools, assistants and systems is still there, under its own role; a result twice counts once."""
    history = repair_history(messages)
    for role in ("user", "system", "assistant"):
        assert words_of(messages, role) <= words_of(history.messages, role)
    results = {text for message in messages if message.role == "tool" for text in texts_of(message.content)}
    sent = "\n".join(text for message in history.messages if message.role == "tool" for text in texts_of(message.content))
    assert all(text.strip() in sent for text in results)
    blocks = [block for message in messages if isinstance(message.content, list) for block in message.content]
    everything = json.dumps([message.content for message in history.messages])
    assert all("without a type" in everything for block in blocks if isinstance(block, dict) and block.keys() == {"text"})
    assert all("bare" in everything for block in blocks if block == "bare")


def test_a_valid_history_is_left_as_it_is() -> None:
    """Results in another order than their calls are put into it."""
    messages = (Message("user", "go"), calling("a", "b"), result("a"), result("b"), Message("assistant", "done"), NOW)
    assert repair_history(messages).messages == messages
    assert repair_history(messages).repairs == ()
    swapped = (messages[0], messages[1], messages[3], messages[2], *messages[4:])
    assert repair_history(swapped).messages == messages


def test_an_open_call_is_answered_as_abandoned() -> None:
    """Also when only some of a message's calls are; an answer stands before the user's next message."""
    history = repair_history([NOW, calling("a", "b"), result("a"), Message("user", "next")])
    assert outline(history.messages) == ["user", "assistant a,b", "tool a", "tool b", "assistant", "user"]
    assert "code: abandoned" in history.messages[3].content
    assert history.repairs[0] == "the call 'b' had no result and is marked as abandoned"


def test_a_result_that_stands_elsewhere_goes_to_its_call() -> None:
    """Behind the next calls or the user's next message, or before its call; of calls with one id the latest gets it."""
    late = repair_history([NOW, calling("a"), calling("b"), result("a", "of a"), result("b", "of b")])
    assert [message.content for message in late.messages if message.role == "tool"] == ["of a", "of b"]
    behind = repair_history([NOW, calling("a"), Message("user", "next"), result("a", "of a"), NOW])
    assert outline(behind.messages) == ["user", "assistant a", "tool a", "assistant", "user"]
    before = repair_history([NOW, result("a", "of a"), calling("a")])
    assert outline(before.messages) == ["user", "assistant a", "tool a"]
    same = repair_history(
        [NOW, calling("a"), Message("assistant", "hm"), calling("a"), Message("assistant", "hm"), result("a", "of a")]
    )
    assert "abandoned" in same.messages[2].content
    assert same.messages[4].content == "of a"


def test_a_result_that_answers_nothing_gets_a_call_of_its_own() -> None:
    """What a tool said is kept as a tool's word, never as a user's; the same once more is left out."""
    history = repair_history([NOW, calling("b"), result("c", "stray"), result("b"), result("b", "other"), result("b")])
    assert outline(history.messages) == ["user", "assistant b", "tool b", "assistant c,call_2", "tool c", "tool call_2"]
    assert [message.content for message in history.messages if message.role == "tool"] == ["done", "stray", "other"]
    assert {call.name for call in history.messages[3].tool_calls} == {"system-earlier_result"}
    assert "the result of the call 'b' came twice and is kept once" in history.repairs


def test_ids_that_come_twice_are_told_apart() -> None:
    """In one message in order, and over messages; each keeps its own result."""
    history = repair_history([NOW, calling("a", "a"), result("a", "one"), result("a", "two"), calling("a"), result("a", "three")])
    results = {message.tool_call_id: message.content for message in history.messages if message.role == "tool"}
    assert list(results.values()) == ["one", "two", "three"]
    assert len(results) == 3


@pytest.mark.parametrize("call_id", ["", "functions.go:0", "i" * 41, "half \ud83d", "new\nline"])
def test_an_id_that_some_provider_refuses_is_replaced_with_its_result(call_id: str) -> None:
    """OpenAI takes 40 characters, Anthropic letters, digits, `_` and `-`."""
    history = repair_history([NOW, calling(call_id), result(call_id, "mine")])
    assert outline(history.messages) == ["user", "assistant call_1", "tool call_1"]
    assert history.messages[2].content == "mine"


def test_the_signature_that_gemini_wants_back_stays() -> None:
    """litellm carries it in the id."""
    call_id = f"call_{'a' * 32}__thought__{'Zm9v+/==' * 100}"
    assert repair_history([NOW, calling(call_id), result(call_id)]).repairs == ()


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ("", "{}"),
        (" \n", "{}"),
        ("null", "{}"),
        ('"{\\"n\\": 2}"', '{"n": 2}'),
        ('{"n": 2', "{}"),
        ("[1]", "{}"),
        ('{"n": NaN}', "{}"),
        ('{"n": "\\ud83d"}', '{"n": "\ufffd"}'),
        ('{"n":  2}', '{"n":  2}'),
        ("[" * 100_000, "{}"),
    ],
    ids=["empty", "blank", "null", "encoded twice", "cut", "a list", "NaN", "half a character", "fine", "deep"],
)
def test_arguments_are_one_json_object(written: str, sent: str) -> None:
    """hostile D: what a model once wrote never makes a later request fail."""
    history = repair_history([NOW, Message("assistant", "", (call("a", arguments=written),)), result("a")])
    assert history.messages[1].tool_calls[0].arguments == sent
    assert bool(history.repairs) == (sent == "{}" and written.strip() not in {"", "null"})


@pytest.mark.parametrize(
    ("written", "sent"),
    [("lab.echo", "lab_echo"), ("", "unnamed"), ("Hello, world!", "Hello__world_"), ("n" * 70, "n" * 64), ("größe", "gr__e")],
)
def test_a_name_that_no_provider_takes_is_replaced(written: str, sent: str) -> None:
    assert make_sendable(call("a", written)).name == sent
    history = repair_history([NOW, Message("assistant", "", (call("a", written),)), result("a")])
    assert history.messages[1].tool_calls[0].name == sent


def test_a_message_of_very_many_calls_is_divided() -> None:
    """hostile C: 300 calls in one message: 128, 128 and 44, each with its results, and what was said is said once."""
    ids = [f"c{number}" for number in range(300)]
    history = repair_history([NOW, calling(*ids, text="Here."), *(result(call_id, call_id) for call_id in ids)])
    assert [len(message.tool_calls) for message in history.messages if message.role == "assistant"] == [128, 128, 44]
    assert [message.content for message in history.messages if message.role == "tool"] == ids
    assert [message.content for message in history.messages if message.role == "assistant"] == ["Here.", "", ""]
    assert fault_of(history.messages) is None


def test_empty_messages() -> None:
    """An assistant's is left out; a user's or a tool's stays in its place and says that it is empty."""
    history = repair_history([Message("user", ""), Message("assistant", " "), calling("a"), result("a", "")])
    assert [message.content for message in history.messages] == ["(empty message)", "", "(empty message)"]


def test_messages_of_one_role_in_a_row_become_one() -> None:
    """Texts with a blank line between, blocks one after the other; calls stay with their message."""
    image = {"type": "image_url", "image_url": {"url": "data:,"}}
    users = [Message("user", "one"), Message("user", "two"), Message("user", [image])]
    history = repair_history([*users, Message("assistant", "Well."), calling("a", text="Let me see."), result("a")])
    assert history.messages[0].content == [{"type": "text", "text": "one\n\ntwo"}, image]
    assert history.messages[1] == calling("a", text="Well.\n\nLet me see.")


def test_system_messages_become_one_at_the_beginning() -> None:
    history = repair_history([NOW, Message("system", "Be brief."), Message("assistant", "Yes."), Message("system", "In verse.")])
    assert history.messages[0] == Message("system", "Be brief.\n\nIn verse.")
    assert outline(history.messages) == ["system", "user", "assistant"]


def test_the_user_begins() -> None:
    """An assistant's greeting, or a history whose beginning was cut off, follows a placeholder."""
    assert outline(repair_history([Message("assistant", "Hello!"), NOW]).messages) == ["user", "assistant", "user"]
    assert outline(repair_history([result("a"), NOW]).messages) == ["user", "assistant a", "tool a", "assistant", "user"]


@pytest.mark.parametrize(
    "messages", [[], [Message("system", "Help.")], [NOW, Message("assistant", "Done.")], [Message("assistant")]]
)
def test_a_history_without_anything_to_answer_is_refused(messages: list[Message]) -> None:
    """A clear error instead of a provider's."""
    with pytest.raises(HistoryRefused, match="nothing to answer"):
        check_answerable(repair_history(messages).messages)


def test_a_block_that_nests_too_deeply_is_refused() -> None:
    block: Any = "x"
    for _ in range(2_000):
        block = {"type": "file", "file": block}
    with pytest.raises(HistoryRefused, match="nests too deeply"):
        repair_history([Message("user", [block])])


@pytest.mark.timeout(20)
def test_a_long_history_is_repaired_at_once() -> None:
    """Twenty thousand calls with one id and their results in reverse: no step looks at all for each."""
    calls = [calling(*["a"] * 100) for _ in range(200)]
    results = [result("a", str(number)) for number in range(20_000)]
    history = repair_history([NOW, *calls, *results])
    assert sum(message.role == "tool" for message in history.messages) == 20_000
    assert fault_of(history.messages) is None
