from __future__ import annotations

import json
from decimal import Decimal, InvalidOperation

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.schemas.equality import level_numbers
from apps.sdk.schemas.parameters import compile_validator
from executor.coerce import Coerced, coerce


def read(value: Json, schema: JsonObject) -> Coerced:
    return coerce(value, compile_validator(schema), schema)


def of(kind: Json, **more: Json) -> JsonObject:
    return {"type": kind, **more}


@pytest.mark.parametrize(
    ("value", "schema", "expected"),
    [
        ("10", of("integer"), 10),
        (" 10 ", of("integer"), 10),
        ("10.0", of("integer"), 10),
        ("-2.5", of("number"), -2.5),
        ("true", of("boolean"), True),
        ("False", of("boolean"), False),
        (3.0, of("integer"), 3),
        (12345, of("string"), "12345"),
        ("null", of(["integer", "null"]), None),
        ('["a","b"]', of("array", items=of("string")), ["a", "b"]),
        ("a", of("array", items=of("string")), ["a"]),
        ("7", of("array", items=of("integer")), [7]),
        ('{"n": "2"}', of("object", properties={"n": of("integer")}), {"n": 2}),
        ({"n": None}, of("object", properties={"n": of("integer")}), {}),
        ("2", {"enum": [1, 2, 3]}, 2),
        ("5", {"anyOf": [of("integer"), of("null")]}, 5),
        ({"a": ["1", "2"]}, of("object", properties={"a": of("array", items=of("integer"))}), {"a": [1, 2]}),
        (["1", "x", "2"], of("array", prefixItems=[of("integer"), of("string")], items=of("integer")), [1, "x", 2]),
        (["1", "2"], of("array", prefixItems=[of("integer")]), [1, "2"]),
        ("7", of("array", prefixItems=[of("integer")]), [7]),
        (
            {"n1": "1", "x": "y"},
            of("object", patternProperties={"^n": of("integer")}, additionalProperties=of("string")),
            {"n1": 1, "x": "y"},
        ),
    ],
)
def test_what_loses_nothing_is_repaired_and_reported(value: Json, schema: JsonObject, expected: Json) -> None:
    """case 28, hostile D: guessed types of a model that never saw the schema."""
    coerced = read(value, schema)
    assert is_same(coerced.value, expected)
    assert coerced.notes or value == expected


INTEGER = of("integer")


@pytest.mark.parametrize(
    ("value", "schema", "expected"),
    [
        ([3.0, None], of("array", items=of(["integer", "null"])), [3, None]),
        ({"n": 3.0}, of("object", properties={"n": INTEGER}), {"n": 3}),
        ({"n": 3.0}, of("object", additionalProperties=INTEGER), {"n": 3}),
        ({"n": 3.0, "m": 3.0}, of("object", patternProperties={"n": INTEGER}, additionalProperties=True), {"n": 3, "m": 3.0}),
        ([3.0, 3.0, 3.0], of("array", prefixItems=[INTEGER, of("number")], items=INTEGER), [3, 3.0, 3]),
        (3.0, {"anyOf": [INTEGER, of("null")]}, 3),
        ({"n": 3.0}, {"oneOf": [of("object", properties={"n": INTEGER}), of("array")]}, {"n": 3}),
        ({"n": 3.0}, {"allOf": [{"properties": {"n": {"$ref": "#/$defs/n"}}}], "$defs": {"n": INTEGER}}, {"n": 3}),
        ({"n": 3.0, "m": "1"}, of("object", properties={"n": INTEGER, "m": INTEGER}), {"n": 3, "m": 1}),
        (3.0, {"enum": [3, "a"]}, 3),
        (3.0, of(["integer", "string"]), 3),
        (3.0, of(["integer", "number"]), 3.0),
        (3.0, {"anyOf": [INTEGER, of("number")]}, 3.0),
        (3.0, {"anyOf": [of("integer", minimum=5), of("number")]}, 3.0),
        (3.0, of("number"), 3.0),
        (3.0, {}, 3.0),
    ],
)
def test_a_whole_number_is_an_int_wherever_an_integer_is_declared(value: Json, schema: JsonObject, expected: Json) -> None:
    """The same number, so that it is no change; but an int for Python, in whatever keyword the declaration stands."""
    coerced = read(value, schema)
    assert is_same(coerced.value, expected)
    assert bool(coerced.notes) is (value == {"n": 3.0, "m": "1"})


def test_many_numbers_are_read_in_time() -> None:
    schema = of("array", items={"anyOf": [INTEGER, of("null")]})
    assert is_same(read([3.0] * 5_000, schema).value, [3] * 5_000)


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        ("10", of("string")),
        ("true", of("string")),
        ('["a"]', of("string")),
        ("null", of("string")),
        ("10", of(["integer", "string"])),
        ("007", of("integer")),
        ("+5", of("integer")),
        ("1.5", of("integer")),
        ("ten", of("integer")),
        ("1e999", of("number")),
        ("0.1234567890123456789", of("number")),
        ("yes", of("boolean")),
        (1, of("boolean")),
        (1.1, of("string")),
        (True, of("string")),
        ("x", of("array", items=of("integer"))),
        ("[1", of("array", items=of("integer"))),
        (None, of("integer")),
        ("5", {"oneOf": [of("integer"), of("array", items=of("integer"))]}),
    ],
)
def test_what_would_lose_or_guess_is_left_alone(value: Json, schema: JsonObject) -> None:
    """hostile D: strings in string fields stay strings; ambiguous or lossy readings are for the validator to refuse."""
    assert read(value, schema) == Coerced(value, ())


