import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from apps.sdk.jsontypes import JsonObject
from apps.sdk.schemas.references import follow, properties_of, required_of, resolve_reference, wanted_types


def test_pointers_are_unescaped() -> None:
    root = {"$defs": {"a/b~c d": {"type": "string"}, "list": [{"x": 1}]}}
    assert resolve_reference(root, "#/$defs/a~1b~0c%20d") == {"type": "string"}
    assert resolve_reference(root, "#/$defs/list/0") == {"x": 1}
    assert resolve_reference(root, "#") is root
    with pytest.raises(LookupError):
        resolve_reference(root, "#/$defs/list/x")


PARTS = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["object", ["object", "null"]]),
        "properties": st.dictionaries(
            st.sampled_from("abc"), st.sampled_from([{"type": "integer"}, {"minimum": 2}, {}]), max_size=2
        ),
        "required": st.lists(st.sampled_from("abc"), unique=True, max_size=2),
        "additionalProperties": st.booleans(),
        "minProperties": st.integers(0, 2),
        "title": st.just("T"),
        "allOf": st.just([{"maxProperties": 2}]),
    },
)
VALUES = st.none() | st.dictionaries(st.sampled_from("abcd"), st.sampled_from([1, 3, "x", None]), max_size=3)


@given(PARTS, PARTS, VALUES)
def test_a_followed_reference_means_what_the_reference_meant(
    target: JsonObject, beside: JsonObject, value: JsonObject | None
) -> None:
    """Keywords beside a `$ref` hold together with what it names, whatever both say."""
    root = {"$defs": {"target": target}}
    schema = {"$ref": "#/$defs/target", **beside}
    followed = follow(schema, root)
    assert Draft202012Validator(followed).is_valid(value) == Draft202012Validator({**schema, **root}).is_valid(value)
    assert set(properties_of(followed, root)) == target.get("properties", {}).keys() | beside.get("properties", {}).keys()


def test_keywords_beside_a_reference_are_merged() -> None:
    """Properties and required names of both count; what clashes is kept in `allOf`; the author's description stands."""
    root = {
        "$defs": {
            "a": {
                "type": "object",
                "description": "d",
                "properties": {"x": {"type": "string"}},
                "required": ["x"],
                "maxProperties": 3,
            }
        }
    }
    beside = {"description": "mine", "properties": {"y": {}}, "required": ["y"], "maxProperties": 2}
    assert follow({"$ref": "#/$defs/a", **beside}, root) == {
        "type": "object",
        "description": "mine",
        "properties": {"x": {"type": "string"}, "y": {}},
        "required": ["x", "y"],
        "maxProperties": 2,
        "allOf": [{"maxProperties": 3}],
    }


def test_references_are_followed_to_their_end() -> None:
    """Chains are followed, what leads nowhere or round in a circle stays, and booleans keep their meaning."""
    root = {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"type": "string"}, "c": {"$ref": "#/$defs/c"}, "yes": True, "no": False}}
    assert follow({"$ref": "#/$defs/a"}, root) is root["$defs"]["b"]
    assert follow({"$ref": "#/$defs/gone"}, root) == {"$ref": "#/$defs/gone"}
    assert follow({"$ref": "#/$defs/c"}, root) == {"$ref": "#/$defs/c"}
    assert follow({"$ref": "#/$defs/yes", "maxLength": 1}, root) == {"maxLength": 1}
    assert follow({"$ref": "#/$defs/no", "maxLength": 1}, root) is False


def test_parts_count_as_declared() -> None:
    """What `allOf` declares is declared."""
    root = {
        "allOf": [{"$ref": "#/$defs/a"}],
        "properties": {"y": {}},
        "required": ["y"],
        "$defs": {"a": {"properties": {"x": {}}}},
    }
    assert set(properties_of(root, root)) == {"x", "y"}
    assert required_of(root, root) == {"y"}
    assert wanted_types(root) == {"object"}
