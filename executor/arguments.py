"""The raw text of a call's arguments to a JSON object."""

from __future__ import annotations

import json
import math

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.kinds import describe_kind
from apps.sdk.truncation import replace_surrogates, shorten
from apps.sdk.walks import MAX_DEPTH, exceeds_depth, map_strings
from executor.errors import CallError, invalid_arguments

_MAX_ENCODINGS = 3
_MAX_NESTED_DEPTH = 35
"""Deepest nesting of JSON that stands as text in arguments: below `MAX_DEPTH` wherever it is put."""


def parse_arguments(text: str) -> JsonObject | CallError:
    """The object that `text` holds; empty text, blanks and `null` are no arguments; text that was encoded twice is unwrapped.

    The error says where the text broke and quotes none of it.
    """
    try:
        value = _unwrap(text)
    except json.JSONDecodeError as error:
        return _broken(error)
    except (ValueError, RecursionError) as error:
        return invalid_arguments(_unreadable(error))
    if value is None:
        return {}
    if not isinstance(value, dict):
        return invalid_arguments(f"The arguments must be a JSON object; {describe_kind(value)} came.")
    if exceeds_depth(value):
        return invalid_arguments(f"The arguments nest deeper than {MAX_DEPTH} levels.")
    arguments: JsonObject = map_strings(value, replace_surrogates)
    return arguments


def _unwrap(text: str) -> Json:
    """The value that is not text any more, or the text that is left after a few layers; blank text is None."""
    value: Json = text
    for _ in range(_MAX_ENCODINGS):
        if not isinstance(value, str):
            break
        value = load_json(value) if value.strip() else None
    return value


def load_json(text: str) -> Json:
    """Strict JSON, but for raw line breaks in strings; raises ValueError for keys given twice and numbers that are none."""
    return json.loads(
        text.removeprefix("\ufeff"),
        strict=False,
        object_pairs_hook=_unique_keys,
        parse_constant=_refuse_constant,
        parse_float=_finite,
    )


def load_nested(text: str) -> Json:
    """JSON that stands as text inside arguments, with the same promises as theirs; raises ValueError."""
    try:
        value = load_json(text)
    except RecursionError:
        raise _Refused("The text nests too deeply.") from None
    if exceeds_depth(value, _MAX_NESTED_DEPTH):
        raise _Refused("The text nests too deeply.")
    return map_strings(value, replace_surrogates)


def _broken(error: json.JSONDecodeError) -> CallError:
    place = f"line {error.lineno} column {error.colno} (character {error.pos} of {len(error.doc)})"
    if error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated string"):
        message = f"The arguments are not complete JSON: the text ends in the middle, at {place}. Nothing was run."
        return invalid_arguments(message, "Send the call again with complete, shorter arguments.")
    return invalid_arguments(f"The arguments are not JSON: {error.msg} at {place}. Nothing was run.")


def _unreadable(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return f"The arguments nest deeper than {MAX_DEPTH} levels."
    if isinstance(error, _Refused):
        return str(error)
    return "The arguments hold a number that is too long."


class _Refused(ValueError):
    """Text that a lenient reader would take and change."""


def _unique_keys(pairs: list[tuple[str, Json]]) -> JsonObject:
    result: JsonObject = {}
    for key, value in pairs:
        if key in result and result[key] != value:
            raise _Refused(f"The arguments give the key {json.dumps(shorten(key, 60))} twice, with different values.")
        result[key] = value
    return result


def _refuse_constant(name: str) -> Json:
    raise _Refused(f"The arguments hold {name}, which is not JSON.")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise _Refused("The arguments hold a number that is out of range.")
    return number
