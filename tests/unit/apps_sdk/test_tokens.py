import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.sdk.chat import ChatRequest, Message, ToolCall, ToolDefinition
from apps.sdk.jsontypes import JsonObject
from apps.sdk.tokens import BLOCK_TOKENS, estimate_definition, estimate_message, estimate_request, estimate_tokens


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("日本", 2), ("\ud800", 1)])
def test_four_bytes_are_a_token(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


@given(st.text(), st.text())
def test_more_text_never_costs_less(one: str, two: str) -> None:
    assert (
        max(estimate_tokens(one), estimate_tokens(two))
        <= estimate_tokens(one + two)
        <= estimate_tokens(one) + estimate_tokens(two)
    )


PICTURE: JsonObject = {"type": "image_url", "image_url": {"url": "x" * 99}}


@pytest.mark.parametrize(
    ("message", "tokens"),
    [
        (Message("user", "abcde"), 2),
        (Message("assistant", "abcd", (ToolCall("call_1", "lab-echo", "{}"), ToolCall("call_2", "ab", ""))), 4),
        (Message("tool", "", tool_call_id="call_1"), 0),
        (Message("user", [{"type": "text", "text": "abcd"}, PICTURE]), 1 + BLOCK_TOKENS),
        (Message("user", None), 0),
    ],
)
def test_a_message_costs_its_text_its_calls_and_its_blocks(message: Message, tokens: int) -> None:
    assert estimate_message(message) == tokens


def test_a_prompt_costs_its_messages_and_its_tools() -> None:
    tool = ToolDefinition("lab-echo", "Echo.", {"type": "object"})
    assert estimate_request(ChatRequest((Message("user", "abcd"),) * 3, (tool,))) == 3 + estimate_definition(tool)
