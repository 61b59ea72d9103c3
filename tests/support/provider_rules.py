"""What each family of providers refuses in a function's name and parameters, from their pages; it knows nothing of our own code.

openai         A schema without `strict`: what its API answers with "invalid_function_parameters" to.
openai_strict  Structured outputs, "Supported schemas".
anthropic      Tool use, `input_schema`: "does not support oneOf, allOf, or anyOf at the top level", references, field names.
gemini         `Schema` and `FunctionDeclaration` of the Gemini API and Vertex AI.
cerebras       Structured outputs, "Schema limitations".
local          What chat templates read of a parameter (one `type`, `items` of lists) and what grammars can be made of.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping

from jsonschema import Draft202012Validator

from apps.sdk.jsontypes import JsonObject

Node = tuple[str, int, JsonObject]
Rule = Callable[[JsonObject], Iterator[str]]

TOOL_NAMES = {
    "openai": r"[a-zA-Z0-9_-]{1,64}",
    "openai_strict": r"[a-zA-Z0-9_-]{1,64}",
    "anthropic": r"[a-zA-Z][a-zA-Z0-9_-]{0,63}",
    "gemini": r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}",
    "cerebras": r"[a-zA-Z0-9_-]{1,64}",
    "local": r"[a-zA-Z0-9_-]{1,64}",
    "common": r"[a-zA-Z][a-zA-Z0-9_-]{0,59}",
}
"""What a function may be called: `anthropic` on Bedrock too, `common` by all of them and by clients that stop at 60."""

TYPES = {"object", "array", "string", "integer", "number", "boolean", "null"}
COMBINATORS = {"anyOf", "oneOf", "allOf", "not", "if", "then", "else", "dependentSchemas", "dependentRequired", "dependencies"}
REFERENCES = {"$ref", "$defs", "definitions", "$dynamicRef", "$id", "$schema"}
STRICT_KEYWORDS = {"type", "description", "enum", "anyOf", "properties", "required", "additionalProperties", "items"} | {
    *("pattern", "format", "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "minItems", "maxItems"),
}
STRICT_FORMATS = {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
GEMINI_KEYWORDS = {
    "type",
    "format",
    "title",
    "description",
    "nullable",
    "enum",
    "items",
    "maxItems",
    "minItems",
    "properties",
} | {
    *("required", "propertyOrdering", "anyOf", "minimum", "maximum", "minLength", "maxLength", "pattern", "example"),
    *("minProperties", "maxProperties"),
}
GEMINI_FORMATS = {"number": {"float", "double"}, "integer": {"int32", "int64"}, "string": {"enum", "date-time"}}
CEREBRAS_KEYWORDS = {"type", "description", "enum", "anyOf", "properties", "required", "additionalProperties", "items"}
LOCAL_KEYWORDS = CEREBRAS_KEYWORDS - {"anyOf"} | {"default", "minimum", "maximum", "minItems", "maxItems"}


def walk(schema: JsonObject) -> Iterator[Node]:
    """Every schema with its place and the number of containers around it."""
    waiting: list[Node] = [("#", 0, schema)]
    while waiting:
        place, level, node = waiting.pop()
        yield place, level, node
        inside = level + (node.get("type") in {"object", "array"})
        waiting += [(f"{place}/{name}", inside, part) for name, part in node.get("properties", {}).items()]
        waiting += [(f"{place}/anyOf{index}", level, part) for index, part in enumerate(node.get("anyOf", ()))]
        for keyword in ("items", "additionalProperties"):
            if isinstance(node.get(keyword), dict):
                waiting.append((f"{place}/{keyword}", inside, node[keyword]))


def check_openai(schema: JsonObject) -> Iterator[str]:
    yield from _check_basics(schema)
    yield from _check_texts(schema, 4_000)


def check_anthropic(schema: JsonObject) -> Iterator[str]:
    yield from _check_basics(schema)
    yield from _check_names(schema, r"[a-zA-Z0-9_.-]{1,64}")


def check_openai_strict(schema: JsonObject) -> Iterator[str]:
    yield from _check_basics(schema)
    yield from _check_keywords(schema, STRICT_KEYWORDS)
    yield from _check_strict_texts(schema)
    fields = values = 0
    for place, level, node in walk(schema):
        if node.get("type") == "object":
            fields += len(node["properties"])
            if node.get("additionalProperties") is not False:
                yield f"{place}: additionalProperties must be false"
            if node.get("required") != list(node["properties"]):
                yield f"{place}: required must name every field"
        if level > 10 or (level == 10 and node.get("type") in {"object", "array"}):
            yield f"{place}: nested too deeply"
        if "type" not in node and "anyOf" not in node:
            yield f"{place}: no type"
        if "format" in node and node["format"] not in STRICT_FORMATS:
            yield f"{place}: format {node['format']}"
        values += len(node.get("enum", ()))
    if fields > 5_000 or values > 1_000 or len(json.dumps(schema, ensure_ascii=False)) > 120_000:
        yield "#: too large"


def check_gemini(schema: JsonObject) -> Iterator[str]:
    yield from _check_basics(schema, openapi=True)
    yield from _check_keywords(schema, GEMINI_KEYWORDS)
    yield from _check_names(schema, r"[a-zA-Z_][a-zA-Z0-9_]{0,63}")
    yield from _check_counts(schema, 960)
    for place, _, node in walk(schema):
        if "anyOf" in node and node.keys() != {"anyOf"}:
            yield f"{place}: anyOf must stand alone"
        if "anyOf" not in node and "type" not in node:
            yield f"{place}: no type"
        if node.get("type") == "null":
            yield f"{place}: null is written as nullable"
        if place != "#" and node.get("type") == "object" and not node["properties"]:
            yield f"{place}: properties should be non-empty for OBJECT type"
        if "enum" in node and (node.get("type") != "string" or not all(isinstance(v, str) and v for v in node["enum"])):
            yield f"{place}: enum: only allowed for STRING type"
        if "format" in node and node["format"] not in GEMINI_FORMATS.get(str(node.get("type")), ()):
            yield f"{place}: format {node['format']}"


def _check_strict_texts(schema: JsonObject) -> Iterator[str]:
    for place, _, node in walk(schema):
        if len(node.get("enum", ())) > 250 and sum(len(str(value)) for value in node["enum"]) > 15_000:
            yield f"{place}: too many characters in a long enum"
        if re.search(r"\(\?[^:]", node.get("pattern", "")):
            yield f"{place}: the pattern looks around"


def _check_counts(schema: JsonObject, limit: int) -> Iterator[str]:
    """Numbers of items are repetitions in a grammar, which has room for so many."""
    counts = [node[key] for _, _, node in walk(schema) for key in ("minItems", "maxItems") if key in node]
    if 0 in counts or sum(counts) > limit:
        yield "#: too many repetitions, or none"


def check_cerebras(schema: JsonObject) -> Iterator[str]:
    yield from _check_basics(schema)
    yield from _check_keywords(schema, CEREBRAS_KEYWORDS)
    for place, level, node in walk(schema):
        if node.get("additionalProperties", False) is not False:
            yield f"{place}: additionalProperties must be false or left out"
        if len(node.get("anyOf", ())) > 5:
            yield f"{place}: more than five alternatives"
        if level > 10:
            yield f"{place}: nested too deeply"
        if not node.keys() & {"type", "anyOf"}:
            yield f"{place}: no type"


def check_local(schema: JsonObject) -> Iterator[str]:
    yield from _check_basics(schema)
    yield from _check_keywords(schema, LOCAL_KEYWORDS)
    yield from _check_counts(schema, 1_999)
    for place, _, node in walk(schema):
        if node.get("type") in {None, "null"}:
            yield f"{place}: a template needs one plain type"
        if len({type(value) for value in node.get("enum", ())} - {int, float}) > 1:
            yield f"{place}: values of several types"


def check_common(schema: JsonObject) -> Iterator[str]:
    """What an unknown model is sent must be right for each."""
    for check in (check_openai, check_anthropic, check_gemini, check_cerebras, check_local):
        yield from check(schema)


CHECKS: Mapping[str, Rule] = {
    "openai": check_openai,
    "openai_strict": check_openai_strict,
    "anthropic": check_anthropic,
    "gemini": check_gemini,
    "cerebras": check_cerebras,
    "local": check_local,
    "common": check_common,
}


def find_faults(schema: JsonObject, profile: str) -> list[str]:
    return list(CHECKS[profile](schema))


def _check_basics(schema: JsonObject, *, openapi: bool = False) -> Iterator[str]:
    """What holds everywhere; OpenAPI's `nullable` is no keyword of JSON Schema, and no error in it either."""
    Draft202012Validator.check_schema(schema)
    json.dumps(schema, allow_nan=False)
    if schema.get("type") != "object" or COMBINATORS & schema.keys() or {"enum", "const"} & schema.keys():
        yield "#: schema must have type 'object' and no combinator, enum or const at the top level"
    for place, _, node in walk(schema):
        if used := (REFERENCES | COMBINATORS - {"anyOf"} | {"title", "$comment"}) & node.keys():
            yield f"{place}: {', '.join(sorted(used))}"
        if "nullable" in node and not openapi:
            yield f"{place}: nullable"
        if "type" in node and node["type"] not in TYPES:
            yield f"{place}: type {node['type']!r}"
        if node.get("type") == "array" and not isinstance(node.get("items"), dict):
            yield f"{place}: array schema missing items"
        if node.get("type") == "object" and not isinstance(node.get("properties"), dict):
            yield f"{place}: object schema missing properties"
        if not set(node.get("required", ())) <= node.get("properties", {}).keys():
            yield f"{place}: required names a field that is not declared"
        if any(value is None for value in node.values()) or node.get("enum") == [] or node.get("anyOf") == []:
            yield f"{place}: a keyword without a value"


def _check_keywords(schema: JsonObject, allowed: set[str]) -> Iterator[str]:
    yield from (f"{place}: {key}" for place, _, node in walk(schema) for key in node if key not in allowed)


def _check_names(schema: JsonObject, pattern: str) -> Iterator[str]:
    names = ((place, name) for place, _, node in walk(schema) for name in node.get("properties", ()))
    yield from (f"{place}: the name {name!r}" for place, name in names if not re.fullmatch(pattern, name))


def _check_texts(schema: JsonObject, limit: int) -> Iterator[str]:
    yield from (f"{place}: a long description" for place, _, node in walk(schema) if len(node.get("description", "")) > limit)
