import pytest

from apps.sdk.jsontypes import Json
from apps.sdk.walks import exceeds_depth, map_strings


def test_keys_that_become_equal_are_numbered() -> None:
    """Also around a key that already looks numbered; no value is lost."""
    written = {"a": 1, "A": 2, "a (2)": 3, "A (2)": 4}
    assert map_strings(written, str.lower) == {"a": 1, "a (2)": 2, "a (2) (2)": 3, "a (2) (3)": 4}


@pytest.mark.timeout(20)
def test_many_keys_that_become_equal_take_linear_time() -> None:
    """A hundred thousand keys with one cleaned form are counted on, not from one again for each."""
    mapped = map_strings({str(number): number for number in range(100_000)}, lambda _: "same")
    assert len(mapped) == 100_000
    assert list(mapped)[-1] == "same (100000)"


@pytest.mark.parametrize(("value", "depth"), [(1, 0), ("[[", 0), ([], 1), ({}, 1), ([1], 1), ([[]], 2), ({"a": [{}], "b": 1}, 3)])
def test_objects_and_lists_count_as_levels_and_what_they_hold_does_not(value: Json, depth: int) -> None:
    assert not exceeds_depth(value, depth)
    assert depth == 0 or exceeds_depth(value, depth - 1)


def test_no_depth_exhausts_the_stack() -> None:
    value: Json = []
    for _ in range(100_000):
        value = [value]
    assert exceeds_depth(value)
    assert exceeds_depth(value, 100_000)
    assert not exceeds_depth(value, 100_001)
