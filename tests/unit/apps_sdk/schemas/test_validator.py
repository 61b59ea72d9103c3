from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from apps.sdk.jsontypes import Json
from apps.sdk.schemas.parameters import compile_validator
from apps.sdk.schemas.patterns import TEXT_LIMIT_MORE

ITEMS: st.SearchStrategy[Json] = st.recursive(
    st.sampled_from([None, True, False, 0, 1, 0.0, -0.0, 1.0, 1.5, "", "1", "true"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=4,
)


@given(st.lists(ITEMS, max_size=4))
def test_items_are_unique_as_json_schema_has_it(items: list[Json]) -> None:
    """1 is 1.0 and not true, the order of keys does not matter: the library's own answer, at any depth."""
    schema = {"uniqueItems": True}
    assert compile_validator(schema).is_valid(items) == Draft202012Validator(schema).is_valid(items)


@pytest.mark.timeout(20)
def test_many_objects_are_compared_in_linear_time() -> None:
    validator = compile_validator({"uniqueItems": True})
    items: list[Json] = [{"a": {"b": number}} for number in range(50_000)]
    assert validator.is_valid(items)
    assert not validator.is_valid([*items, {"a": {"b": 7.0}}])


@pytest.mark.timeout(20)
def test_patterns_are_searched_in_texts_of_a_bounded_length_only() -> None:
    """A pattern of cubic time meets a text of a megabyte: not fulfilled, at once; names of fields likewise."""
    pattern = r"^\s*\S*\s*\S*;$"
    assert compile_validator({"pattern": pattern}).is_valid(" " * (TEXT_LIMIT_MORE - 1) + ";") is True
    assert not compile_validator({"pattern": pattern}).is_valid(" " * 1_000_000)
    assert not compile_validator({"patternProperties": {pattern: True}}).is_valid({" " * 1_000_000: 1})
    assert compile_validator({"pattern": r"^\S"}).is_valid("x" * 1_000_000)


@given(st.dictionaries(st.sampled_from(["a", "b1", "c"]), ITEMS, max_size=3))
def test_named_patterns_decide_as_the_library_does(value: Json) -> None:
    schemas = [
        {"patternProperties": {first: {"type": kind}}, "additionalProperties": extra}
        for first, kind, extra in itertools.product(["^a", "[0-9]"], ["string", "array"], [True, False])
    ]
    assert [compile_validator(schema).is_valid(value) for schema in schemas] == [
        Draft202012Validator(schema).is_valid(value) for schema in schemas
    ]
