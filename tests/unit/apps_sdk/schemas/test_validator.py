from __future__ import annotations

import itertools
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.schemas.faults import find_faults
from apps.sdk.schemas.parameters import compile_validator
from apps.sdk.schemas.patterns import TEXT_LIMIT_MORE, find_text_limit
from apps.sdk.schemas.searching import SearchesTooLong, limit_searches

ITEMS: st.SearchStrategy[Json] = st.recursive(
    st.sampled_from([None, True, False, 0, 1, 0.0, -0.0, 1.0, 1.5, "", "1", "true"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=4,
)


ANY_FIELDS = st.dictionaries(st.sampled_from(["a", "b1", "c"]), ITEMS, max_size=3)


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
def test_many_fields_and_items_are_looked_up_in_linear_time() -> None:
    """Those that some keyword named, and those that none did."""
    fields = compile_validator({"properties": {f"a{n}": True for n in range(20_000)}, "unevaluatedProperties": False})
    assert fields.is_valid({f"a{n}": n for n in range(20_000)})
    assert not fields.is_valid({f"a{n}": n for n in range(20_001)})
    items = compile_validator({"contains": {"type": "integer"}, "unevaluatedItems": {"type": "string"}})
    assert items.is_valid([*range(60_000), "a"])
    assert not items.is_valid([*range(60_000), None])


@pytest.mark.timeout(20)
@pytest.mark.parametrize("keyword", ["additionalProperties", "unevaluatedProperties"])
@pytest.mark.parametrize("wanted", [False, {"type": "integer"}])
def test_names_are_searched_up_to_a_bounded_length_by_every_keyword(keyword: str, wanted: Json) -> None:
    """The keyword beside `patternProperties` searches the same names: a long one is refused, at once."""
    schema: JsonObject = {"patternProperties": {r"\w+\w+@": True}, keyword: wanted}
    validator = compile_validator(schema)
    assert validator.is_valid({"ab@": None})
    assert not validator.is_valid({"ab": None})
    begun = time.thread_time()
    assert not validator.is_valid({"a" * 100_000: 1})
    assert all(find_faults(error, "") for error in validator.iter_errors({"a" * 100_000: None}))
    assert time.thread_time() - begun < 0.5


@pytest.mark.timeout(20)
def test_searches_share_the_time_of_their_block() -> None:
    """However many texts there are: after the time has passed the next search raises. Elsewhere nothing is counted."""
    validator = compile_validator({"items": {"pattern": r"\w+\w+@"}})
    length = find_text_limit(r"\w+\w+@") or 0
    with limit_searches(0.05):
        assert validator.is_valid(["ab@"] * 100)
        with pytest.raises(SearchesTooLong):
            list(validator.iter_errors(["a" * length] * 1_000))
    assert validator.is_valid(["ab@"])


@pytest.mark.timeout(20)
def test_patterns_are_searched_in_texts_of_a_bounded_length_only() -> None:
    """A pattern of cubic time meets a text of a megabyte: not fulfilled, at once; names of fields likewise."""
    pattern = r"^\s*\S*\s*\S*;$"
    assert compile_validator({"pattern": pattern}).is_valid(" " * (TEXT_LIMIT_MORE - 1) + ";") is True
    assert not compile_validator({"pattern": pattern}).is_valid(" " * 1_000_000)
    assert not compile_validator({"patternProperties": {pattern: True}}).is_valid({" " * 1_000_000: 1})
    assert compile_validator({"pattern": r"^\S"}).is_valid("x" * 1_000_000)


PARTS: st.SearchStrategy[Json] = st.sampled_from(
    [
        True,
        {"properties": {"a": {"type": "integer"}}},
        {"patternProperties": {"^b": True}},
        {"additionalProperties": {"type": "array"}},
        {"required": ["a"], "properties": {"c": True}},
        {"$ref": "#/$defs/named"},
        {"if": {"required": ["a"]}, "then": {"properties": {"b1": True}}, "else": {"properties": {"c": True}}},
        {"dependentSchemas": {"a": {"properties": {"c": True}}}},
        {"prefixItems": [True, {"type": "integer"}]},
        {"contains": {"type": "string"}},
        {"unevaluatedItems": {"type": "integer"}},
        {"items": {"type": "integer"}},
        {"unevaluatedProperties": {"type": "integer"}},
    ]
)
WANTED = st.sampled_from([False, True, {"type": "string"}])


@given(st.lists(PARTS, min_size=1, max_size=3), st.sampled_from(["allOf", "anyOf", "oneOf"]), PARTS, WANTED, ITEMS | ANY_FIELDS)
def test_what_nothing_names_is_what_the_library_says(
    parts: list[Json], among: str, beside: Json, wanted: Json, value: Json
) -> None:
    """Through references, alternatives and conditions, for fields and items."""
    own = beside if isinstance(beside, dict) else {}
    schema = {**own, among: parts, "$defs": {"named": {"properties": {"a": True}, "prefixItems": [True]}}}
    schema = {"unevaluatedProperties": wanted, "unevaluatedItems": wanted, **schema}
    assert compile_validator(schema).is_valid(value) == Draft202012Validator(schema).is_valid(value)


@given(ANY_FIELDS)
def test_named_patterns_decide_as_the_library_does(value: Json) -> None:
    schemas = [
        {"patternProperties": {first: {"type": kind}}, "additionalProperties": extra}
        for first, kind, extra in itertools.product(["^a", "[0-9]"], ["string", "array"], [True, False])
    ]
    assert [compile_validator(schema).is_valid(value) for schema in schemas] == [
        Draft202012Validator(schema).is_valid(value) for schema in schemas
    ]
