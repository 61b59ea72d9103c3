"""When two values are the same one to JSON Schema: 1 and 1.0 are, 1 and true are not, the order of keys does not count."""

from __future__ import annotations

from apps.sdk.hashing import canonical_json
from apps.sdk.jsontypes import Json


def make_comparable(value: Json) -> str:
    """A text that two values share exactly when JSON Schema takes them for equal."""
    return canonical_json(level_numbers(value))


def level_numbers(value: Json) -> Json:
    """The value with each whole number in it as an integer: 1.0 is 1, though true stays true."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [level_numbers(item) for item in value]
    return {key: level_numbers(item) for key, item in value.items()} if isinstance(value, dict) else value
