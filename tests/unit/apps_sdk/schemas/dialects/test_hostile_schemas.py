"""Schemas that took down whole requests elsewhere: what each family is sent of them instead."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest

from apps.sdk.jsontypes import JsonObject
from apps.sdk.schemas.dialects.profiles import COMMON, GEMINI, LOCAL, OPENAI, OPENAI_STRICT, PROFILES
from apps.sdk.schemas.dialects.records import Adapted, Refused
from tests.support.adapted import upgrade_and_adapt
from tests.support.hostile_schemas import HOSTILE, make_object, render_golden
from tests.support.provider_rules import find_faults

GOLDEN = Path(__file__).with_name("golden.json")


def adapted(name: str, profile: str) -> Adapted:
    found = upgrade_and_adapt(HOSTILE[name], PROFILES[profile])
    assert isinstance(found, Adapted)
    return found


def test_every_family_is_sent_what_it_was() -> None:
    """The golden file: a change of what is sent is seen; `python -m tests.support.generated --write` accepts it."""
    assert GOLDEN.read_text(encoding="utf-8") == render_golden()


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_sent_is_legal_for_its_family(name: str, profile: str) -> None:
    """By the strict checkers; what cannot be made legal is refused with a reason, and the author's copy stays as it was."""
    before = copy.deepcopy(HOSTILE[name])
    found = upgrade_and_adapt(HOSTILE[name], PROFILES[profile])
    assert HOSTILE[name] == before
    if isinstance(found, Refused):
        assert name == "root type string"
        assert found.reason
        return
    assert find_faults(found.schema, profile) == []
    again = upgrade_and_adapt(found.schema, PROFILES[profile])
    assert isinstance(again, Adapted)
    assert json.dumps(again.schema) == json.dumps(found.schema)


def test_a_rule_over_the_fields_moves_into_the_description() -> None:
    """`anyOf` of two `required` lists at the root is told in words, and both fields stay."""
    found = adapted("root anyOf of required", "openai")
    assert found.description == "at least one of these must be given: a, b"
    assert set(found.schema["properties"]) == {"a", "b"}


def test_alternatives_at_the_root_become_one_object() -> None:
    """Their fields are merged, what all require is required, and the words say what belongs together."""
    found = adapted("root oneOf of objects", "anthropic")
    assert found.schema["required"] == ["kind"]
    assert found.schema["properties"]["kind"] == {"type": "string", "enum": ["file", "url"]}
    assert '(1) kind = "file" and path; (2) kind = "url" and url' in found.description


def test_a_reference_becomes_the_shape_it_names() -> None:
    """The nested model's fields reach the model, which neither `$ref` nor an empty object would tell it."""
    assert adapted("a nested model", "openai").schema["properties"]["owner"]["required"] == ["name"]


def test_recursion_ends_in_an_open_value_that_is_told() -> None:
    """The tree is written out three times; below that its children are told in words."""
    text = json.dumps(adapted("recursion", "openai").schema)
    assert text.count('"children"') == 3
    assert "of the same form again, with the fields value, children" in text


def test_a_type_with_null_is_written_as_each_family_reads_it() -> None:
    """One more alternative, OpenAPI's `nullable`, or words."""
    assert adapted("a list of types", "openai").schema["properties"]["n"]["anyOf"] == [{"type": "number"}, {"type": "null"}]
    assert adapted("a list of types", "gemini").schema["properties"]["n"]["nullable"] is True
    assert adapted("a list of types", "local").schema["properties"]["n"] == {
        "type": "number",
        "description": "How many. (or null)",
    }


def test_what_has_no_keyword_is_told() -> None:
    """No limit vanishes without a word, and each is in the report."""
    found = adapted("limits", "cerebras")
    assert found.schema["properties"]["date"]["description"] == "must match the regular expression ^2; format: date"
    assert {loss.keyword for loss in found.lost} >= {"minimum", "maximum", "multipleOf", "uniqueItems", "default"}


def test_a_legal_schema_is_sent_as_the_author_wrote_it() -> None:
    """The very object, so that its keys keep the author's order."""
    schema = {"properties": {"a": {"description": "An a.", "type": "string"}}, "required": ["a"], "type": "object"}
    found = upgrade_and_adapt(schema, OPENAI)
    assert isinstance(found, Adapted)
    assert found.schema is schema
    assert (found.lost, found.plan) == ((), None)


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ({"type": "string"}, "no arguments can fit it"),
        ({**make_object(n={"type": "integer", "enum": ["1"]}), "required": ["n"]}, "no value fits the required field 'n'"),
        (make_object(**{f"f{number}": {"type": "null"} for number in range(501)}), "it has more than 500 fields"),
        ({"type": "object", "allOf": [{"type": "array"}]}, "no arguments can fit it"),
    ],
)
def test_what_cannot_be_sent_is_refused_with_a_reason(schema: JsonObject, reason: str) -> None:
    """That costs this one skill, never the request."""
    assert upgrade_and_adapt(schema, COMMON) == Refused(reason)


def test_references_that_multiply_are_refused() -> None:
    """Twenty levels of two references each would be a million schemas."""
    levels = {f"l{n}": make_object(a={"$ref": f"#/$defs/l{n + 1}"}, b={"$ref": f"#/$defs/l{n + 1}"}) for n in range(20)}
    found = upgrade_and_adapt({**make_object(top={"$ref": "#/$defs/l0"}), "$defs": {**levels, "l20": {"type": "string"}}}, OPENAI)
    assert isinstance(found, Refused)
    assert "more than 5,000 schemas" in found.reason


def test_a_long_list_of_values_is_told_instead() -> None:
    """Over the family's limit on listed values the field is open, and the words hold the start of the list."""
    found = upgrade_and_adapt(make_object(v={"enum": [f"value {number}" for number in range(2_000)]}), OPENAI_STRICT)
    assert isinstance(found, Adapted)
    text = found.schema["properties"]["v"]["anyOf"][0]
    assert "enum" not in text
    assert '"value 0"' in text["description"]


def test_deep_containers_become_json_text() -> None:
    """Below the levels that a family takes."""
    schema: JsonObject = {"type": "string"}
    for _ in range(14):
        schema = make_object(inner=schema)
    found = upgrade_and_adapt(schema, OPENAI_STRICT)
    assert isinstance(found, Adapted)
    assert find_faults(found.schema, "openai_strict") == []
    assert "JSON text of: {inner?:" in json.dumps(found.schema)


def test_descriptions_have_a_limit() -> None:
    """A cut is in the report."""
    found = upgrade_and_adapt(make_object(a={"type": "string", "description": "word " * 2_000}), LOCAL)
    assert isinstance(found, Adapted)
    assert len(found.schema["properties"]["a"]["description"]) <= 4_000
    assert [(loss.keyword, loss.told) for loss in found.lost] == [("description", False)]


def test_one_choice_of_two_parts_that_contradict_is_left_out() -> None:
    """`allOf` with a closed part rules out the other part's fields."""
    schema = {
        "type": "object",
        "allOf": [{**make_object(a={}), "additionalProperties": False}, make_object(b={"type": "string"})],
    }
    found = upgrade_and_adapt(schema, GEMINI)
    assert isinstance(found, Adapted)
    assert list(found.schema["properties"]) == ["a"]
