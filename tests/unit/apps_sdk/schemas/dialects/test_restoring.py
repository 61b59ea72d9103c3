"""Arguments for what was sent, read back as the author's schema wants them."""

from __future__ import annotations

import pytest

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.schemas.dialects.profiles import ANTHROPIC, COMMON, GEMINI, OPENAI_STRICT, PROFILES, Profile
from apps.sdk.schemas.dialects.records import Adapted
from apps.sdk.schemas.dialects.restoring import restore_arguments
from apps.sdk.schemas.parameters import compile_validator
from apps.sdk.schemas.upgrading import upgrade_schema
from tests.support.adapted import upgrade_and_adapt
from tests.support.hostile_schemas import TEXT, make_object


def restore(schema: JsonObject, profile: Profile, arguments: JsonObject) -> JsonObject:
    found = upgrade_and_adapt(schema, profile)
    assert isinstance(found, Adapted)
    restored = restore_arguments(found.plan, arguments).arguments
    assert compile_validator(upgrade_schema(schema).schema).is_valid(restored)
    return restored


@pytest.mark.parametrize(
    ("schema", "profile", "sent", "meant"),
    [
        (make_object(n={"enum": [1, 2]}), GEMINI, {"n": "2"}, {"n": 2}),
        (make_object(n={"enum": ["1", 1]}), GEMINI, {"n": "1 (not text)"}, {"n": 1}),
        (make_object(n={"enum": ["", "a"]}), GEMINI, {"n": "(empty)"}, {"n": ""}),
        (make_object(n={"enum": [{"a": 1}]}), ANTHROPIC, {"n": '{"a": 1}'}, {"n": {"a": 1}}),
        (make_object(n={"type": "integer"}), OPENAI_STRICT, {"n": None}, {}),
        (make_object(n={"type": ["integer", "null"]}), OPENAI_STRICT, {"n": None}, {"n": None}),
        (make_object(n={"type": "integer", "nullable": True}), GEMINI, {"n": None}, {"n": None}),
        (make_object(**{"first name": TEXT}), ANTHROPIC, {"first_name": "Ada"}, {"first name": "Ada"}),
        (make_object(m={"type": "object"}), COMMON, {"m": '{"a": [1]}'}, {"m": {"a": [1]}}),
        (make_object(m={"type": "object"}), COMMON, {"m": {"a": 1}}, {"m": {"a": 1}}),
        (make_object(a={"type": "array"}), COMMON, {"a": ["x", "1", '{"b": 2}']}, {"a": ["x", "1", {"b": 2}]}),
        (
            make_object(v={"anyOf": [make_object(**{"a b": TEXT}), make_object(**{"c d": TEXT}), TEXT]}),
            GEMINI,
            {"v": {"c_d": "x"}},
            {"v": {"c d": "x"}},
        ),
    ],
)
def test_what_was_rewritten_is_undone(schema: JsonObject, profile: Profile, sent: JsonObject, meant: JsonObject) -> None:
    """Values, texts, names and nulls; the author's own schema accepts the outcome."""
    assert restore(schema, profile, sent) == meant


REQUESTS = {
    "type": "object",
    "properties": {"requests": {"type": "array", "items": {**make_object(n={"enum": [1, 2]}), "required": ["n"]}}},
}


@pytest.mark.parametrize(
    ("sent", "meant"),
    [
        ({"requests": [{"n": "1"}]}, {"requests": [{"n": 1}]}),
        ({"requests": {"n": "1"}}, {"requests": {"n": 1}}),
        ({"requests": '[{"n": "1"}]'}, {"requests": [{"n": 1}]}),
        ({"n": "1"}, {"n": 1}),
        ({"requests": [{"n": 7}, "text", None]}, {"requests": [{"n": 7}, "text", None]}),
        ({"requests": "not JSON"}, {"requests": "not JSON"}),
    ],
)
def test_requests_are_restored_however_they_are_written(sent: JsonObject, meant: JsonObject) -> None:
    """A list, one object, JSON text, or the fields alone; what fits nothing is left for the validation to tell."""
    found = upgrade_and_adapt(REQUESTS, GEMINI)
    assert isinstance(found, Adapted)
    assert restore_arguments(found.plan, sent).arguments == meant


@pytest.mark.parametrize("profile", PROFILES.values(), ids=list(PROFILES))
@pytest.mark.parametrize("value", [None, "text", 1.5, [], [None], {"x": {"y": [1]}}])
def test_a_value_of_any_kind_does_no_harm(profile: Profile, value: Json) -> None:
    """Whatever a model writes in place of a field."""
    schema = make_object(a={"enum": [1, "b"]}, b={"type": "object"}, **{"c d": {"type": ["array", "string"], "items": {}}})
    found = upgrade_and_adapt(schema, profile)
    assert isinstance(found, Adapted)
    restored = restore_arguments(found.plan, {"a": value, "b": value, "c_d": value, "other": value}).arguments
    assert restored["other"] == value


@pytest.mark.parametrize("text", ['{"a": 1, "a": 2}', '{"a": NaN}', '{"a": 1e999}', '{"a": ' * 60 + "1" + "}" * 60])
def test_json_as_text_keeps_the_promises_of_arguments(text: str) -> None:
    """A lenient reader would drop a key, make a number of what is none, or nest too deeply: it stays text, and why is noted."""
    found = upgrade_and_adapt(make_object(m={"type": "object"}), COMMON)
    assert isinstance(found, Adapted)
    restored = restore_arguments(found.plan, {"m": text})
    assert restored.arguments == {"m": text}
    [note] = restored.notes
    assert note.startswith("m: the text was not read as JSON")


def test_half_a_surrogate_in_json_as_text_becomes_a_replacement_character() -> None:
    assert restore(make_object(m={"type": "object"}), COMMON, {"m": r'{"a": "\ud800"}'}) == {"m": {"a": "\ufffd"}}


@pytest.mark.parametrize(
    ("sent", "note"),
    [
        ({"m": '{"a": 1}', "first_name": "Ada"}, None),
        ({"tags": ["x"], "first name": "Ada"}, None),
        ({"first_name": "Ada", "first name": "Ada"}, None),
        ({"first_name": "Ada", "first name": "Eve"}, "given twice"),
        ({"sizes": '["1"]'}, "sizes: the text"),
    ],
)
def test_what_is_more_than_the_notation_that_was_asked_for_is_noted(sent: JsonObject, note: str | None) -> None:
    """What a model was asked to write as text or under another name is no change; what was read on top of that is."""
    schema = make_object(
        **{"first name": TEXT},
        m={"type": "object"},
        tags={"type": "array", "items": TEXT},
        sizes={"type": "array", "items": {"enum": [1, 2]}},
    )
    found = upgrade_and_adapt(schema, GEMINI)
    assert isinstance(found, Adapted)
    restored = restore_arguments(found.plan, sent)
    assert [note in written for written in restored.notes] == [True] if note else restored.notes == ()
