"""Reading an author's schema: following references, finding the item schema of `requests` and the known keys."""

from __future__ import annotations

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.schemas import resolve_reference

_MAX_HOPS = 20


def follow(schema: Json, root: JsonObject) -> Json:
    """`schema` with its local `$ref` followed; what cannot be followed is returned as it is."""
    for _ in range(_MAX_HOPS):
        if not isinstance(schema, dict) or not isinstance(schema.get("$ref"), str):
            break
        try:
            target = resolve_reference(root, schema["$ref"])
        except LookupError:
            break
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        schema = {**target, **beside} if isinstance(target, dict) else target
    return schema


def properties_of(schema: Json, root: JsonObject) -> JsonObject:
    """The declared properties, those of `allOf` parts included."""
    schema = follow(schema, root)
    if not isinstance(schema, dict):
        return {}
    found: JsonObject = {}
    parts = schema.get("allOf")
    for part in parts if isinstance(parts, list) else []:
        part_schema = follow(part, root)
        if isinstance(part_schema, dict) and isinstance(part_schema.get("properties"), dict):
            found |= part_schema["properties"]
    own = schema.get("properties")
    return found | own if isinstance(own, dict) else found


def required_of(schema: Json, root: JsonObject) -> frozenset[str]:
    schema = follow(schema, root)
    required = schema.get("required") if isinstance(schema, dict) else None
    return frozenset(required) if isinstance(required, list) else frozenset()


def request_items(parameters: JsonObject) -> JsonObject | None:
    """The schema of one entry when `requests` is an array of objects, else None: such a skill takes its arguments flat."""
    requests = follow(properties_of(parameters, parameters).get("requests"), parameters)
    if not isinstance(requests, dict) or "array" not in wanted_types(requests):
        return None
    items = requests.get("items")
    target = follow(items, parameters)
    if not isinstance(target, dict) or wanted_types(target) != {"object"}:
        return None
    return target


def wanted_types(schema: JsonObject) -> frozenset[str]:
    """The JSON types that the schema names or implies; empty when it says nothing."""
    kind = schema.get("type")
    if kind is not None:
        return frozenset(map(str, kind)) if isinstance(kind, list) else frozenset({str(kind)})
    if "const" in schema or isinstance(schema.get("enum"), list):
        return frozenset(json_type(value) for value in schema.get("enum", [schema.get("const")]))
    if isinstance(schema.get("properties"), dict) or isinstance(schema.get("required"), list):
        return frozenset({"object"})
    if "items" in schema or "prefixItems" in schema:
        return frozenset({"array"})
    parts = schema.get("allOf")
    return frozenset().union(*(wanted_types(part) for part in parts or () if isinstance(part, dict)))


def json_type(value: Json) -> str:
    """The JSON Schema name of a value's type."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"