def test_null_stays_where_it_is_allowed_or_required() -> None:
    assert read({"n": None}, of("object", properties={"n": of(["integer", "null"])})).value == {"n": None}
    assert read({"n": None}, of("object", properties={"n": of("integer")}, required=["n"])).value == {"n": None}


def test_a_recursive_schema_is_repaired_to_a_bounded_depth() -> None:
    schema = of("object", properties={"n": of("integer"), "child": {"$ref": "#"}})
    value: JsonObject = {"n": "1"}
    for _ in range(45):
        value = {"n": "1", "child": value}
    assert read(value, schema).value["child"]["n"] == 1


SCHEMAS = st.recursive(
    st.sampled_from(
        [of("integer"), of("number"), of("string"), of("boolean"), of("null"), of(["integer", "null"]), {}, {"enum": ["a", 1]}]
    ),
    lambda inner: st.one_of(
        st.builds(lambda items: of("array", items=items), inner),
        st.builds(
            lambda a, b, required: of("object", properties={"a": a, "b": b}, required=required),
            inner,
            inner,
            st.sampled_from([[], ["a"]]),
        ),
        st.builds(lambda a, b: {"anyOf": [a, b]}, inner, inner),
    ),
    max_leaves=6,
)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=4))
    | st.sampled_from(["1", "2.0", "true", "null", "[1]", '["1"]', '{"a": 1}', '{"a": "1", "b": null}', '"1"']),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)


@given(SCHEMAS, VALUES)
def test_a_valid_value_is_never_changed_and_coercing_twice_is_coercing_once(schema: JsonObject, value: Json) -> None:
    once = read(value, schema)
    if compile_validator(schema).is_valid(value):
        assert once == Coerced(value, ())
        assert is_same(level_numbers(once.value), level_numbers(value))
    assert is_same(read(once.value, schema).value, once.value)


@given(SCHEMAS, VALUES)
def test_a_changed_value_is_always_reported(schema: JsonObject, value: Json) -> None:
    coerced = read(value, schema)
    assert coerced.value == value or coerced.notes


def is_same(one: Json, other: Json) -> bool:
    """Equal, and of the same types throughout: 3 is not 3.0 here, nor 1 true."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_same, one, other))
    return type(one) is type(other) and one == other


def restores(came: Json, read: Json) -> bool:
    """Whether what was read gives back what came: the same number, the parsed text, the one item, less nulls left out."""
    wrapped = isinstance(read, list) and not isinstance(came, list) and len(read) == 1 and restores(came, read[0])
    if wrapped or (type(came) is type(read) and came == read):
        return True
    if isinstance(came, str):
        return restores_text(came.strip(), read)
    if isinstance(came, dict) and isinstance(read, dict):
        return (
            all(restores(came[key], read[key]) if key in read else came[key] is None for key in came)
            and read.keys() <= came.keys()
        )
    if isinstance(came, list) and isinstance(read, list):
        return len(came) == len(read) and all(map(restores, came, read))
    numbers = not isinstance(came, bool) and not isinstance(read, bool)
    return numbers and (came == read or (isinstance(came, int) and read == str(came)))


def restores_text(text: str, read: Json) -> bool:
    if isinstance(read, bool | None):
        return text.casefold() == json.dumps(read)
    if isinstance(read, int | float):
        return is_decimal(text) and Decimal(text) == Decimal(repr(read))
    return not isinstance(read, str) and restores(json.loads(text), read)


def is_decimal(text: str) -> bool:
    try:
        Decimal(text)
    except InvalidOperation:
        return False
    return True


@given(SCHEMAS, VALUES)
def test_nothing_is_lost(schema: JsonObject, value: Json) -> None:
    """hostile D: what came can be told from what was read, whatever was repaired."""
    assert restores(value, read(value, schema).value)


NUMBERS = st.decimals(allow_nan=False, allow_infinity=False, places=None).map(str) | st.from_regex(
    r"[-+]?[0-9]{0,40}\.?[0-9]{0,40}([eE][-+]?[0-9]{1,4})?", fullmatch=True
)


@given(NUMBERS, st.sampled_from(["integer", "number"]))
def test_a_number_that_is_read_from_text_is_that_number(text: str, kind: str) -> None:
    """hostile D: to the last digit, or it stays text for the validator to refuse."""
    number = read(text, of(kind)).value
    assert number == text or Decimal(repr(number)) == Decimal(text)


TEXT_FIELDS = st.sampled_from(
    [
        of("string"),
        of("string", minLength=3),
        of("string", pattern="^a"),
        of(["string", "integer"]),
        of(["string", "null"]),
        {"enum": ["a", 1]},
        {"anyOf": [of("string"), of("integer")]},
        {"allOf": [of("string"), {"minLength": 2}]},
    ]
)


@given(TEXT_FIELDS, NUMBERS | st.sampled_from(["1", "true", "null", "[1]", '{"a": 1}', '"x"', ""]) | st.text(max_size=5))
def test_text_in_a_text_field_stays_text(schema: JsonObject, text: str) -> None:
    """hostile D: whatever it looks like, alone and in an object."""
    assert read(text, schema).value == text
    assert read({"a": text, "b": "1"}, of("object", properties={"a": schema, "b": of("integer")})).value["a"] == text
