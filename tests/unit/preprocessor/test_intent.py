"""The intent: a closed model with three states a key."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel, ValidationError

from preprocessor.intent import MAX_FREE_GLOBS, MAX_GLOBS, MAX_NAMES, TOOLSET_NAMES, Intent
from service.http.json_body import parse_json
from service.http.problems import InvalidRequest
from service.http.schemas import ExpandBody
from tests.support.json_values import JSON


def read(value: Any) -> Intent:
    return Intent.model_validate(value)


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        (None, {}),
        ([], {"picks": ()}),
        (True, {"enabled": True}),
        (["b-b", "a-a"], {"picks": ("b-b", "a-a")}),
        ({"tools": True}, {"enabled": True}),
        ({"tools": False}, {"enabled": False}),
        ({"tools": ["a-a"]}, {"picks": ("a-a",)}),
        ({"tools": None}, {}),
        ({"enabled": ["a-a"], "disabled": ["a-*"]}, {"picks": ("a-a",), "disabled": ("a-*",)}),
        ({"enabled": None, "picks": None, "disabled": None}, {}),
        ({"tools": True, "picks": ["a-a"]}, {"enabled": True, "picks": ("a-a",)}),
        ({"mode": "selected", "allowed": ["a-*"], "disabled": ["a-b"]}, {"picks": ("a-*",), "disabled": ("a-b",)}),
        ({"mode": "selected", "allowed": []}, {"picks": ()}),
        ({"mode": "selected", "preset": " safe "}, {"toolset": "safe"}),
        ({"mode": "selected", "preset": "safe", "allowed": None}, {"toolset": "safe"}),
        ({"mode": None, "allowed": ["a-a"]}, {"allowed": ("a-a",)}),
        ({"inherit": True, "toolset": "safe"}, {"toolset": "safe"}),
        ({"inherit": None, "toolset": "  "}, {}),
    ],
)
def test_sugar_reads_as_the_plain_model(written: Any, plain: dict[str, Any]) -> None:
    """Older spellings mean the same as the keys of the model."""
    assert read(written) == Intent(**plain)


@pytest.mark.parametrize(
    "written",
    [
        {"enabled": "yes"},
        {"enabled": 1},
        {"picks": "a-a"},
        {"picks": [1]},
        {"picks": [""]},
        {"picks": ["x" * 201]},
        {"disabled": ["a"] * (MAX_NAMES + 1)},
        {"disabled": ["a-*"] * (MAX_GLOBS + 1)},
        {"disabled": ["*-a"] * (MAX_FREE_GLOBS + 1)},
        {"allowed": ["a*[a-z]*"] * (MAX_FREE_GLOBS + 1)},
        {"picks": ["**"] * (MAX_FREE_GLOBS + 1)},
        {"tools": True, "enabled": True},
        {"tools": ["a-a"], "picks": ["b-b"]},
        {"tools": 3},
        {"allowed": ["a-*"] * (MAX_GLOBS + 1)},
        {"picks": ["a-*"] * (MAX_GLOBS + 1)},
        {"web_search": "on"},
        {"toolset": 3},
        {"toolset": "x" * 201},
        {"picks": [], "toolset": "safe"},
        {"tools": ["a-a"], "toolset": "safe"},
        {"mode": "selected"},
        {"mode": "selected", "preset": "safe", "allowed": ["a-a"]},
        {"mode": "selected", "allowed": ["a-a"], "picks": ["a-a"]},
        {"mode": "all", "allowed": ["a-a"]},
        {"preset": "safe"},
        {"inherit": False},
        {"inherit": 1},
        "on",
        7,
    ],
)
def test_wrong_values_are_errors(written: Any) -> None:
    """Types are strict, sizes are bounded, and a thing may not be said twice."""
    with pytest.raises(ValidationError):
        read(written)


@pytest.mark.parametrize(
    ("written", "place"),
    [
        ({"tools": "x"}, ("tools",)),
        ({"tools": ["a-a", 1]}, ("tools", 1)),
        ({"enabled": ["a-a", 1]}, ("enabled", 1)),
        ({"enabled": 1}, ("enabled",)),
        ({"picks": [1]}, ("picks", 0)),
        (["a-a", 1], (1,)),
        ({"mode": "selected", "allowed": ["a-a", 1]}, ("allowed", 1)),
        ({"mode": "selected", "preset": 1}, ("preset",)),
        ({"mode": ["selected"]}, ("mode",)),
        ({"inherit": False}, ("inherit",)),
        ({"allowed": "a-a"}, ("allowed",)),
    ],
)
def test_an_error_names_the_place_that_was_written(written: Any, place: tuple[str | int, ...]) -> None:
    """A caller that wrote `tools` is told of `tools`, not of the key that it stands for."""
    with pytest.raises(ValidationError) as caught:
        read(written)
    assert [error["loc"] for error in caught.value.errors()] == [place]


@given(st.text(min_size=1).filter(lambda key: key not in {*Intent.model_fields, "tools", "mode", "inherit"}))
def test_unknown_keys_are_rejected(key: str) -> None:
    """Invariant viii: the model is closed; the error names the key."""
    with pytest.raises(ValidationError) as caught:
        read({key: None})
    assert caught.value.errors()[0]["loc"] == (key,)


def test_json_text_reads_the_same() -> None:
    """Strict types do not refuse JSON arrays."""
    assert Intent.model_validate_json('{"tools": ["a-a"], "disabled": ["b-*"]}') == Intent(picks=("a-a",), disabled=("b-*",))


def test_schema_tells_the_sugar() -> None:
    """The published schema is closed and knows the sugar; so it does where the intent is a field of another model."""

    class Request(BaseModel):
        intent: Intent | None = None

    schema = Request.model_json_schema()["$defs"]["Intent"]
    assert schema == Intent.model_json_schema()
    plain = schema["anyOf"][0]
    assert plain["additionalProperties"] is False
    assert set(plain["properties"]) == {*Intent.model_fields, "tools", "mode", "preset", "inherit"}
    validator = Draft202012Validator(schema)
    assert all(map(validator.is_valid, (None, True, ["a-a"], {"tools": ["a-a"]}, {"enabled": []}, {"picks": None})))
    assert not any(map(validator.is_valid, (3, "on", [3], {"tools": 3}, {"other": None}, {"picks": "a-a"})))


def test_an_unknown_toolset_is_refused_only_where_they_are_known() -> None:
    """At the edge a wrong name is an error that asks for the near one; a kept intent is read whatever became of its toolset."""
    with pytest.raises(ValidationError) as caught:
        Intent.model_validate_json('{"toolset": "reserch"}', context={TOOLSET_NAMES: ("research", "full")})
    [error] = caught.value.errors()
    assert error["msg"] == "there is no toolset 'reserch'; did you mean 'research'?"
    assert Intent.model_validate({"toolset": "reserch"}).toolset == "reserch"
    assert Intent.model_validate({"toolset": None}, context={TOOLSET_NAMES: ()}).toolset is None


def test_what_is_kept_is_what_was_said() -> None:
    """A few dozen bytes, without nulls, read back equal; missing and null differ until it is merged."""
    intent = read({"tools": True, "web_search": True, "toolset": None})
    assert intent.model_fields_set == {"enabled", "picks", "web_search", "toolset"}
    assert intent.dump() == {"enabled": True, "web_search": True}
    assert Intent.model_validate(intent.dump()) == intent
    assert read(None).model_fields_set == set(Intent.model_fields)


@pytest.mark.parametrize("written", [False, [], {"enabled": False, "picks": ["a-a"]}, {"enabled": True, "picks": []}])
def test_off(written: Any) -> None:
    """Rows 3, 5, 29, 32: false or an empty list is off."""
    assert read(written).is_off


NAMES = st.lists(st.sampled_from(["a-a", "b-b", "a-*", "tools", "", 1, None]), max_size=3) | st.just(["*"] * (MAX_GLOBS + 1))
VALUES = st.none() | st.booleans() | NAMES | JSON
ANY_INTENT = VALUES | st.fixed_dictionaries({}, optional=dict.fromkeys(["enabled", "tools", "picks", "disabled", "x"], VALUES))
SCHEMA = Draft202012Validator(Intent.model_json_schema())


def says_off(written: Any) -> bool:
    """Whether some part of it means no tools at all, in any spelling."""
    whole = {"tools": written} if isinstance(written, bool | list) else written or {}
    return any(whole.get(key) in (False, []) for key in ("enabled", "tools")) or whole.get("picks") == []


def judge(body: Any) -> Intent | InvalidRequest:
    """What the service makes of a body that arrives over HTTP."""
    try:
        return parse_json(json.dumps(body).encode(), ExpandBody).wanted
    except InvalidRequest as refused:
        return refused


def test_as_many_globs_as_are_allowed() -> None:
    """Those that merely end in `*` are quickly matched, so there may be more of them."""
    given = ["*-a"] * MAX_FREE_GLOBS + ["a-*"] * (MAX_GLOBS - MAX_FREE_GLOBS)
    assert read({"disabled": [*given, "plain"]}).disabled == (*given, "plain")


@given(ANY_INTENT)
def test_any_json_is_an_intent_or_a_refusal_that_names_its_places(written: Any) -> None:
    """Fuzz: no third outcome; what is taken is what the published schema takes, reads the same again, and off is off."""
    intent = judge({"intent": written})
    if isinstance(intent, InvalidRequest):
        assert intent.errors
        assert all(error.pointer.startswith("/intent") and error.message for error in intent.errors)
        return
    assert SCHEMA.is_valid(written)
    assert read(written) == intent
    assert read(intent.model_dump(mode="json")) == intent
    assert intent.is_off or not says_off(written)
