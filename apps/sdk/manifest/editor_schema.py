"""The JSON Schema (draft-07) of an app.yml, which editors complete and check with."""

from __future__ import annotations

import json

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.manifest.app import PARTS, AppManifest, ManifestPart


def app_schema() -> JsonObject:
    """Every spelling in use is known, everything else is not, but for keys that start with `x-`."""
    schema = AppManifest.model_json_schema(ref_template="#/definitions/{model}")
    definitions: JsonObject = schema.pop("$defs")
    for part in PARTS:
        _open_spellings(definitions.get(part.__name__, schema), part)
    provider = definitions["ProviderManifest"]
    definitions["ProviderManifest"] = {
        "description": provider["description"],
        "anyOf": [{"type": "string", "minLength": 1}, provider],
    }
    return {"$schema": "http://json-schema.org/draft-07/schema#", **schema, "definitions": definitions}


def render_app_schema() -> str:
    """The text of app.schema.json."""
    return json.dumps(app_schema(), indent=2, ensure_ascii=False) + "\n"


def _open_spellings(schema: JsonObject, part: type[ManifestPart]) -> None:
    properties = schema["properties"]
    for name, value in list(properties.items()):
        if name in part.GUARDS:
            properties[name] = _refuse_nothing(value)
        elif name not in schema.get("required", ()) and "type" in value:
            properties[name] = _allow_nothing(value)
    for alias, name in part.ALIASES.items():
        properties[alias] = {**properties[name], "description": f"Another spelling of `{name}`."}
    for key in sorted(part.OPAQUE):
        properties[key] = {"description": f"{part.OPAQUE[key]} It has no effect here."}
    schema |= {"additionalProperties": False, "patternProperties": {"^x-": True}}


def _refuse_nothing(value: JsonObject) -> JsonObject:
    """A limit with nothing after it is refused."""
    choices = [choice for choice in value.get("anyOf", ()) if choice != {"type": "null"}]
    return {**{key: value[key] for key in value if key not in {"anyOf", "default"}}, **choices[0]} if choices else value


def _allow_nothing(value: Json) -> JsonObject:
    """An empty value counts as left out."""
    opened = {key: value[key] for key in value if key != "type"} | {"type": [value["type"], "null"]}
    return opened | {"enum": [*value["enum"], None]} if "enum" in value else opened
