"""Older drafts and OpenAPI 3.0 read as draft 2020-12: the same values are valid to the old validator and to the new one."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from jsonschema import Draft4Validator, Draft6Validator, Draft7Validator, Draft201909Validator

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.schemas.checks import check_schema
from apps.sdk.schemas.parameters import check_parameters, compile_validator, upgrade_parameters
from apps.sdk.schemas.upgrading import upgrade_schema
from tests.support.loading import list_findings, list_reasons, load_schema
from tests.support.old_schemas import INSTANCES, draft_schemas

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

EXAMPLES = 100
TEXT: JsonObject = {"type": "string"}
DRAFTS: dict[str, type[Validator]] = {
    "http://json-schema.org/draft-04/schema#": Draft4Validator,
    "http://json-schema.org/draft-06/schema#": Draft6Validator,
    "http://json-schema.org/draft-07/schema#": Draft7Validator,
    "https://json-schema.org/draft/2019-09/schema": Draft201909Validator,
}


@pytest.mark.parametrize("draft", DRAFTS)
def test_an_old_schema_means_what_its_draft_says(draft: str) -> None:
    """Random schemas of each draft, random values: the old validator of the old schema, and ours of the upgraded one, agree."""

    @settings(deadline=None, max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
    @given(draft_schemas(draft), st.lists(INSTANCES, min_size=5, max_size=20))
    def agree(schema: JsonObject, instances: list[Json]) -> None:
        before = copy.deepcopy(schema)
        upgraded = upgrade_schema(schema).schema
        assert schema == before
        assume(check_schema(upgraded) is None)
        old, new = DRAFTS[draft](schema), compile_validator(upgraded)
        for instance in instances:
            assert old.is_valid(instance) == new.is_valid(instance), (upgraded, instance)
        assert json.dumps(upgrade_schema(upgraded).schema) == json.dumps(upgraded)

    agree()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"minimum": 0, "exclusiveMinimum": True}, {"exclusiveMinimum": 0}),
        ({"maximum": 9, "exclusiveMaximum": False}, {"maximum": 9}),
        ({"exclusiveMinimum": True}, {}),
        ({"items": [TEXT, True], "additionalItems": False}, {"prefixItems": [TEXT, True], "items": False}),
        ({"items": [], "additionalItems": TEXT}, {"items": TEXT}),
        ({"dependencies": {"a": ["b"], "c": TEXT}}, {"dependentRequired": {"a": ["b"]}, "dependentSchemas": {"c": TEXT}}),
        ({"type": ["number", None]}, {"type": ["number", "null"]}),
        ({"anyOf": [TEXT, {"type": None}]}, {"anyOf": [TEXT, {"type": "null"}]}),
        ({"type": None, "enum": [1]}, {"enum": [1]}),
        ({"type": "any"}, {}),
        ({"type": ["string", "any"]}, {}),
        ({"required": None, "properties": {"a": None}}, {"properties": {"a": {}}}),
        (
            {"properties": {"a": {**TEXT, "required": True}, "b": {"required": False}}},
            {"properties": {"a": TEXT, "b": {}}, "required": ["a"]},
        ),
        (
            {"required": ["a"], "properties": {"a": {"required": True}, "b": {"required": True}}},
            {"required": ["a", "b"], "properties": {"a": {}, "b": {}}},
        ),
        ({"type": "string", "enum": ["a"], "nullable": True}, {"type": ["string", "null"], "enum": ["a", None]}),
        (
            {"description": "d", "nullable": True, "allOf": [TEXT]},
            {"description": "d", "anyOf": [{"allOf": [TEXT]}, {"type": "null"}]},
        ),
        ({"minimum": 1, "nullable": True}, {"minimum": 1}),
        ({"nullable": False, **TEXT}, {"nullable": False, **TEXT}),
        ({"divisibleBy": 2}, {"multipleOf": 2}),
        ({"properties": {"n": {"$recursiveRef": "#"}}}, {"properties": {"n": {"$ref": "#"}}}),
        (
            {"properties": {"n": {"$dynamicRef": "#x"}}, "$defs": {"a": {"$dynamicAnchor": "x"}}},
            {"properties": {"n": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"$dynamicAnchor": "x"}}},
        ),
        ({"$ref": "#x y", "$defs": {"a/b": {"$anchor": "x y"}}}, {"$ref": "#/$defs/a~1b", "$defs": {"a/b": {"$anchor": "x y"}}}),
    ],
)
def test_each_spelling_has_its_equal(old: JsonObject, new: JsonObject) -> None:
    """Whatever draft it is, where none is named; the order of the other keywords stays."""
    upgraded = upgrade_schema(old)
    assert json.dumps(upgraded.schema) == json.dumps(new)
    assert upgrade_schema(upgraded.schema).schema is upgraded.schema


def test_references_find_what_has_moved() -> None:
    """Pointers into lists of items, into what became nullable and into OpenAPI's `components`."""
    old = {
        "properties": {
            "pair": {"items": [{"type": "string", "nullable": True}]},
            "first": {"$ref": "#/properties/pair/items/0"},
            "part": {"nullable": True, "allOf": [{"$ref": "#/components/schemas/A"}]},
            "inner": {"$ref": "#/properties/part/allOf/0"},
        },
        "components": {
            "schemas": {
                "A": {"minimum": 1, "exclusiveMinimum": True, "anyOf": [{"$ref": "#/components/schemas/B"}]},
                "B": {"type": "integer", "nullable": True},
            }
        },
    }
    new = upgrade_schema(old).schema
    assert check_schema(new) is None
    assert new["components"]["schemas"] == {
        "A": {"exclusiveMinimum": 1, "anyOf": [{"$ref": "#/components/schemas/B"}]},
        "B": {"type": ["integer", "null"]},
    }
    validator = compile_validator(new)
    assert validator.is_valid({"first": None, "part": None, "inner": 2})
    assert not validator.is_valid({"inner": 1})


