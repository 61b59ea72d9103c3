"""A validation error in words for a model: the field's path, what came, what is allowed."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from apps.sdk.jsontypes import Json
from apps.sdk.kinds import json_type
from apps.sdk.near_names import suggest
from apps.sdk.schemas.searching import list_unnamed
from apps.sdk.truncation import shorten

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

_VALUE_CHARACTERS = 60
_ALLOWED_CHARACTERS = 300
_LIMITS = {
    "minimum": "at least",
    "maximum": "at most",
    "exclusiveMinimum": "more than",
    "exclusiveMaximum": "less than",
    "multipleOf": "a multiple of",
    "minLength": "a text of at least this many characters:",
    "maxLength": "a text of at most this many characters:",
    "minItems": "a list of at least this many items:",
    "maxItems": "a list of at most this many items:",
    "minProperties": "an object of at least this many fields:",
    "maxProperties": "an object of at most this many fields:",
    "pattern": "a text that matches",
    "format": "a text in the format",
    "const": "exactly",
    "type": "of type",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong. Of an unknown `name` the `known` ones are searched for a close one, but not before `describe`."""

    text: str
    name: str | None = None
    known: Sequence[str] = ()

    def describe(self) -> str:
        return self.text if self.name is None else f"{self.text}; {_advise(self.name, self.known)}"


def find_faults(error: ValidationError, path: str) -> list[Fault]:
    """All that an error is about; values are shown shortened, with their type."""
    if error.validator in {"additionalProperties", "unevaluatedProperties"}:
        return _find_unknown_faults(error, join_path(path, *error.absolute_path))
    return [Fault(line) for line in _explain_error(error, path)]


def _explain_error(error: ValidationError, path: str) -> list[str]:
    where = join_path(path, *error.absolute_path)
    keyword, allowed = str(error.validator), _json(error.validator_value)
    if keyword == "required":
        return [f"{join_path(where, name)} is missing" for name in _missing(error)]
    if keyword in {"anyOf", "oneOf"}:
        return [_explain_alternatives(error, path, where)]
    if keyword == "enum":
        return [
            f"{where or 'the value'} must be one of {_show(allowed, _ALLOWED_CHARACTERS)}; {describe(_json(error.instance))} came"
        ]
    if keyword in _LIMITS:
        limit = " or ".join(allowed) if isinstance(allowed, list) else _show(allowed, _ALLOWED_CHARACTERS).strip('"')
        return [f"{where or 'the value'} must be {_LIMITS[keyword]} {limit}; {describe(_json(error.instance))} came"]
    rule = f"{keyword}: {_show(allowed, _ALLOWED_CHARACTERS)}"
    return [f"{where or 'the value'} breaks the rule {rule}; {describe(_json(error.instance))} came"]


def locate_fault(error: ValidationError, at: Sequence[str | int]) -> str:
    """An RFC 6901 JSON pointer to what is wrong below `at`: the value, or the field that is missing or unknown."""
    parts = [*at, *error.absolute_path]
    if error.validator == "required":
        parts += _missing(error)[:1]
    elif error.validator == "additionalProperties":
        parts += _find_unknown(error)[:1]
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


def describe(value: Json) -> str:
    """A value shortened, with its type: `"ten" (string)`."""
    return f"{_show(value, _VALUE_CHARACTERS)} ({json_type(value)})"


def join_path(path: str, *parts: str | int) -> str:
    """`requests[0].city`; a key that is no plain word is quoted."""
    for part in parts:
        if isinstance(part, int):
            path += f"[{part}]"
        elif re.fullmatch(r"[\w-]{1,60}", part):
            path += f".{part}" if path else part
        else:
            path += f"[{_show(part, _VALUE_CHARACTERS)}]"
    return path


def _json(value: object) -> Json:
    """The library's types allow for an error that was never filled in."""
    return value


def _missing(error: ValidationError) -> Sequence[str]:
    """The library reports each missing name on its own, as the quoted start of its message."""
    names = [name for name in _json(error.validator_value) if name not in _json(error.instance)]
    named = [name for name in names if error.message.startswith(f"{name!r} ")]
    return named or names


def _find_unknown_faults(error: ValidationError, where: str) -> list[Fault]:
    known = _known(error)
    unknown = _find_unknown(error)
    if isinstance(error.validator_value, dict) or not unknown:
        return [Fault(f"{where or 'the arguments'} must hold no other fields than {_show(known, _ALLOWED_CHARACTERS)}")]
    return [Fault(f"{join_path(where, name)} is not known", name, known) for name in unknown]


def _known(error: ValidationError) -> list[str]:
    schema = error.schema if isinstance(error.schema, dict) else {}
    return list(schema.get("properties", {}))


def _find_unknown(error: ValidationError) -> list[str]:
    return list_unnamed(_json(error.instance), error.schema if isinstance(error.schema, dict) else {})


def _advise(name: str, known: Sequence[str]) -> str:
    return suggest(name, known) or f"known are {_show(list(known), _ALLOWED_CHARACTERS)}"


def _explain_alternatives(error: ValidationError, path: str, where: str) -> str:
    from jsonschema.exceptions import best_match  # noqa: PLC0415 - loaded by then, and costs a third of a second before

    closest = best_match(error.context or ())
    start = f"{where or 'the value'} fits none of the allowed forms; {describe(_json(error.instance))} came"
    if closest is None:
        return f"{where or 'the value'} must fit exactly one of the allowed forms and fits several"
    return f"{start}; the closest: {find_faults(closest, path)[0].describe()}"


def _show(value: Json, limit: int) -> str:
    if isinstance(value, str):
        return shorten(json.dumps(value[: limit + 1], ensure_ascii=False), limit)
    if isinstance(value, list | dict) and len(value) > limit:
        return f"{'a list' if isinstance(value, list) else 'an object'} of {len(value)}"
    return shorten(json.dumps(value, ensure_ascii=False, default=str), limit)
