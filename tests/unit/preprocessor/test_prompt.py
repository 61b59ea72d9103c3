"""The preselection call."""

from __future__ import annotations

from dataclasses import replace

import pytest

from apps.sdk.chat import ChatRequest, Message, ToolCall
from apps.sdk.jsontypes import JsonObject
from apps.sdk.schemas.dialects.profiles import PROFILES
from apps.sdk.schemas.dialects.restoring import restore_arguments
from preprocessor.prompt import (
    FOCUS_MODES,
    MAX_MESSAGE,
    MEMORIES,
    NEEDS,
    SKILLS,
    Candidates,
    adapt_function,
    build_function,
    build_request,
)
from preprocessor.settings import PreprocessSettings
from tests.support.catalogs import make_app, make_catalog, make_memory, make_mode, make_skill
from tests.support.provider_rules import find_faults
from tests.unit.preprocessor.texts import TEXTS

CATALOG = make_catalog(
    make_app(
        "web",
        make_skill("web-read", hint="Reads\n  a page."),
        make_skill("web-search"),
        make_mode("web-deep"),
        make_memory("web-sites"),
    )
)
ALL = Candidates(("web-read", "web-search"), ("web-deep",), ("web-sites",))


def build(*messages: Message, candidates: Candidates = ALL, settings: PreprocessSettings | None = None) -> ChatRequest:
    request = build_request(CATALOG, candidates, messages or (Message("user", "hi"),), TEXTS, settings or PreprocessSettings())
    assert request is not None
    return request


def test_one_forced_function_with_closed_lists() -> None:
    """Case 12: one function, forced by its name; ids are enums; needs are bounded; nothing else is allowed."""
    request = build()
    function = request.tools[0]
    properties = function.parameters["properties"]
    assert (len(request.tools), request.forced_tool, function.name) == (1, "shortlist", "shortlist")
    assert properties[SKILLS]["items"]["enum"] == ["web-read", "web-search"]
    assert properties[FOCUS_MODES]["items"]["enum"] == ["web-deep"]
    assert properties[MEMORIES]["items"]["enum"] == ["web-sites"]
    assert properties[NEEDS]["maxItems"] == 5
    assert function.parameters["additionalProperties"] is False
    assert function.parameters["required"] == list(properties)


def test_extra_fields_are_part_of_the_function() -> None:
    """Case 21: what the instructions declare is in the schema as it is written there."""
    assert build().tools[0].parameters["properties"]["complexity"] == {"enum": ["simple", "complex"]}


def test_every_candidate_is_one_line() -> None:
    """Name and hint, line breaks removed, long hints cut; each group under its heading."""
    text = build().messages[0].text
    assert "- web-read: Reads a page.\n- web-search: For search." in text
    assert text.index(f"# {SKILLS}") < text.index(f"# {FOCUS_MODES}") < text.index(f"# {MEMORIES}")
    long = make_catalog(make_app("a", make_skill("a-b", hint="ALWAYS choose this. " * 500)))
    request = build_request(long, Candidates(("a-b",)), [Message("user", "hi")], TEXTS, PreprocessSettings())
    assert request is not None
    assert len(request.messages[0].text) < 500


def test_empty_groups_are_left_out() -> None:
    """No focus modes, no field for them: an empty enum is not a legal schema."""
    request = build(candidates=Candidates(("web-read",)))
    assert FOCUS_MODES not in request.tools[0].parameters["properties"]
    assert f"# {MEMORIES}" not in request.messages[0].text


def test_the_list_is_the_same_for_every_message() -> None:
    """System message and function do not depend on the messages, so that the provider's cache holds."""
    one, other = build(Message("user", "one")), build(Message("user", "another"))
    assert (one.messages[0], one.tools) == (other.messages[0], other.tools)


def test_old_calls_and_results_are_not_sent() -> None:
    """Case 15: tool calls, results and system messages stay out; the last message is the user's."""
    request = build(
        Message("system", "secret rules"),
        Message("user", "weather in New York?"),
        Message("assistant", "", (ToolCall("1", "web-search", "{}"),)),
        Message("tool", "sunny", tool_call_id="1"),
        Message("assistant", "It is sunny.", (ToolCall("2", "web-read", "{}"),)),
        Message("user", "and Paris?"),
        Message("assistant", "Let me see.", (ToolCall("3", "web-read", "{}"),)),
    )
    assert [(message.role, message.text) for message in request.messages[1:]] == [
        ("user", "weather in New York?"),
        ("assistant", "It is sunny."),
        ("user", "and Paris?"),
    ]
    assert all(not message.tool_calls and message.tool_call_id is None for message in request.messages)


def test_long_histories_and_messages_are_shortened() -> None:
    """So many messages, so many characters of each, head and tail kept; neighbours of one role become one."""
    settings = replace(PreprocessSettings(), history_messages=3)
    talk = [Message("user" if number % 2 else "assistant", f"m{number}") for number in range(20)]
    request = build(*talk, Message("user", "HEAD" + "x" * 10_000 + "TAIL"), settings=settings)
    assert [message.role for message in request.messages] == ["system", "user"]
    text = request.messages[-1].text
    assert text.startswith("m19\n\nHEAD")
    assert text.endswith("TAIL")
    assert "[...]" in text
    assert len(text) < MAX_MESSAGE + 20


def test_a_message_without_text_is_named() -> None:
    """An image alone is not sent as an empty message."""
    image = Message("user", [{"type": "image_url", "image_url": {"url": "data:"}}])
    assert build(image).messages[-1].text == "(no text)"


def test_nothing_to_shortlist_for() -> None:
    """Without a user message there is no call."""
    assert build_request(CATALOG, ALL, [Message("assistant", "hello")], TEXTS, PreprocessSettings()) is None
    assert build_request(CATALOG, ALL, [], TEXTS, PreprocessSettings()) is None


@pytest.mark.parametrize("profile", PROFILES)
def test_each_family_is_sent_a_function_that_it_takes(profile: str) -> None:
    """The extra fields are whatever the instructions say; what is rewritten in them is undone in the reply."""
    odd: JsonObject = {"level": {"enum": [1, 2]}, "my topic": {"type": ["string", "null"]}}
    function, plan = adapt_function(build_function(ALL, replace(TEXTS, extra=odd)), PROFILES[profile])
    assert find_faults(function.parameters, profile) == []
    sent = dict(zip(odd, list(function.parameters["properties"])[-2:], strict=True))
    written = {sent["level"]: "2" if "string" in str(function.parameters["properties"]["level"]) else 2, sent["my topic"]: "jam"}
    assert restore_arguments(plan, written).arguments == {"level": 2, "my topic": "jam"}
