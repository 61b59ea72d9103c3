"""`unevaluatedProperties` and `unevaluatedItems` in linear time, with bounded searches; they decide as the library's do.

The library looks each field up in a list of those that were evaluated, and searches in names of any length.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.schemas.searching import search

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError


def check_unevaluated_fields(validator: Json, wanted: Json, instance: Json, schema: Json) -> Iterator[ValidationError]:
    """The keyword `unevaluatedProperties`."""
    from jsonschema.exceptions import ValidationError  # noqa: PLC0415 - costs a third of a second

    if not isinstance(instance, dict):
        return
    named: set[str] = set()
    for applying, part in _list_applying(validator, instance, schema):
        named.update(_list_named(applying, instance, part))
    if any(not validator.evolve(schema=wanted).is_valid(item) for name, item in instance.items() if name not in named):
        yield ValidationError("fields that nothing names are not allowed, or not valid")


def check_unevaluated_items(validator: Json, wanted: Json, instance: Json, schema: Json) -> Iterator[ValidationError]:
    """The keyword `unevaluatedItems`."""
    from jsonschema.exceptions import ValidationError  # noqa: PLC0415

    if not isinstance(instance, list):
        return
    named: set[int] = set()
    for applying, part in _list_applying(validator, instance, schema):
        named.update(_list_placed(applying, instance, part))
    if any(index not in named and not validator.evolve(schema=wanted).is_valid(item) for index, item in enumerate(instance)):
        yield ValidationError("items that nothing names are not allowed, or not valid")


def _list_applying(validator: Json, instance: Json, schema: Json) -> Iterator[tuple[Json, JsonObject]]:
    """The schemas in place that hold for the instance, with the validator that resolves their references."""
    if not isinstance(schema, dict):
        return
    yield validator, schema
    for keyword in ("$ref", "$dynamicRef"):
        if keyword in schema:
            found = validator._resolver.lookup(schema[keyword])  # noqa: SLF001 - as the library's own keywords do
            there = validator.evolve(schema=found.contents, _resolver=found.resolver)
            yield from _list_applying(there, instance, found.contents)
    for part in _list_conditional(validator, instance, schema):
        yield from _list_applying(validator, instance, part)


def _list_conditional(validator: Json, instance: Json, schema: JsonObject) -> Iterator[Json]:
    """The schemas in `schema` itself that count for this instance."""
    yield from (
        part for name, part in schema.get("dependentSchemas", {}).items() if isinstance(instance, dict) and name in instance
    )
    alternatives = [part for keyword in ("allOf", "oneOf", "anyOf") for part in schema.get(keyword, ())]
    yield from (part for part in alternatives if validator.evolve(schema=part).is_valid(instance))
    if "if" in schema:
        holds = validator.evolve(schema=schema["if"]).is_valid(instance)
        yield from (schema.get(keyword) for keyword in (("if", "then") if holds else ("else",)))


def _list_named(validator: Json, instance: JsonObject, schema: JsonObject) -> Iterator[str]:
    yield from schema.get("properties", {}).keys() & instance.keys()
    for keyword in ("additionalProperties", "unevaluatedProperties"):
        if keyword in schema:
            part = validator.evolve(schema=schema[keyword])
            yield from (name for name, item in instance.items() if part.is_valid(item))
    for pattern in schema.get("patternProperties", {}):
        yield from (name for name in instance if search(pattern, name))


def _list_placed(validator: Json, instance: list[Json], schema: JsonObject) -> Iterator[int]:
    if "items" in schema:
        yield from range(len(instance))
        return
    yield from range(len(schema.get("prefixItems", ())))
    for keyword in ("contains", "unevaluatedItems"):
        if keyword in schema:
            part = validator.evolve(schema=schema[keyword])
            yield from (index for index, item in enumerate(instance) if part.is_valid(item))
