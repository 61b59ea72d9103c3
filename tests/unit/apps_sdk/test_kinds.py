import pytest

from apps.sdk.jsontypes import Json
from apps.sdk.kinds import JSON_TYPES, describe_kind, json_type, show


@pytest.mark.parametrize(
    ("value", "name", "kind", "shown"),
    [
        (None, "null", "null", "nothing"),
        (True, "boolean", "a boolean", "true"),
        (1, "integer", "a number", "the number 1"),
        (1.0, "number", "a number", "the number 1.0"),
        ("x", "string", "a string", "the text 'x'"),
        ([1], "array", "a list", "a list"),
        ({"a": 1}, "object", "an object", "a mapping"),
    ],
)
def test_each_kind_has_its_words(value: Json, name: str, kind: str, shown: str) -> None:
    """A type's name, words for who sent JSON, words with the value for who wrote YAML."""
    assert (json_type(value), describe_kind(value), show(value)) == (name, kind, shown)
    assert name in JSON_TYPES


def test_a_long_text_is_shown_in_part() -> None:
    assert len(show("x" * 1_000_000)) < 100
