"""What becomes of an author's parameter schema: checked, compiled, and the copy that a model is sent."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import TYPE_CHECKING

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.schemas.checks import SchemaProblem, check_schema
from apps.sdk.schemas.references import follow, properties_of, wanted_types
from apps.sdk.schemas.upgrading import Change, Upgraded, upgrade_schema
from apps.sdk.schemas.validator import make_validator_class

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

REQUESTS = "requests"
"""The argument that holds a list of requests, each of which is executed on its own."""

REQUESTS_PER_CALL = 5
"""How many of them one call runs, unless the service sets another limit."""


def upgrade_parameters(parameters: Json) -> Upgraded:
    """The parameters in draft 2020-12. Arguments are an object always, so that a root that allows more types says `object`."""
    if not isinstance(parameters, dict):
        return Upgraded(parameters)
    upgraded = upgrade_schema({key: value for key, value in parameters.items() if (key, value) != ("nullable", True)})
    kind = upgraded.schema.get("type")
    if isinstance(kind, list) and "object" in kind:
        change = Change(("type",), "draft", "arguments are an object always: 'type' is read as 'object'")
        return replace(upgraded, schema={**upgraded.schema, "type": "object"}, changes=(*upgraded.changes, change))
    return replace(upgraded, schema=parameters) if upgraded.schema == parameters else upgraded


def check_parameters(parameters: Json) -> SchemaProblem | None:
    """Why `parameters` cannot be a skill's parameters, or None when they are a usable object schema."""
    if parameters is None:
        return SchemaProblem("there is no tool_schema")
    if not isinstance(parameters, dict):
        return SchemaProblem("tool_schema must be an object schema")
    if parameters.get("type", "object") != "object" or not {"type", "properties"} & parameters.keys():
        keyword = ("type",) if "type" in parameters else ()
        return SchemaProblem("tool_schema must be an object schema: `type: object` with `properties`", keyword)
    return check_schema(parameters)


def complete_parameters(parameters: JsonObject) -> JsonObject:
    """The checked schema with the `type: object` that its `properties` imply."""
    return parameters if "type" in parameters else {"type": "object", **parameters}


def compile_validator(parameters: JsonObject) -> Validator:
    """A validator of checked parameters, draft 2020-12; it fetches nothing. Compile once per skill: it costs about 2 ms."""
    from referencing import Registry  # noqa: PLC0415 - the first costs a third of a second, which listing apps need not pay

    registry: Registry[Json] = Registry()
    plain = {key: value for key, value in parameters.items() if key != "$schema"}  # it would bring the library's own class back
    return _find_validator_class()(plain, registry=registry)


@functools.cache
def _find_validator_class() -> type[Validator]:
    return make_validator_class()


def request_items(parameters: JsonObject) -> JsonObject | None:
    """The schema of one entry when `requests` is an array of objects, else None: such a skill takes its arguments flat."""
    requests = _find_requests(parameters)
    items = follow(requests.get("items"), parameters)
    if "array" not in wanted_types(requests) or not isinstance(items, dict) or wanted_types(items) != {"object"}:
        return None
    return items


def with_request_fields(parameters: JsonObject, *, limit: int) -> JsonObject:
    """The copy that is sent: items of `requests` get an optional `id`, the array gets `maxItems`.

    Only an array of objects is changed. An author's own `id` or `maxItems` stays as it is, whatever its value. `parameters`
    itself is left alone; what does not change is shared with it.
    """
    items = request_items(parameters)
    if items is None:
        return parameters
    changed = {"maxItems": limit, **_find_requests(parameters), "items": _with_id(items, parameters)}
    return {**parameters, "properties": {**parameters.get("properties", {}), REQUESTS: changed}}


def _find_requests(parameters: JsonObject) -> JsonObject:
    requests = follow(properties_of(parameters, parameters).get(REQUESTS), parameters)
    return requests if isinstance(requests, dict) else {}


def _with_id(items: JsonObject, root: JsonObject) -> JsonObject:
    if "id" in properties_of(items, root):
        return items
    identifier = {"anyOf": [{"type": "string"}, {"type": "integer"}]}
    return {**items, "properties": {"id": identifier, **items.get("properties", {})}}