def test_a_schema_inside_is_never_judged_by_the_librarys_own_validator() -> None:
    """`$schema` in a property would bring back the library's class, and with it patterns without a bound on the text."""
    pattern = {"$schema": "http://json-schema.org/draft-07/schema#", "type": "string", "pattern": "^a*a*b$"}
    upgraded = upgrade_schema({"type": "object", "properties": {"a": pattern}}).schema
    assert "$schema" not in json.dumps(upgraded)
    assert not compile_validator(upgraded).is_valid({"a": "a" * 1_000_000})


@pytest.mark.parametrize(
    "schema",
    [{"type": "file"}, {"type": None}, {"required": True}, {"type": [{"type": "string"}, None]}, {"items": [1]}, {"enum": 3},
     {"dependencies": {"a": 1}}, {"exclusiveMinimum": "1"}, {"$ref": "#gone"}, {"properties": []}, {"$ref": "#/properties/x"}],
)  # fmt: skip
def test_what_has_no_equal_is_still_refused(schema: JsonObject) -> None:
    """It is left as it stands, for the check to say why."""
    assert check_schema(upgrade_schema(schema).schema) is not None


@pytest.mark.parametrize("schema", [None, True, [], "text", {"type": "object", "properties": {"a": TEXT}, "x-own": None}])
def test_a_schema_of_today_is_left_alone(schema: Json) -> None:
    """The very object comes back, and nothing is told."""
    upgraded = upgrade_schema(schema)
    assert upgraded.schema is schema
    assert upgraded.changes == ()


def test_it_ends_in_time() -> None:
    """Depth is left to the check; thousands of fields take a moment."""
    deep: JsonObject = {}
    for _ in range(100_000):
        deep = {"not": deep}
    assert upgrade_schema(deep).schema is deep
    wide = {"properties": {f"f{number}": {"nullable": True, "type": "string", "required": True} for number in range(20_000)}}
    assert len(upgrade_schema(wide).schema["required"]) == 20_000


@pytest.mark.parametrize(
    "root",
    [
        {"type": ["object", "null"], "properties": {"a": TEXT}},
        {"type": "object", "nullable": True, "properties": {"a": TEXT}},
    ],
)
def test_arguments_that_may_be_null_are_an_object(root: JsonObject) -> None:
    """Nobody calls with null, so the skill is not lost over it."""
    schema = upgrade_parameters(root).schema
    assert check_parameters(schema) is None
    assert schema == {"type": "object", "properties": {"a": TEXT}}


@pytest.mark.parametrize(
    ("schema", "code", "place", "text"),
    [
        ("properties:\n  n: {description: d, type: integer, minimum: 0, exclusiveMinimum: true}\n", "schema-draft", (8, 54),
         "'exclusiveMinimum: true' is read as 'exclusiveMinimum: 0' in place of 'minimum'"),
        ("properties: {}\nrequired:\n", "schema-empty", (8, 5), "'required' has nothing after it and says nothing"),
        ("properties:\n  n: {description: d, type: [number, null]}\n", "schema-draft", (8, 27),
         "null is read as the type 'null', which is written in quotes"),
        ("properties:\n  n: {description: d, nullable: true, type: string}\n", "schema-draft", (8, 27),
         "'nullable: true' is read as null being one more type"),
        ("properties:\n  n: {description: d, items: [{type: [array, null], items: {type: any}}]}\n", "schema-draft", (8, 27),
         "a list in 'items' is read as 'prefixItems'"),
    ],
)  # fmt: skip
def test_an_author_is_told_where(tmp_path: Path, schema: str, code: str, place: tuple[int, int], text: str) -> None:
    """At the keyword; the skill works."""
    catalog = load_schema(tmp_path, schema)
    found = list_findings(tmp_path, code)[0]
    assert (found.position.line, found.position.column, found.message) == (*place, text)
    assert list(catalog.skills) == ["one-a"]


def test_what_is_wrong_in_an_upgraded_schema_is_told_where_it_was_written(tmp_path: Path) -> None:
    """The place is the author's, not the one after the upgrade."""
    catalog = load_schema(tmp_path, "properties:\n  n:\n    items:\n    - {}\n    - {allOf: [{type: file}], nullable: true}\n")
    assert "'type' must be one of" in list_reasons(catalog)["one-a"]
    [found] = list_findings(tmp_path, "tool-schema")
    assert (found.position.line, found.position.column) == (11, 21)
