from __future__ import annotations

import json

import pytest
from hypothesis import given

from apps.sdk.jsontypes import Json
from apps.sdk.strict_json import MAX_NESTED_DEPTH, RefusedJson, load_json, load_nested
from tests.support.json_values import JSON


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a": 1, "a": 2}', "twice"),
        ('[{"b": {"a": 1, "a": true}}]', "twice"),
        ("[NaN]", "NaN"),
        ('{"a": -Infinity}', "-Infinity"),
        ("1e999", "out of range"),
        ("[" * (MAX_NESTED_DEPTH + 1) + "]" * (MAX_NESTED_DEPTH + 1), "levels deep"),
        ("[" * 100_000, "levels deep"),
    ],
)
def test_what_a_lenient_reader_would_change_is_refused(text: str, words: str) -> None:
    with pytest.raises(RefusedJson, match=words):
        load_nested(text)


def test_what_is_harmless_is_read() -> None:
    """The same key with the same value, a line break in a string, a byte order mark, the deepest nesting that is allowed."""
    assert load_json('\ufeff{"a": 1, "a": 1, "b": "x\ny"}') == {"a": 1, "b": "x\ny"}
    assert load_nested(r'["a\ud800b"]') == ["a\ufffdb"]
    assert load_nested("[" * MAX_NESTED_DEPTH + "]" * MAX_NESTED_DEPTH)


@given(JSON)
def test_other_json_is_read_as_it_stands(value: Json) -> None:
    assert load_json(json.dumps(value)) == value
