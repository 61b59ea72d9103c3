import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.sdk.jsontypes import Json
from apps.sdk.results.paths import exclude_fields, list_paths
from tests.support.json_values import JSON


@pytest.mark.parametrize(
    ("paths", "value", "expected"),
    [
        (["hash"], [{"hash": 1, "a": 2}], [{"a": 2}]),
        (["meta_url.favicon"], {"meta_url": {"favicon": 1, "host": 2}}, {"meta_url": {"host": 2}}),
        (["results.*.thumb"], {"results": [{"thumb": 1, "a": {"thumb": 2}}]}, {"results": [{"a": {"thumb": 2}}]}),
        (["results.*.thumb"], {"results": {"x": {"thumb": 1, "a": 2}}}, {"results": {"x": {"a": 2}}}),
        (["results.thumb"], {"results": [[{"thumb": 1}], {"thumb": 2}]}, {"results": [[{}], {}]}),
        (["results.0.thumb"], {"results": [{"thumb": 1}]}, {"results": [{"thumb": 1}]}),
        (["a.b"], {"a.b": 1, "a": {"b": 2, "c": 3}}, {"a": {"c": 3}}),
        (["a.*"], {"a": {"b": 2}, "c": 3}, {"a": {}, "c": 3}),
        (["nowhere.at.all", "", "."], {"a": 1}, {"a": 1}),
        (["a"], "text", "text"),
    ],
)
def test_excluded_fields_are_absent_from_the_copy_only(paths: list[str], value: Json, expected: Json) -> None:
    """case 36: nested and list paths, `*`, keys with dots."""
    before = copy.deepcopy(value)
    assert exclude_fields(value, paths) == expected
    assert value == before


@given(JSON, st.lists(st.text("ab.*", max_size=5), max_size=3))
def test_excluding_takes_away_and_adds_nothing(value: Json, paths: list[str]) -> None:
    """Whatever the paths, what is left was there before, and excluding twice is excluding once."""
    left = exclude_fields(value, paths)
    assert set(list_paths(left)) <= set(list_paths(value))
    assert exclude_fields(left, paths) == left


def test_every_field_has_a_path() -> None:
    """Lists are passed through."""
    value = {"a": [{"z": 1}, {"b": [{"c": None}]}]}
    assert list(list_paths(value)) == ["a", "a.z", "a.b", "a.b.c"]
