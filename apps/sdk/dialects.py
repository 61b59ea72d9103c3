"""What becomes of an author's parameter schema: checked, compiled, and the copy that a model is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.schemas import check_schema, resolve_reference

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

REQUESTS = "requests"
"""The argument that holds a list of requests, each of which is executed on its own."""

_MAX_REFERENCES = 20


def check_parameters(parameters: Json) -> str | None:
    """Why `parameters` cannot be a skill's parameters, or None when they are a usable object schema."""
    if parameters is None:
        return "there is no tool_schema"
    if not isinstance(parameters, dict):
        return "tool_schema must be an object schema"
    if parameters.get("type", "object") != "object" or not {"type", "properties"} & parameters.keys():
        return "tool_schema must be an object schema: `type: object` with `properties`"
    return check_schema(parameters)


def complete_parameters(parameters: JsonObject) -> JsonObject:
    """The checked schema with the `type: object` that its `properties` imply."""
    return parameters if "type" in parameters else {"type": "object", **parameters}


def compile_validator(parameters: JsonObject) -> Validator:
    """A validator of checked parameters, draft 2020-12; it fetches nothing. Compile once per skill: it costs about 2 ms."""
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - costs a third of a second, which listing apps need not pay
    from referencing import Registry  # noqa: PLC0415

    registry: Registry[Json] = Registry()
    return Draft202012Validator(parameters, registry=registry)


def with_request_fields(parameters: JsonObject, *, limit: int) -> JsonObject:
    """The copy that is sent: items of `requests` get an optional `id`, the array gets `maxItems`.

    Only an array of objects is changed. An author's own `id` or `maxItems` stays as it is, whatever its value. `parameters`
    itself is left alone; what does not change is shared with it.
    """
    properties: JsonObject = parameters.get("properties") or {}
    requests = properties.get(REQUESTS)
    if not isinstance(requests, dict) or requests.get("type", "array") != "array":
        return parameters
    items = _resolve(parameters, requests.get("items"))
    if items is None:
        return parameters
    changed = {"maxItems": limit, **requests, "items": _with_id(items)}
    return {**parameters, "properties": {**properties, REQUESTS: changed}}


def _with_id(items: JsonObject) -> JsonObject:
    properties = items.get("properties", {})
    if "id" in properties:
        return items
    return {**items, "properties": {"id": {"anyOf": [{"type": "string"}, {"type": "integer"}]}, **properties}}


def _resolve(root: JsonObject, items: Json) -> JsonObject | None:
    """The object schema of the items, followed through local references; None when they are no objects."""
    for _ in range(_MAX_REFERENCES):
        if not isinstance(items, dict) or not isinstance(items.get("$ref"), str):
            break
        siblings = {key: value for key, value in items.items() if key != "$ref"}
        target = resolve_reference(root, items["$ref"])
        items = {**target, **siblings} if isinstance(target, dict) else target
    if isinstance(items, dict) and (items.get("type") == "object" or ("type" not in items and "properties" in items)):
        return items
    return None
