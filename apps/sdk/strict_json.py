"""JSON as models write it, read strictly: nothing that a lenient reader would take and change comes through."""

from __future__ import annotations

import json
import math

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.schemas.equality import make_comparable
from apps.sdk.truncation import replace_surrogates, shorten
from apps.sdk.walks import exceeds_depth, map_strings

MAX_NESTED_DEPTH = 35
"""Deepest nesting of JSON that stands as text in arguments: below `walks.MAX_DEPTH` wherever a schema puts it."""
_TOO_DEEP = f"JSON as text may nest at most {MAX_NESTED_DEPTH} levels deep"


class RefusedJson(ValueError):
    """Text that a lenient reader would take and change; the message is a clause: `the key "a" stands there twice, ...`."""


def load_json(text: str) -> Json:
    """Strict JSON, but for raw line breaks in strings and a byte order mark.

    Raises `RefusedJson` for keys given twice and numbers that are none, other `ValueError` for what is no JSON, `RecursionError`.
    """
    return json.loads(
        text.removeprefix("\ufeff"),
        strict=False,
        object_pairs_hook=_unique_keys,
        parse_constant=_refuse_constant,
        parse_float=_finite,
    )


def load_nested(text: str) -> Json:
    """JSON that stands as text inside arguments, with the same promises as theirs. Raises `ValueError`."""
    try:
        value = load_json(text)
    except RecursionError:
        raise RefusedJson(_TOO_DEEP) from None
    if exceeds_depth(value, MAX_NESTED_DEPTH):
        raise RefusedJson(_TOO_DEEP)
    return map_strings(value, replace_surrogates)


def _unique_keys(pairs: list[tuple[str, Json]]) -> JsonObject:
    result: JsonObject = {}
    for key, value in pairs:
        if key in result and make_comparable(result[key]) != make_comparable(value):
            raise RefusedJson(f"the key {json.dumps(shorten(key, 60))} stands there twice, with different values")
        result[key] = value
    return result


def _refuse_constant(name: str) -> Json:
    raise RefusedJson(f"{name} is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise RefusedJson("a number is out of range")
    return number
