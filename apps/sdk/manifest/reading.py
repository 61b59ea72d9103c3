"""From a mapping of app.yml to its checked model: every wrong value and unknown key becomes a finding at its place."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from pydantic import ValidationError

from apps.sdk.findings import Finding, report
from apps.sdk.jsontypes import Json, JsonObject, JsonPath
from apps.sdk.kinds import show
from apps.sdk.manifest.app import ManifestPart
from apps.sdk.manifest.document import SourceDocument
from apps.sdk.near_names import ask, find_near, suggest

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

Part = TypeVar("Part", bound=ManifestPart)

_FILL = "write the limit, or delete the key"


def read_part(
    model: type[Part], value: Json, path: JsonPath, document: SourceDocument, *, skip: Collection[str] = (), lenient: bool = False
) -> tuple[Part | None, list[Finding]]:
    """The checked model of the mapping at `path`, or None when a value is wrong, and what there is to say about it.

    Reports `unknown-key`, `opaque-key`, `alias-twice`, `missing-key`, `wrong-value`, `guard-key` and `guard-empty`.
    Keys in `skip` are neither read nor reported. With `lenient` wrong values are reported and then left out, if the rest
    still makes a model.
    """
    if not isinstance(value, dict):
        return None, [report("wrong-value", document.position(path), f"must be a mapping, not {show(value)}")]
    spelling, findings = _respell(model, value, path, document)
    known = {key: value[written] for key, written in spelling.items() if key not in skip}
    try:
        return model.model_validate(known), findings
    except ValidationError as failure:
        errors = failure.errors(include_url=False)
    findings += [_describe(error, spelling, path, document) for error in errors]
    wrong = {error["loc"][0] for error in errors}
    rest = {key: known[key] for key in known if key not in wrong}
    if lenient and wrong <= known.keys():
        return model.model_validate(rest), findings
    return None, findings


def find_unknown_keys(
    model: type[ManifestPart], written: Iterable[str], path: JsonPath, document: SourceDocument
) -> Iterator[Finding]:
    """A finding for each key of the mapping at `path` that nothing reads.

    Yields `opaque-key`, `unknown-key`, and `guard-key`, an error, where the key seems to be a misspelt guard.
    """
    known = model.keys() | model.ALIASES.keys()
    for key in written:
        if key in known or key.startswith("x-"):
            continue
        place, shown = document.key_position((*path, key)), f"the key {key[:100]!r}"
        if key in model.OPAQUE:
            yield report("opaque-key", place, f"{shown} is kept for other programs and has no effect here")
            continue
        close = find_near(key, known | model.OPAQUE.keys() | model.GUARDS.keys())
        if close and close[0] in model.GUARDS:
            yield report("guard-key", place, f"{shown} is unknown, and may be meant as a limit", model.GUARDS[close[0]])
        else:
            yield report("unknown-key", place, f"{shown} is unknown and is not read", ask(*close) if close else None)


def _respell(
    model: type[ManifestPart], value: JsonObject, path: JsonPath, document: SourceDocument
) -> tuple[dict[str, str], list[Finding]]:
    """Which written key gives each of our keys; empty values count as left out, but for those of guards."""
    spelling: dict[str, str] = {}
    findings = list(find_unknown_keys(model, value, path, document))
    keys = model.keys()
    for written in sorted(value, key=lambda key: key in model.ALIASES):
        key = model.ALIASES.get(written, written)
        if key in spelling:
            place = document.key_position((*path, written))
            findings.append(report("alias-twice", place, f"{written!r} is another spelling of '{key}', which counts"))
        elif key in keys and value[written] is not None:
            spelling[key] = written
        elif key in keys & model.GUARDS.keys():
            place = document.key_position((*path, written))
            findings.append(
                report("guard-empty", place, f"'{written}' limits what the item may do, and nothing stands after it", _FILL)
            )
    return spelling, findings


def _describe(error: ErrorDetails, spelling: dict[str, str], path: JsonPath, document: SourceDocument) -> Finding:
    field = str(error["loc"][0])
    place = (*path, spelling.get(field, field), *error["loc"][1:])
    name = ".".join(map(str, place[len(path) :]))
    if error["type"] == "missing":
        return report("missing-key", document.position(place), f"'{name}' is missing")
    if error["type"] in _EMPTY:
        return report("wrong-value", document.position(place), f"'{name}' must not be empty")
    expected, advice = _expect(error)
    return report("wrong-value", document.position(place), f"'{name}' must be {expected}, not {show(error['input'])}", advice)


def _expect(error: ErrorDetails) -> tuple[str, str | None]:
    """What the value must be, and advice when the kind of mistake is plain."""
    value, context = error["input"], error.get("ctx", {})
    expected = _EXPECTED.get(error["type"])
    words = expected.format(**context) if expected else f"right ({error['msg']})"
    advice = None
    if error["type"] == "string_type" and isinstance(value, bool | int | float):
        advice = "put it in quotes"
    elif error["type"] == "bool_type" and isinstance(value, str):
        advice = "write true or false, without quotes"
    elif error["type"] == "literal_error" and isinstance(value, str):
        advice = suggest(value, re.findall(r"'([^']*)'", context["expected"]))
    return words, advice


_EMPTY = frozenset({"too_short", "string_too_short"})
_EXPECTED: Mapping[str, str] = MappingProxyType(
    {
        "string_type": "text",
        "bool_type": "true or false",
        "float_type": "a number",
        "finite_number": "a finite number",
        "literal_error": "one of {expected}",
        "greater_than": "greater than {gt:g}",
        "less_than_equal": "at most {le:g}",
        "list_type": "a list",
        "dict_type": "a mapping",
        "model_type": "a mapping",
        "too_long": "at most {max_length} items",
        "string_too_long": "at most {max_length} characters",
    }
)
"""By pydantic's error type; https://docs.pydantic.dev/latest/errors/validation_errors/."""
