"""The JSON Schema validator: the library's, with those keywords replaced that take too long for hostile values.

`uniqueItems` compares by content in linear time instead of each item with each. `pattern` and `patternProperties` search in
texts of a bounded length only: over it a `pattern` is not fulfilled, and a `patternProperties` is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.schemas.equality import make_comparable
from apps.sdk.schemas.patterns import find_text_limit

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator


def make_validator_class() -> type[Validator]:
    """A new class of validators for draft 2020-12 with the keywords of this module in place of the library's."""
    from jsonschema import Draft202012Validator, validators  # noqa: PLC0415 - costs a third of a second

    keywords = {"uniqueItems": _check_unique, "pattern": _check_pattern, "patternProperties": _check_named}
    extend: Json = validators.extend  # untyped
    made: type[Validator] = extend(Draft202012Validator, keywords)
    return made


def _check_unique(_validator: Json, wanted: Json, instance: Json, _schema: JsonObject) -> Iterator[ValidationError]:
    from jsonschema.exceptions import ValidationError  # noqa: PLC0415

    if wanted and isinstance(instance, list) and len(set(map(make_comparable, instance))) < len(instance):
        yield ValidationError("the items are not unique")


def _check_pattern(_validator: Json, pattern: str, instance: Json, _schema: JsonObject) -> Iterator[ValidationError]:
    from jsonschema.exceptions import ValidationError  # noqa: PLC0415

    if isinstance(instance, str) and (_is_too_long(instance, pattern) or not re.search(pattern, instance)):
        yield ValidationError("the text does not match the pattern, or is too long for it")


def _check_named(validator: Json, patterns: JsonObject, instance: Json, _schema: JsonObject) -> Iterator[ValidationError]:
    from jsonschema.exceptions import ValidationError  # noqa: PLC0415

    if not isinstance(instance, dict):
        return
    for pattern, subschema in patterns.items():
        for key, item in instance.items():
            if _is_too_long(key, pattern):
                yield ValidationError("a name is too long for the pattern")
            elif re.search(pattern, key):
                yield from validator.descend(item, subschema, path=key, schema_path=pattern)


def _is_too_long(text: str, pattern: str) -> bool:
    limit = find_text_limit(pattern)
    return limit is not None and len(text) > limit
