"""JSON as it is kept: compact text, in which whole numbers of any size and every string come back equal.

Kept in columns of `AnyText`, which take the NUL characters and lone surrogates that a string may hold.
"""

from __future__ import annotations

import json

from apps.sdk.jsontypes import Json
from service.store.errors import RowUnreadable


def write_json(value: Json) -> str:
    """The text of a value. Raises `ValueError` for what is no JSON, and for what nests too deeply for Python."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, RecursionError) as error:
        raise ValueError(f"this cannot be kept as JSON: {type(error).__name__}") from None


def read_json(text: str, table: str, row: object) -> Json:
    """The value of a text; the row is named in errors. Raises `RowUnreadable`."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise RowUnreadable(table, row) from None


def read_strings(text: str, table: str, row: object) -> tuple[str, ...]:
    """The strings of a JSON list. Raises `RowUnreadable`."""
    value = read_json(text, table, row)
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise RowUnreadable(table, row)
    return tuple(value)


def read_object(text: str, table: str, row: object) -> dict[str, Json]:
    """The JSON object of a text. Raises `RowUnreadable`."""
    value = read_json(text, table, row)
    if not isinstance(value, dict):
        raise RowUnreadable(table, row)
    return value
