"""Reading a JSON Schema (draft 2020-12): where its references lead, what it declares, what type it wants."""

from __future__ import annotations

from urllib.parse import unquote

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.kinds import json_type

_MAX_HOPS = 20
_ANNOTATIONS = frozenset({"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment"})
_ENTANGLED = (
    ("additionalProperties", frozenset({"additionalProperties", "properties", "patternProperties"})),
    ("prefixItems", frozenset({"prefixItems", "items"})),
    ("contains", frozenset({"contains", "minContains", "maxContains"})),
    ("if", frozenset({"if", "then", "else"})),
)
"""Keywords that look at others beside them: two schemas that both have some of one group cannot be written as one."""
_UNEVALUATED = frozenset({"unevaluatedProperties", "unevaluatedItems"})


def resolve_reference(root: Json, reference: str) -> Json:
    """What `#` or `#/a/json/pointer` names in `root`; raises `LookupError` when that is nothing."""
    node = root
    for step in unquote(reference.removeprefix("#")).split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        try:
            node = node[int(key)] if isinstance(node, list) else node[key]
        except (TypeError, ValueError):
            raise LookupError(reference) from None
    return node


def follow(schema: Json, root: JsonObject, hops: int = _MAX_HOPS) -> Json:
    """`schema` with its local `$ref` replaced by what it names, joined with the keywords beside it.

    What cannot be followed, or only over more than `hops` references, is returned as it is.
    """
    if not isinstance(schema, dict) or not isinstance(schema.get("$ref"), str) or hops == 0:
        return schema
    try:
        target = follow(resolve_reference(root, schema["$ref"]), root, hops - 1)
    except LookupError:
        return schema
    beside = {key: value for key, value in schema.items() if key != "$ref"}
    if isinstance(target, dict):
        return _join(target, beside) if beside else target
    return beside if target is True else target


def _join(target: JsonObject, beside: JsonObject) -> JsonObject:
    """One schema that allows what both allow. Properties and required names are merged, other clashes go to `allOf`."""
    if not beside.keys() <= _ANNOTATIONS and _are_entangled(target, beside):
        return {**beside, "allOf": [*beside.get("allOf", ()), target]}
    joined = {**target, **beside}
    clashes = {key: target[key] for key in target if key in beside.keys() - _ANNOTATIONS and target[key] != beside[key]}
    if "properties" in clashes:
        joined["properties"] = _join_properties(clashes.pop("properties"), beside["properties"])
    if "required" in clashes:
        joined["required"] = list(dict.fromkeys((*clashes.pop("required"), *beside["required"])))
    if clashes:
        joined["allOf"] = [*joined.get("allOf", ()), clashes]
    return joined


def _are_entangled(target: JsonObject, beside: JsonObject) -> bool:
    both = target.keys() | beside.keys()
    groups = (group for looking, group in _ENTANGLED if looking in both)
    return bool(_UNEVALUATED & both) or any(group & target.keys() and group & beside.keys() for group in groups)


def _join_properties(target: JsonObject, beside: JsonObject) -> JsonObject:
    both = {name: {"allOf": [target[name], beside[name]]} for name in target if name in beside and target[name] != beside[name]}
    return {**target, **beside, **both}


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
