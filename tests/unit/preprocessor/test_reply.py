"""The cheap model's reply, read leniently."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.sdk.chat import ModelReply, ToolCall
from apps.sdk.schemas.parameters import compile_validator
from preprocessor.prompt import FIELDS, SKILLS
from preprocessor.reply import MAX_REPLY, Failed, read_extra, read_needs, read_reply
from preprocessor.validate import Rejected
from tests.support.scripted_model import make_call, make_reply
from tests.unit.preprocessor.texts import TEXTS

PICKS = {SKILLS: ["web-read"]}
TEXT = json.dumps(PICKS)


@pytest.mark.parametrize(
    "reply",
    [
        make_reply(make_call("shortlist", PICKS)),
        make_reply(make_call("functions.Shortlist", PICKS)),
        make_reply(make_call("shortlist", json.dumps(TEXT))),
        make_reply(make_call("other", {}), make_call("shortlist", {**PICKS, "made_up": 1})),
        make_reply(text=TEXT, finish="stop"),
        make_reply(text=f"```json\n{TEXT}\n```", finish="stop"),
    ],
)
def test_what_can_be_understood_is(reply: ModelReply) -> None:
    """Namespaces, double encoding, JSON as text, unknown keys: the fields are found."""
    assert read_reply(reply, TEXTS) == PICKS


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (make_reply(text="You need web-read.", finish="stop"), "prose"),
        (make_reply(text='{"answer": 42}', finish="stop"), "prose"),
        (make_reply(make_call("shortlist", '{"relevant')), "broken_json"),
        (make_reply(make_call("shortlist", '{"relevant'), finish="length"), "cut_off"),
        (make_reply(make_call("shortlist", "[1]")), "broken_json"),
        (make_reply(make_call("shortlist", "[" * 100_000)), "broken_json"),
        (make_reply(make_call("shortlist", '{"needs": ' + "[" * 1_000 + "]" * 1_000 + "}")), "broken_json"),
        (make_reply(make_call("shortlist", '{"complexity": ' + '{"a": ' * 60 + "1" + "}" * 61)), "broken_json"),
        (make_reply(make_call("shortlist", f'{{"needs": ["{"x" * 300_000}"]}}')), "broken_json"),
        (make_reply(make_call("get_weather", PICKS)), "wrong_function"),
        (make_reply(), "empty"),
        (make_reply(text=" \n"), "empty"),
        (make_reply(make_call("shortlist", "")), "empty"),
        (make_reply(make_call("shortlist", {})), "empty"),
    ],
)
def test_what_cannot_is_named(reply: ModelReply, problem: str) -> None:
    """Case 14: prose, broken JSON, the wrong function, nothing: each has its name."""
    assert read_reply(reply, TEXTS) == Failed(problem)


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "text", [" " * MAX_REPLY, "{" + " " * (MAX_REPLY - 1), "{}" * (MAX_REPLY // 2), "```" * (MAX_REPLY // 3)]
)
def test_long_prose_is_read_once(text: str) -> None:
    """No text of the largest size takes longer than one look at it."""
    assert isinstance(read_reply(make_reply(text=text, finish="stop"), TEXTS), Failed)


def test_needs_are_bounded() -> None:
    """At most five lines of at most 120 characters, each once, text only."""
    assert read_needs(["a\nb", "a b", 3, "", *map(str, range(9))]) == ("a b", "0", "1", "2", "3")
    assert read_needs("convert units") == ("convert units",)
    assert [len(need) for need in read_needs(["x" * 100_000])] == [120]
    assert read_needs({"a": 1}) == read_needs(None) == ()


@pytest.mark.parametrize(
    ("fields", "extra", "rejected"),
    [
        ({"language": "de", "complexity": "simple"}, {"language": "de", "complexity": "simple"}, ()),
        ({"language": 3, "complexity": "medium"}, {}, (Rejected("language", "invalid"), Rejected("complexity", "invalid"))),
        ({"language": "x" * 36}, {}, (Rejected("language", "invalid"),)),
        ({}, {}, ()),
    ],
)
def test_extra_fields_are_validated(fields: dict[str, Any], extra: dict[str, Any], rejected: tuple[Rejected, ...]) -> None:
    """Case 21: extra fields that fit their schemas are returned, others are dropped and counted."""
    validators = {name: compile_validator(schema) for name, schema in TEXTS.extra.items()}
    assert read_extra(fields, validators) == (extra, rejected)


ARGUMENTS = st.text() | st.dictionaries(st.sampled_from([*FIELDS, "complexity", "made_up"]), st.none() | st.text()).map(
    json.dumps
)


@given(ARGUMENTS, st.sampled_from(["shortlist", "x"]), st.text())
def test_any_reply_is_read(arguments: str, name: str, text: str) -> None:
    """Whatever comes, the answer is fields or the name of a problem."""
    read = read_reply(make_reply(ToolCall("1", name, arguments), text=text), TEXTS)
    assert isinstance(read, Failed) or set(read) <= {*FIELDS, *TEXTS.extra}
