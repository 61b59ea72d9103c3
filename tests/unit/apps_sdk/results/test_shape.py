from __future__ import annotations

import pytest
from hypothesis import given

from apps.sdk.jsontypes import Json
from apps.sdk.results.shape import align_rows
from tests.support.json_values import JSON, ROWS


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([{"a": 1, "b": 2}, {"a": 3}], [{"a": 1, "b": 2}, {"a": 3, "b": None}]),
        ([{"b": 1, "a": 2}, {"a": 3, "b": 4}], [{"b": 1, "a": 2}, {"b": 4, "a": 3}]),
        ([{"m": {"x": 1, "y": 2}}, {"m": {"x": 3}}], [{"m": {"x": 1, "y": 2}}, {"m": {"x": 3, "y": None}}]),
        ({"rows": [{"a": 1, "b": 2}, {"b": 1}]}, {"rows": [{"a": 1, "b": 2}, {"a": None, "b": 1}]}),
        ([{"a": None}, {"a": {"x": 1}}], [{"a": None}, {"a": {"x": 1}}]),
        ([{"a": {"x": 1}}, {"b": 1}], [{"a": {"x": 1}}, {"b": 1}]),
        ([{"a": [1]}, {"b": 1}], [{"a": [1]}, {"b": 1}]),
        ([{"a": 1}, {"b": 2}, {"c": 3}], [{"a": 1}, {"b": 2}, {"c": 3}]),
        ([{}, {"a": 1}], [{}, {"a": 1}]),
        ([], []),
        ([1, {"a": 1}], [1, {"a": 1}]),
    ],
)
def test_rows_become_a_table_only_where_they_are_one(value: Json, expected: Json) -> None:
    """case 37: nulls fill missing keys; null beside object, lists in cells and very sparse rows stay as they are."""
    aligned = align_rows(value)
    assert aligned == expected
    assert repr(aligned) == repr(expected)


def without_added_nulls(original: Json, shaped: Json) -> Json:
    """`shaped` less the nulls at keys that `original` does not have."""
    if isinstance(original, dict) and isinstance(shaped, dict):
        kept = {key: value for key, value in shaped.items() if key in original or value is not None}
        return {key: without_added_nulls(original.get(key), value) for key, value in kept.items()}
    if isinstance(original, list) and isinstance(shaped, list) and len(original) == len(shaped):
        return [without_added_nulls(*pair) for pair in zip(original, shaped, strict=True)]
    return shaped


@given(ROWS | JSON)
def test_aligning_only_ever_adds_nulls_at_missing_keys(value: Json) -> None:
    assert without_added_nulls(value, align_rows(value)) == value
    assert align_rows(align_rows(value)) == align_rows(value)
