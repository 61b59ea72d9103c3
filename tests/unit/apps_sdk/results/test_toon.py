from __future__ import annotations

import json

import pytest
import toon_format
from hypothesis import given
from hypothesis import strategies as st

from apps.sdk.jsontypes import Json
from apps.sdk.results.model_copy import copy_for_model
from apps.sdk.results.shape import align_rows
from apps.sdk.results.toon import encode
from tests.support.json_values import JSON, ROWS


def same(left: Json, right: Json) -> bool:
    """Equality that keeps true apart from 1."""
    texts = [json.dumps(value, sort_keys=True) for value in (left, right)]
    return bool(left == right) and texts[0].count("true") == texts[1].count("true")


@given(JSON | ROWS)
def test_what_is_encoded_decodes_to_the_same(value: Json) -> None:
    """case 37, hostile J: for every JSON value, before and after rows are aligned."""
    for shaped in (value, align_rows(value)):
        assert same(toon_format.decode(encode(shaped)), shaped)


@pytest.mark.parametrize(
    "value",
    [
        [{"a": {}}],
        {"": {"a": 1}, "a": 2},
        [".622", "+861", "true", "null", "42", "1e5", "100.0"],
        [{}],
        [],
        {},
        [{"a.b": 1, "a|b": 2, "a\nb": 3}],
        [{"a": None}, {"a": {"b": 1}}],
        [[{"a": 1}, {"a": 2}], []],
        {"": [{"": {}}, {"": 1}]},
        [{"a": {}}, {"a": {}}],
        [{"a": {"b": {}}}, {"a": {"b": {}}}],
        [{"a": [], "b": [[]]}, {"a": [{}], "b": []}],
        [[], [[]], [{}], {}],
        {"a": {"": {"": {}}}},
        ["\x00", "\x1b", "\x7f", "\x85", "\u2028"],
        [True, 1, 1.0, "1", "True"],
        2**63,
        1e-9,
        2.0**60,
    ],
)
def test_the_shapes_that_broke_other_encoders_come_back(value: Json) -> None:
    """hostile J, row by row; a key `a.b` is never guessed into another form."""
    assert same(toon_format.decode(encode(value)), value)


@given(
    st.recursive(
        st.text(st.characters(), max_size=4) | st.just("\ud83d\ude00 \udfff"),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(), max_size=3), inner),
    )
)
def test_half_characters_are_replaced_before(value: Json) -> None:
    """hostile J: what a model is given can always be encoded and comes back as it was given."""
    copy = copy_for_model(value).value
    text = encode(copy)
    assert text.encode().decode() == text
    assert same(toon_format.decode(text), copy)


def test_uniform_rows_are_smaller_than_compact_json() -> None:
    """case 37."""
    rows = [{"title": f"Title {n}", "url": f"https://example.org/{n}", "meta": {"rank": n}} for n in range(20)]
    assert len(encode(rows)) < 0.7 * len(json.dumps(rows, separators=(",", ":")))
