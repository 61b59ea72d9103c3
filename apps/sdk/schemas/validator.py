"""The JSON Schema validator: the library's, with those keywords replaced that take too long for hostile values.

`uniqueItems` and the `unevaluated` keywords take linear time instead of comparing each item with each. Keywords with patterns
search through `searching.search`: in a text that is too long a `pattern` is not fulfilled, and for `patternProperties` such
a name is an error.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.schemas.equality import make_comparable
from apps.sdk.schemas.searching import is_too_long, list_unnamed, search
from apps.sdk.schemas.unevaluated import check_unevaluated_fields, check_unevaluated_items

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator


def make_validator_class() -> type[Validator]:
    """A new class of validators for draft 2020-12 with the keywords of this module in place of the library's."""
    from jsonschema import Draft202012Validator, validators  # noqa: PLC0415 - costs a third of a second

    keywords = {
        "uniqueItems": _check_unique,
        "pattern": _check_pattern,
        "patternProperties": _check_named,
        "additionalProperties": _check_unnamed,
        "unevaluatedProperties": check_unevaluated_fields,
        "unevaluatedItems": check_unevaluated_items,
    }
    extend: Json = validators.extend  # untyped
    made: type[Validator] = extend(Draft202012Validator, keywords)
    return made


def _check_unique(_validator: Json, wanted: Json, instance: Json, _schema: JsonObject) -> Iterator[ValidationError]:
    from jsonschema.exceptions import ValidationError  # noqa: PLC0415

    if wanted and isinstance(instance, list) and len(set(map(make_comparable, instance))) < len(instance):
        yield ValidationError("the items are not unique")


def _check_pattern(_validator: Json, pattern: str, instance: Json, _schema: JsonObject) -> Iterator[ValidationError]:
    from jsonschema.exceptions import ValidationError  # noqa: PLC0415

    if isinstance(instance, str) and not search(pattern, instance):
        yield ValidationError("the text does not match the pattern, or is too long for it")


def _check_named(validator: Json, patterns: JsonObject, instance: Json, _schema: JsonObject) -> Iterator[ValidationError]:
    from jsonschema.exceptions import ValidationError  # noqa: PLC0415

    if not isinstance(instance, dict):
        return
    for pattern, subschema in patterns.items():
        for key, item in instance.items():
            if is_too_long(key, pattern):
                yield ValidationError("a name is too long for the pattern")
            elif search(pattern, key):
                yield from validator.descend(item, subschema, path=key, schema_path=pattern)


def _check_unnamed(validator: Json, wanted: Json, instance: Json, schema: JsonObject) -> Iterator[ValidationError]:
    from jsonschema.exceptions import ValidationError  # noqa: PLC0415

    if not isinstance(instance, dict) or wanted is True:
        return
    unnamed = list_unnamed(instance, schema)
    if wanted is False and unnamed:
        yield ValidationError("fields that are not declared are not allowed")
    elif wanted is not False:
        for name in unnamed:
            yield from validator.descend(instance[name], wanted, path=name)
