from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.schemas.checks import SchemaProblem, check_schema
from apps.sdk.schemas.forms import is_plain
from tests.support.loading import list_places, load_schema

METASCHEMA = Draft202012Validator(Draft202012Validator.META_SCHEMA)
KEYWORDS = [
    "type", "required", "properties", "items", "enum", "minimum", "maxItems", "description", "default",
    "additionalProperties", "anyOf", "not", "$defs", "pattern", "title", "exclusiveMinimum", "uniqueItems", "const",
    "format", "$ref", "multipleOf", "is_title",
]  # fmt: skip
LEAVES: st.SearchStrategy[Json] = st.sampled_from(
    ["string", "object", "array", True, None, 0, -1, 1.5, "x", [], {}, ["a"], ["a", "a"]]
)
SCHEMAS = st.recursive(
    LEAVES,
    lambda inner: st.dictionaries(st.sampled_from(KEYWORDS), inner | st.lists(inner, max_size=2), max_size=4),
    max_leaves=12,
)


@given(SCHEMAS)
def test_what_passes_by_hand_passes_the_metaschema(schema: Json) -> None:
    """The quick check accepts nothing that the metaschema refuses."""
    assert METASCHEMA.is_valid(schema) or not is_plain(schema)


@given(SCHEMAS)
def test_every_usable_schema_compiles_and_validates(schema: Json) -> None:
    """A schema without a reason against it can validate any value without an exception."""
    usable = isinstance(schema, dict) and check_schema(schema) is None
    validator = Draft202012Validator(schema if usable else {})
    values: list[Json] = [None, 1, "x", [1, "a"], {"a": {"b": []}}]
    assert all(validator.is_valid(value) in {True, False} for value in values)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "integer", "minimum": 0, "exclusiveMinimum": True},
        {"type": "object", "required": None},
        {"type": ["string", "string"]},
        {"properties": {"a": 5}},
        {"required": "a"},
        {"enum": "a"},
        {"anyOf": []},
        {"multipleOf": 0},
        {"minItems": -1},
    ],
)
def test_invalid_schemas_have_a_reason(schema: JsonObject) -> None:
    """case 6: what is not JSON Schema is refused, the draft-4 boolean and the empty `required:` included."""
    problem = check_schema(schema)
    assert problem is not None
    assert problem.reason.startswith("not valid JSON Schema")


@pytest.mark.parametrize(
    ("schema", "part", "path"),
    [
        ({"$ref": "https://example.com/a.json"}, "not local", ["$ref"]),
        ({"$ref": "other.json#/a"}, "not local", ["$ref"]),
        ({"$ref": "file:///etc/passwd"}, "not local", ["$ref"]),
        ({"$ref": "#anchor", "$anchor": "anchor"}, "not local", ["$ref"]),
        ({"$ref": "#/$defs/gone"}, "leads to no schema", ["$ref"]),
        ({"$ref": "#/$defs/a/enum", "$defs": {"a": {"enum": [1]}}}, "leads to no schema", ["$ref"]),
        ({"$ref": "#"}, "leads back", ["$ref"]),
        (
            {"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}]}}},
            "leads back",
            ["$defs", "a", "anyOf", 0, "$ref"],
        ),
        ({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}, "leads back", ["$defs", "a", "$ref"]),
        ({"$dynamicRef": "#x"}, "$dynamicRef", ["$dynamicRef"]),
        ({"$id": "https://example.com/", "items": {"$ref": "#/$defs/a"}, "$defs": {"a": {}}}, "$id", ["$id"]),
        ({"pattern": "["}, "no regular expression", ["pattern"]),
        ({"patternProperties": {"(": {}}}, "no regular expression", ["patternProperties", "("]),
        ({"properties": {"a": {"pattern": r"^(\w+\s?)*$"}}}, "exponential time", ["properties", "a", "pattern"]),
        ({"patternProperties": {"(a+)+$": {}}}, "exponential time", ["patternProperties", "(a+)+$"]),
    ],
)
def test_schemas_that_would_fail_later_have_a_reason(schema: JsonObject, part: str, path: list[str | int]) -> None:
    """References that leave the file, lead nowhere or never end, and broken patterns, are found with their place."""
    problem = check_schema(schema)
    assert problem is not None
    assert part in problem.reason
    assert list(problem.path) == path


def test_recursive_types_are_fine() -> None:
    """A tree refers to itself one level down, and that ends."""
    tree = {"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#"}}}}
    assert check_schema(tree) is None
    assert check_schema({"items": {"$ref": "#/$defs/a"}, "$defs": {"a": {"properties": {"b": {"$ref": "#/$defs/a"}}}}}) is None


