from __future__ import annotations

import json

import pytest
import toon_format
from hypothesis import given

from apps.sdk.jsontypes import Json
from apps.sdk.results.shape import align_rows
from apps.sdk.results.toon import encode
from tests.support.json_values import JSON, ROWS


def same(left: Json, right: Json) -> bool:
    """Equality that keeps true apart from 1."""
    return bool(left == right) and json.dumps(left, sort_keys=True).count("true") == json.dumps(right, sort_keys=True).count(
        "true"
    )


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
        2**63,
        1e-9,
        2.0**60,
    ],
)
def test_the_shapes_that_broke_other_encoders_come_back(value: Json) -> None:
    """hostile J, row by row; a key `a.b` is never guessed into another form."""
    assert same(toon_format.decode(encode(value)), value)


def test_uniform_rows_are_smaller_than_compact_json() -> None:
    """case 37."""
    rows = [{"title": f"Title {n}", "url": f"https://example.org/{n}", "meta": {"rank": n}} for n in range(20)]
    assert len(encode(rows)) < 0.7 * len(json.dumps(rows, separators=(",", ":")))
