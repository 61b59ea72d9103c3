"""The raw text of a call's arguments to a JSON object."""

from __future__ import annotations

import json

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.kinds import describe_kind
from apps.sdk.strict_json import RefusedJson, load_json
from apps.sdk.truncation import replace_surrogates
from apps.sdk.walks import MAX_DEPTH, exceeds_depth, map_strings
from executor.errors import CallError, invalid_arguments

_MAX_ENCODINGS = 3


def parse_arguments(text: str) -> JsonObject | CallError:
    """The object that `text` holds; empty text, blanks and `null` are no arguments; text that was encoded twice is unwrapped.

    The error says where the text broke and quotes none of it.
    """
    try:
        value = _unwrap(text)
    except (ValueError, RecursionError) as error:
        return _explain(error)
    if value is None:
        return {}
    if not isinstance(value, dict):
        return invalid_arguments(f"The arguments must be a JSON object; {describe_kind(value)} came.")
    if exceeds_depth(value):
        return refuse_depth()
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


def _explain(error: Exception) -> CallError:
    if isinstance(error, json.JSONDecodeError):
        return _broken(error)
    if isinstance(error, RecursionError):
        return refuse_depth()
    if isinstance(error, RefusedJson):
        return invalid_arguments(f"The arguments cannot be read: {error}.")
    return invalid_arguments("The arguments hold a number that is too long.")


def _broken(error: json.JSONDecodeError) -> CallError:
    place = f"line {error.lineno} column {error.colno} (character {error.pos} of {len(error.doc)})"
    if error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated string"):
        message = f"The arguments are not complete JSON: the text ends in the middle, at {place}. Nothing was run."
        return invalid_arguments(message, "Send the call again with complete, shorter arguments.")
    return invalid_arguments(f"The arguments are not JSON: {error.msg} at {place}. Nothing was run.")


def refuse_depth() -> CallError:
    """The error of arguments that nest too deeply."""
    return invalid_arguments(f"The arguments nest deeper than {MAX_DEPTH} levels.")
