"""What is told by hand is what the validator says."""

from __future__ import annotations

import pytest

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.schemas.fitting import fits
from apps.sdk.schemas.parameters import compile_validator


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        ([True], {"enum": [[1]]}),
        ([1.0], {"enum": [[1]]}),
        ({"a": False}, {"enum": [{"a": 0}]}),
        (True, {"enum": [1]}),
        (1.0, {"enum": [1]}),
        ("1", {"enum": [1]}),
        (2.0, {"type": "integer"}),
        (2.5, {"type": "integer"}),
        (True, {"type": ["number", "null"]}),
        (5, {"minimum": 6}),
        ("x", {"minimum": 6}),
        ([], {"minItems": 1, "items": False}),
        ({}, {"required": ["a"], "properties": {"a": False}}),
        ([1], {"items": {"type": "string"}}),
        ("ab", {"pattern": "^b"}),
    ],
)
def test_the_answer_is_the_validator_s(value: Json, schema: JsonObject) -> None:
    assert fits(value, schema, schema) is compile_validator(schema).is_valid(value)
