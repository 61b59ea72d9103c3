from hypothesis import given

from apps.sdk.jsontypes import Json
from apps.sdk.schemas.equality import level_numbers, make_comparable
from tests.support.json_values import JSON


def test_numbers_are_levelled_at_every_depth() -> None:
    """1.0 is 1 in lists and objects too, while 1.5, true and text stay what they are."""
    assert repr(level_numbers([1.0, {"a": [2.0, 1.5]}, True, "1.0"])) == "[1, {'a': [2, 1.5]}, True, '1.0']"


def test_equal_values_share_a_text() -> None:
    """The order of keys and how a number is written do not count; true is not 1, and neither is its text."""
    assert make_comparable({"a": 1, "b": [1.0]}) == make_comparable({"b": [1], "a": 1.0})
    assert len({make_comparable(value) for value in (1, True, "1", [1], [True], None)}) == 6


@given(JSON)
def test_a_value_is_equal_to_its_levelled_self(value: Json) -> None:
    assert make_comparable(level_numbers(value)) == make_comparable(value)
