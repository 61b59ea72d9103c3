"""The copy of a result that a model is given."""

from __future__ import annotations

import json

from hypothesis import given

from apps.sdk.jsontypes import Json
from apps.sdk.results.model_copy import copy_for_model, write_for_model
from tests.support.json_values import JSON, ROWS


def test_what_is_hidden_and_missing() -> None:
    """Hidden characters are counted, rows are aligned; the original is left alone."""
    rows = [{"a": "x\u200by", "c": 1}, {"a": "z", "b": 2, "c": 2}]
    before = json.dumps(rows)
    copied = copy_for_model(rows)
    assert copied.value == [{"a": "xy", "c": 1, "b": None}, {"a": "z", "c": 2, "b": 2}]
    assert copied.removed == 1
    assert json.dumps(rows) == before


def test_costs_are_of_the_same_fields() -> None:
    """What is excluded counts neither as TOON nor as JSON."""
    rows = [{"title": f"Title {number}", "hash": "f" * 100} for number in range(20)]
    text = write_for_model(rows, ("hash",))
    assert text.json_tokens == write_for_model([{"title": row["title"]} for row in rows]).json_tokens
    assert text.tokens < text.json_tokens


@given(JSON | ROWS)
def test_any_result_can_be_written(value: Json) -> None:
    """For all JSON, integers of any length included."""
    text = write_for_model(value)
    assert (text.tokens == 0) == (text.toon == "")
    assert text.json_tokens > 0
