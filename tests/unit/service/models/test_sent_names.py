"""hostile A: the names of a request as each family of models takes them, and back."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.sdk.chat import ChatRequest, Message, ModelReply, ToolCall, ToolDefinition
from apps.sdk.imported_names import import_names
from apps.sdk.names import is_app_id, tool_name
from apps.sdk.schemas.dialects.families import find_profile
from apps.sdk.schemas.dialects.profiles import PROFILES
from service.models import sent_names
from service.models.llm import LiteLLM, ModelSpec
from service.models.sent_names import choose_names, map_names
from tests.support.provider_rules import TOOL_NAMES
from tests.support.wire_rules import find_fault

FAMILIES = st.sampled_from(sorted(PROFILES))
OWN_NAMES = st.builds(
    tool_name, st.from_regex(r"[0-9at][a-z0-9_]{0,20}", fullmatch=True), st.from_regex(r"[a-zA-Z0-9_-]{1,43}", fullmatch=True)
)
WRITTEN = st.text(max_size=70) | st.from_regex(r"(T_)?[0-9a]{0,2}-[a-z0-9_]{0,70}", fullmatch=True)
LONG = "a" * 40 + "-" + "s" * 22


def ask(*names: str, called: tuple[str, ...] = (), forced: str | None = None) -> ChatRequest:
    """A request that offers tools of these names, after a turn in which some were called."""
    calls = tuple(ToolCall(f"c{number}", name, "{}") for number, name in enumerate(called))
    results = tuple(Message("tool", "done", tool_call_id=call.id) for call in calls)
    before = (Message("assistant", tool_calls=calls), *results) if calls else ()
    tools = tuple(ToolDefinition(name, "It works.", {"type": "object", "properties": {}}) for name in names)
    return ChatRequest((Message("user", "go"), *before), tools, forced)


def answer(*names: str) -> ModelReply:
    return ModelReply("", tuple(ToolCall(f"r{number}", name, "{}") for number, name in enumerate(names)), "tool_calls", "m")


def written_names(request: ChatRequest) -> list[str]:
    """Every function's name in the request."""
    calls = [call.name for message in request.messages for call in message.tool_calls]
    return [*(tool.name for tool in request.tools), *([] if request.forced_tool is None else [request.forced_tool]), *calls]


@pytest.mark.parametrize(
    ("own", "family", "sent"),
    [
        ("3d-render", "openai", "3d-render"),
        ("3d-render", "cerebras", "3d-render"),
        ("3d-render", "gemini", "T_3d-render"),
        ("3d-render", "anthropic", "T_3d-render"),
        ("3d-render", "common", "T_3d-render"),
        ("d3-render", "gemini", "d3-render"),
        (LONG, "anthropic", LONG),
        (LONG, "common", "T_" + "a" * 40 + "-ssssssss_4d98b5d6"),
        ("3" * 40 + "-" + "s" * 23, "gemini", "T_" + "3" * 40 + "-" + "s" * 12 + "_378a6aef"),
        ("web.search", "openai", "T_web_search_fbdc1121"),
    ],
)
def test_only_what_a_family_refuses_is_sent_otherwise(own: str, family: str, sent: str) -> None:
    """hostile A: a digit first, 62 characters; the same in every process and request, so that the provider's cache holds."""
    request = map_names(ask(own), PROFILES[family]).write(ask(own))
    assert [tool.name for tool in request.tools] == [sent]


@given(FAMILIES, st.lists(OWN_NAMES | WRITTEN, max_size=8), st.lists(WRITTEN, max_size=4))
def test_what_is_sent_is_legal_and_comes_back(family: str, offered: list[str], called: list[str]) -> None:
    """Tools, the forced one and the calls of the history: taken by that family, never two as one, and read as they were."""
    request = ask(*dict.fromkeys(offered), called=tuple(called), forced=offered[0] if offered else None)
    names = map_names(request, PROFILES[family])
    sent = names.write(request)
    assert [name for name in written_names(sent) if not re.fullmatch(TOOL_NAMES[family], name)] == []
    assert len(set(written_names(sent))) == len(set(written_names(request)))
    read = names.read(answer(*written_names(sent)))
    assert [call.name for call in read.tool_calls] == written_names(request)
    assert replace(read, tool_calls=()) == replace(answer(), tool_calls=())


@given(FAMILIES, st.sets(OWN_NAMES, max_size=6), st.sets(OWN_NAMES, max_size=6))
def test_a_name_is_sent_the_same_whatever_else_is(family: str, names: set[str], others: set[str]) -> None:
    """hostile H: tools that are added or called later change no byte of those before."""
    alone, together = choose_names(names, PROFILES[family]), choose_names(names | others, PROFILES[family])
    assert alone.sent == {name: sent for name, sent in together.sent.items() if name in names}


@given(FAMILIES, OWN_NAMES)
def test_what_is_sent_in_a_names_place_is_no_skills_own_name(family: str, own: str) -> None:
    """A skill that is not offered, only named to the model, is not mistaken for the one that was renamed."""
    for sent in choose_names([own], PROFILES[family]).own:
        assert not is_app_id(sent.partition("-")[0])


def test_a_hash_that_is_the_same_is_chosen_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Never two names as one: with two digits of a hash some of forty would be the same."""
    monkeypatch.setattr(sent_names, "HASH_LENGTH", 2)
    own = [f"{'a' * 62}{number}" for number in range(10, 50)]
    names = choose_names(own, PROFILES["common"])
    assert sorted(names.sent) == own
    assert len(set(names.sent.values())) == 40
    assert {len(sent) for sent in names.own} == {60}


@pytest.mark.parametrize("family", ["openai", "gemini", "common"])
def test_nothing_is_copied_where_nothing_has_to_change(family: str) -> None:
    request, reply = ask("web-search", called=("web-search",)), answer("web-search", "web.search", "gone", "")
    names = map_names(request, PROFILES[family])
    assert names.write(request) is request
    assert names.read(reply) is reply


def test_a_name_that_was_not_sent_is_left_as_it_was_written() -> None:
    """The model may know a skill's own name from a text: that means itself; anything else is answered as unknown later."""
    names = map_names(ask("3d-render"), PROFILES["gemini"])
    read = names.read(answer("3d-render", "T_3d-render", "t_3d-render", "T_gone"))
    assert [call.name for call in read.tool_calls] == ["3d-render", "3d-render", "t_3d-render", "T_gone"]


@pytest.mark.parametrize("model", ["openai/gpt-5", "anthropic/claude-opus-4", "gemini/gemini-2.5-pro", "openai/unknown"])
def test_a_tool_that_is_added_in_mid_conversation_does_not_end_it(model: str) -> None:
    """hostile A: a dotted tool is found, called, called wrongly by its dotted name, and the next request is a legal one."""
    imported = import_names(["calendar.respondToEvent"], "3calendar")
    [name] = imported.originals
    before = ask("tool_search", called=("tool_search",))
    after = ask("tool_search", name, called=("tool_search", name, "calendar.respondToEvent", "3.x"), forced=name)
    adapter = LiteLLM().model(ModelSpec(model))
    for request in (before, after):
        sent, names = adapter._prepare(request)
        body = adapter._arguments(sent)
        fault = find_fault({key: body[key] for key in ("messages", "tools", "tool_choice") if key in body})
        assert fault is None
        assert [each for each in written_names(sent) if not re.fullmatch(TOOL_NAMES[find_profile(model).name], each)] == []
    [call] = names.read(answer(sent.tools[1].name)).tool_calls
    assert imported.originals[call.name] == "calendar.respondToEvent"
