"""Schemas that have taken down whole requests elsewhere, and what each provider's family is sent of them."""

from __future__ import annotations

import json
from collections.abc import Mapping

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.schemas.dialects.profiles import PROFILES
from apps.sdk.schemas.dialects.records import Refused
from tests.support.adapted import upgrade_and_adapt

TEXT: JsonObject = {"type": "string"}
TREE: JsonObject = {
    "type": "object",
    "properties": {"value": {"type": "integer"}, "children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}},
    "required": ["value"],
}


def make_object(**properties: Json) -> JsonObject:
    return {"type": "object", "properties": properties}


HOSTILE: Mapping[str, JsonObject] = {
    "root anyOf of required": {**make_object(a=TEXT, b=TEXT), "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
    "root oneOf of objects": {
        "type": "object",
        "oneOf": [
            {**make_object(kind={"const": "file"}, path=TEXT), "required": ["kind", "path"]},
            {**make_object(kind={"const": "url"}, url=TEXT), "required": ["kind", "url"]},
        ],
    },
    "root allOf": {"type": "object", "allOf": [{**make_object(a=TEXT), "required": ["a"]}, make_object(b={"type": "integer"})]},
    "root not": {**make_object(a=TEXT, b=TEXT), "not": {"required": ["a", "b"]}},
    "root enum": {**make_object(a=TEXT), "enum": [{"a": "x"}, {"a": "y"}]},
    "root type string": {"type": "string"},
    "draft-4 exclusive bounds": make_object(n={"type": "integer", "minimum": 0, "exclusiveMinimum": True}),
    "a list of types": make_object(n={"type": ["number", "null"], "description": "How many."}),
    "a nullable array": make_object(tags={"type": ["array", "null"], "items": TEXT}),
    "several types": make_object(v={"type": ["string", "integer", "boolean"]}),
    "an array without items": make_object(tags={"type": "array", "description": "tags"}),
    "items as a list": make_object(point={"type": "array", "items": [{"type": "number"}, TEXT]}),
    "keywords that are null": {**make_object(a={"type": "string", "enum": None, "format": None}), "required": None},
    "a nested model": {
        **make_object(owner={"$ref": "#/$defs/Owner"}),
        "required": ["owner"],
        "$defs": {"Owner": {"title": "Owner", **make_object(name=TEXT), "required": ["name"]}},
    },
    "recursion": {**make_object(tree={"$ref": "#/$defs/Tree"}), "$defs": {"Tree": TREE}},
    "numbers listed": make_object(size={"type": "integer", "enum": [1, 2, 4]}, mixed={"enum": ["auto", 1, True, None, ""]}),
    "const": make_object(v={"const": "x"}),
    "an empty enum": make_object(a=TEXT, never={"type": "string", "enum": []}),
    "booleans as schemas": make_object(anything=True, nothing=False),
    "an open map": make_object(labels={"type": "object", "additionalProperties": {"type": "integer"}}),
    "names with blanks and dots": {**make_object(**{"first name": TEXT, "a.b": TEXT, "größe": TEXT}), "required": ["first name"]},
    "conditions": {
        **make_object(kind={"enum": ["a", "b"]}),
        "if": make_object(kind={"const": "a"}),
        "then": {**make_object(x=TEXT), "required": ["x"]},
        "dependentRequired": {"kind": ["x"]},
        "patternProperties": {"^x-": TEXT},
    },
    "limits": make_object(
        date={"type": "string", "format": "date", "pattern": "^2"},
        n={"type": "number", "minimum": 0, "maximum": 9, "multipleOf": 0.5, "default": 1},
        tags={"type": "array", "items": TEXT, "minItems": 1, "maxItems": 3, "uniqueItems": True},
    ),
    "OpenAPI's nullable": make_object(n={"type": "integer", "nullable": True}),
}


def render_golden() -> str:
    """What each family is sent of each, as JSON."""
    found = {name: {profile: _describe(schema, profile) for profile in PROFILES} for name, schema in HOSTILE.items()}
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def _describe(schema: JsonObject, profile: str) -> JsonObject:
    adapted = upgrade_and_adapt(schema, PROFILES[profile])
    if isinstance(adapted, Refused):
        return {"refused": adapted.reason}
    lost = [f"{'/'.join(map(str, loss.path))}: {loss.keyword}: {loss.meaning}" for loss in adapted.lost]
    return {"schema": adapted.schema, "description": adapted.description, "lost": lost}