def test_properties_may_be_called_like_keywords() -> None:
    named = ("$ref", "pattern", "type", "default", "items", "enum")
    assert check_schema({"type": "object", "properties": {name: {"type": "string"} for name in named}}) is None


def test_a_bottomless_schema_has_a_reason() -> None:
    schema: JsonObject = {}
    for _ in range(20_000):
        schema = {"not": schema}
    assert check_schema(schema) == SchemaProblem("the schema is nested too deeply")


@pytest.mark.parametrize("keyword", ["default", "const", "enum", "examples"])
def test_data_in_a_schema_is_no_schema(keyword: str) -> None:
    """What looks like a keyword inside a default or an enum is a value."""
    value = {"$ref": "https://example.com/x", "pattern": "[", "$id": 1, "$dynamicRef": "x"}
    assert check_schema({"properties": {"a": {keyword: value if keyword in {"default", "const"} else [value]}}}) is None


def test_what_only_a_reference_leads_to_is_checked_too() -> None:
    """A schema may stand under a key that is no keyword; it has to be one all the same."""
    good = {"properties": {"a": {"$ref": "#/components/a"}}, "components": {"a": {"type": "string"}}}
    assert check_schema(good) is None
    assert check_schema({**good, "components": {"a": {"type": "strin"}}}) is not None
    assert check_schema({**good, "components": {"a": {"not": {"$ref": "#/gone"}}}}) is not None


@pytest.mark.timeout(20)
def test_many_references_are_checked_in_one_walk() -> None:
    """Twenty thousand references to one large schema are not twenty thousand walks of it."""
    large = {"anyOf": [{"$ref": "#/$defs/small"} for _ in range(4_000)]}
    schema = {
        "properties": {f"p{number}": {"$ref": "#/$defs/large"} for number in range(20_000)},
        "$defs": {"large": large, "small": {"type": "string"}},
    }
    assert check_schema(schema) is None


def test_references_that_multiply_have_a_reason() -> None:
    """Thirty definitions that each name the next one twice are a thousand million schemas for one value."""
    doubling = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(30)}
    problem = check_schema({"$ref": "#/$defs/d0", "$defs": {**doubling, "d30": {}}})
    assert "more than 10,000 schemas" in str(problem)


@pytest.mark.parametrize(
    ("schema", "place"),
    [
        ("type: object\nproperties:\n  a:\n    type: strin\n", (10, 9)),
        ("type: object\nproperties:\n  a:\n    enum: [x]\n    pattern: '['\n", (11, 9)),
        ("type: object\nproperties:\n  a:\n    $ref: '#/gone'\n", (10, 9)),
        ("type: object\nrequired: yes\nproperties: {}\n", (8, 5)),
        ("type: object\nproperties: [a]\n", (8, 5)),
        ("type: array\nitems: {}\n", (7, 5)),
    ],
)
def test_an_unusable_schema_is_found_at_its_keyword(tmp_path: Path, schema: str, place: tuple[int, int]) -> None:
    """Line and column of the keyword, not of the skill."""
    catalog = load_schema(tmp_path, schema)
    assert list_places(catalog, "tool-schema") == [place]
    assert [(item.position.line, item.position.column) for item in catalog.quarantined] == [place]


@pytest.mark.parametrize(
    ("kind", "came", "advice"),
    [
        ("aray", "the text 'aray'", "did you mean 'array'?"),
        (["string", "bolean"], "the text 'bolean'", "did you mean 'boolean'?"),
        ("text", "the text 'text'", None),
        (5, "the number 5", None),
        (None, "nothing", None),
    ],
)
def test_a_type_that_is_none_is_told_in_words(kind: Json, came: str, advice: str | None) -> None:
    """case 6: what `type` may be, what came, and what may be meant; the path leads to it."""
    problem = check_schema({"type": "object", "properties": {"a": {"type": kind}}})
    assert problem is not None
    assert problem.reason == f"'type' must be one of array, boolean, integer, null, number, object, string, not {came}"
    assert problem.suggestion == advice
    assert problem.path[:3] == ("properties", "a", "type")


@pytest.mark.parametrize("schema", [{"properties": {"type": "text"}}, {"dependencies": {"type": 5}}])
def test_a_property_called_type_is_no_type(schema: JsonObject) -> None:
    problem = check_schema(schema)
    assert problem is not None
    assert "must be one of" not in problem.reason
