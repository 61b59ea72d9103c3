"""What fits an `output_example`, and how a mismatch is told."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given

from apps.sdk.jsontypes import Json
from apps.sdk.testing.result_check import ResultMismatch, check_result
from tests.support.json_values import JSON
from tests.unit.executor.scripted import make_spec

ROW = {"title": "A", "rank": 1, "meta": {"tags": ["x"], "score": 0.5}}


def find_faults(data: Json, example: Json, *varying: str) -> list[str]:
    """The faults, a line each; none when the result fits."""
    try:
        check_result(data, dataclasses.replace(make_spec(), output_example=example), varying)
    except ResultMismatch as mismatch:
        return [line.strip() for line in str(mismatch).splitlines()[1:]]
    return []


@pytest.mark.parametrize(
    ("data", "example"),
    [
        ([], [ROW]),
        ([ROW, {"title": "", "rank": 2.5, "meta": {"tags": [], "score": 1}}], [ROW]),
        ({"n": None}, {"n": None}),
        ({"n": [1]}, {"n": None}),
        ({}, {"n": None}),
        ([{"a": 1}, {"a": 1, "b": "x"}, {"a": 1, "b": None}], [{"a": 1, "b": "y"}, {"a": 2}]),
        ([{"a": 1}, {"a": "x"}], [{"a": 1}, {"a": "x"}]),
        ([1, "a"], ["b", 2]),
        ({"any": {"x": 1}}, {"any": {}}),
        ({"any": [1, "x"]}, {"any": []}),
        ([{"type": "text", "text": "x"}], ROW),
        (1, None),
    ],
)
def test_what_fits(data: Json, example: Json) -> None:
    """Empty lists; numbers of both kinds; null, `{}` and `[]` as anything; keys that several example rows do not share."""
    assert find_faults(data, example) == []


@pytest.mark.parametrize(
    ("data", "example", "faults"),
    [
        (
            {"title": 1, "rank": True},
            {"title": "A", "rank": 1},
            ["title: 1 (integer) came, the example has string", "rank: true (boolean) came, the example has number"],
        ),
        ({"titel": "A"}, {"title": "A"}, ["title: missing", "titel: unexpected, the example has title"]),
        (
            [ROW, {**ROW, "meta": {"tags": [1], "score": 1}}],
            [ROW],
            ["[1].meta.tags[0]: 1 (integer) came, the example has string"],
        ),
        ({"rows": {}}, {"rows": [1]}, ["rows: {} (object) came, the example has array"]),
        ({"a": None}, {"a": "x"}, ["a: null (null) came, the example has string"]),
        ([{"a": True}], [{"a": 1}, {"a": "x"}], ["[0].a: true (boolean) came, the example has number or string"]),
        ("x", [1], ['the result: "x" (string) came, the example has array']),
    ],
)
def test_what_does_not_fit_is_told_by_path(data: Json, example: Json, faults: list[str]) -> None:
    """What is missing, unexpected or of another type, in any depth."""
    assert find_faults(data, example) == faults


def test_a_test_may_say_what_varies() -> None:
    """Such a path may be missing, unexpected or of any type, in every row."""
    assert find_faults([{"a": {"b": 1}}, {"a": {"b": "x", "c": 1}}, {"a": {}}], [{"a": {"b": 1}}], "a.b", "a.c") == []


def test_many_faults_are_counted() -> None:
    """Twenty are enough to see what is wrong."""
    faults = find_faults([{}] * 30, [{"a": 1}])
    assert len(faults) == 21
    assert faults[-1] == "and 10 more"


@given(JSON)
def test_every_result_fits_itself(data: Json) -> None:
    """An example copied from a run is right, whatever the JSON."""
    assert find_faults(data, data) == []
