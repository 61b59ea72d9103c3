"""What kind of thing a JSON value is, in words: JSON Schema's, those for a caller who sends JSON, those for an author of YAML."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from apps.sdk.jsontypes import Json

JSON_TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})
"""The names that `type` may have in a JSON Schema (draft 2020-12, validation, 6.1.1)."""

_TYPES = ((bool, "boolean"), (int, "integer"), (float, "number"), (str, "string"), (list, "array"))
"""In the order in which they are asked: a boolean of Python is an integer too."""

_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "array": "a list",
        "boolean": "a boolean",
        "integer": "a number",
        "null": "null",
        "number": "a number",
        "object": "an object",
        "string": "a string",
    }
)


def json_type(value: Json) -> str:
    """The JSON Schema name of a value's type."""
    kinds = (kind for python, kind in _TYPES if isinstance(value, python))
    return "null" if value is None else next(kinds, "object")


def describe_kind(value: Json) -> str:
    """What came, for who sent JSON, without the value itself: `a list`, `a string` ..."""
    return _WORDS[json_type(value)]


def show(value: Json) -> str:
    """A wrong value in words for who wrote YAML, short: `the text 'ten'`, `a mapping`."""
    match value:
        case None:
            return "nothing"
        case bool():
            return str(value).lower()
        case str():
            return f"the text {value[:60]!r}"
        case int() | float():
            return f"the number {value}"
        case dict():
            return "a mapping"
        case _:
            return describe_kind(value)
