"""Hypothesis strategies for JSON Schemas of any draft, well formed or not."""

from __future__ import annotations

from hypothesis import strategies as st

from apps.sdk.jsontypes import Json, JsonObject

NAMES = st.sampled_from(["a", "b", "kind", "x y", "ä", "1st", "a.b", "a_b", "long" * 20, ""])
SCALARS: st.SearchStrategy[Json] = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 5), st.floats(-2, 2), st.sampled_from(["", "a", "b", "1", "true"])
)
VALUES = st.one_of(SCALARS, st.lists(SCALARS, max_size=2), st.dictionaries(NAMES, SCALARS, max_size=2))
TYPE_NAMES = st.sampled_from(["object", "array", "string", "integer", "number", "boolean", "null"])
POINTERS = st.sampled_from(["#", "#/$defs/a", "#/definitions/b", "#/properties/a", "#/nowhere", "https://example.org/s.json"])
PATTERNS = st.sampled_from(["^a", "b$", "."])


def list_simple_keywords() -> dict[str, st.SearchStrategy[Json]]:
    """The keywords that hold no schema, each with values that it may have and some that it may not."""
    number = st.one_of(st.integers(-3, 9), st.floats(-3, 9))
    return {
        "type": st.one_of(TYPE_NAMES, st.lists(TYPE_NAMES, max_size=3), st.sampled_from(["any", None])),
        "description": st.sampled_from(["What it is.", "", None, "long " * 900]),
        "title": st.just("Title"),
        "enum": st.one_of(st.lists(VALUES, max_size=4), st.none()),
        "const": VALUES,
        "default": VALUES,
        "examples": st.lists(VALUES, max_size=2),
        "required": st.one_of(st.lists(NAMES, max_size=3), st.none(), st.booleans()),
        "minimum": number,
        "maximum": number,
        "exclusiveMinimum": st.one_of(number, st.booleans()),
        "exclusiveMaximum": st.one_of(number, st.booleans()),
        "multipleOf": number,
        "minLength": number,
        "pattern": st.one_of(PATTERNS, st.none()),
        "format": st.sampled_from(["date", "date-time", "int32", "uri", ""]),
        "minItems": st.integers(-1, 3),
        "maxItems": st.integers(0, 5),
        "uniqueItems": st.booleans(),
        "minProperties": st.integers(0, 2),
        "nullable": st.booleans(),
        "$ref": POINTERS,
        "$schema": st.just("http://json-schema.org/draft-04/schema#"),
        "$id": st.just("urn:x"),
        "dependentRequired": st.dictionaries(NAMES, st.lists(NAMES, max_size=2), max_size=1),
    }


def _pick(keywords: dict[str, st.SearchStrategy[Json]]) -> st.SearchStrategy[JsonObject]:
    """Objects with at most five of the keywords, so that some schemas allow something."""
    names = st.lists(st.sampled_from(sorted(keywords)), max_size=5, unique=True)
    return names.flatmap(lambda chosen: st.fixed_dictionaries({name: keywords[name] for name in chosen}))


def _nest(inner: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    named = st.dictionaries(NAMES, inner, max_size=3)
    several = st.lists(inner, max_size=3)
    keywords = {
        "properties": st.one_of(named, st.none()),
        "patternProperties": st.dictionaries(PATTERNS, inner, max_size=1),
        "additionalProperties": inner,
        "unevaluatedProperties": inner,
        "propertyNames": inner,
        "items": st.one_of(inner, several, st.none()),
        "prefixItems": several,
        "additionalItems": inner,
        "contains": inner,
        "allOf": several,
        "anyOf": several,
        "oneOf": several,
        "not": inner,
        "if": inner,
        "then": inner,
        "else": inner,
        "dependentSchemas": st.dictionaries(NAMES, inner, max_size=1),
        "dependencies": st.dictionaries(NAMES, st.one_of(inner, st.lists(NAMES, max_size=2)), max_size=1),
        "$defs": st.fixed_dictionaries({"a": inner}),
        "definitions": st.fixed_dictionaries({"b": inner}),
    }
    return _pick({**list_simple_keywords(), **keywords})


LEAVES: st.SearchStrategy[Json] = st.one_of(st.booleans(), _pick(list_simple_keywords()))
SCHEMAS: st.SearchStrategy[Json] = st.recursive(LEAVES, _nest, max_leaves=6)
ROOTS: st.SearchStrategy[JsonObject] = st.builds(
    lambda schema, fields: {**(schema if isinstance(schema, dict) else {}), "type": "object", "properties": fields},
    SCHEMAS,
    st.dictionaries(NAMES, SCHEMAS, max_size=4),
)
