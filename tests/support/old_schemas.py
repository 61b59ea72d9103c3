"""Hypothesis strategies for well-formed schemas of each older draft, and for values to try on them."""

from __future__ import annotations

from hypothesis import strategies as st

from apps.sdk.jsontypes import Json, JsonObject

NAMES = st.sampled_from(["a", "b", "c"])
SCALARS: st.SearchStrategy[Json] = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 6), st.sampled_from([0.5, 2.5, -1.25]), st.sampled_from(["", "a", "bb"])
)
INSTANCES: st.SearchStrategy[Json] = st.recursive(
    SCALARS, lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(NAMES, inner, max_size=3)), max_leaves=8
)
"""No whole number is written with a fraction: to draft 4 it was no integer."""
TYPE_NAMES = st.sampled_from(["object", "array", "string", "integer", "number", "boolean", "null"])
DRAFT_4, DRAFT_6, DRAFT_2019 = "http://json-schema.org/draft-04/schema#", "draft-06", "2019-09"


def draft_schemas(draft: str) -> st.SearchStrategy[JsonObject]:
    """Object schemas that say their draft, with definitions that are referred to, also by the names that the draft gives them."""
    is_4 = draft == DRAFT_4
    leaves = _pick(_list_plain(is_4=is_4)) if is_4 else st.one_of(st.booleans(), _pick(_list_plain(is_4=is_4)))
    schemas = st.recursive(leaves, lambda inner: _pick({**_list_plain(is_4=is_4), **_list_nesting(inner, draft)}), max_leaves=7)
    objects = schemas.map(lambda schema: schema if isinstance(schema, dict) else {})
    key = "$anchor" if DRAFT_2019 in draft else "id" if is_4 else "$id"
    named = objects.map(lambda schema: {key: "part" if key == "$anchor" else "#part", **schema})
    return st.builds(
        lambda root, part, other: {**root, "$schema": draft, "definitions": {"a": part, "b/c": other}}, objects, named, objects
    )


def _list_plain(*, is_4: bool) -> dict[str, st.SearchStrategy[Json]]:
    number = st.integers(-2, 5)
    exclusive = st.booleans() if is_4 else number
    plain: dict[str, st.SearchStrategy[Json]] = {
        "type": st.one_of(TYPE_NAMES, st.lists(TYPE_NAMES, min_size=1, max_size=3, unique=True)),
        "enum": st.lists(SCALARS, min_size=1, max_size=4, unique_by=repr),
        "required": st.lists(NAMES, min_size=1, max_size=2, unique=True),
        "bounds": st.fixed_dictionaries({"minimum": number}, optional={"exclusiveMinimum": exclusive}),
        "other bounds": st.fixed_dictionaries({"maximum": number}, optional={"exclusiveMaximum": exclusive}),
        "multipleOf": st.sampled_from([1, 2, 0.5]),
        "minLength": st.integers(0, 2),
        "maxItems": st.integers(0, 3),
        "uniqueItems": st.booleans(),
        "$ref": st.sampled_from(["#/definitions/a", "#/definitions/b~1c", "#part"]),
    }
    return plain if is_4 else {**plain, "const": SCALARS}


def _list_nesting(inner: st.SearchStrategy[Json], draft: str) -> dict[str, st.SearchStrategy[Json]]:
    schema_or_flag = st.one_of(inner, st.booleans())
    some = st.lists(inner, min_size=1, max_size=2)
    nesting: dict[str, st.SearchStrategy[Json]] = {
        "properties": st.dictionaries(NAMES, inner, max_size=3),
        "additionalProperties": schema_or_flag,
        "sequence": st.one_of(
            st.fixed_dictionaries(
                {"items": st.lists(inner, min_size=1, max_size=3)}, optional={"additionalItems": schema_or_flag}
            ),
            st.fixed_dictionaries({"items": inner}),
            st.fixed_dictionaries({"items": inner.filter(lambda part: not isinstance(part, bool)), "additionalItems": inner}),
        ),
        "allOf": some,
        "anyOf": some,
        "oneOf": some,
        "not": inner,
    }
    if DRAFT_2019 not in draft:
        asked = st.lists(NAMES, min_size=1, max_size=2, unique=True)
        nesting["dependencies"] = st.one_of(*(st.dictionaries(NAMES, part, max_size=2) for part in (inner, asked)))
    if draft != DRAFT_4:
        nesting |= {"contains": inner, "propertyNames": inner}
    if draft != DRAFT_4 and DRAFT_6 not in draft:
        nesting |= {"if": inner, "then": inner, "else": inner}
    return nesting


def _pick(keywords: dict[str, st.SearchStrategy[Json]]) -> st.SearchStrategy[JsonObject]:
    """Objects with at most four of the keywords; what goes together stands under one name, which is taken away."""
    names = st.lists(st.sampled_from(sorted(keywords)), max_size=4, unique=True)
    chosen = names.flatmap(lambda chosen: st.fixed_dictionaries({name: keywords[name] for name in chosen}))
    return chosen.map(_flatten)


def _flatten(schema: JsonObject) -> JsonObject:
    flat: JsonObject = {}
    for key, value in schema.items():
        flat |= value if key in {"bounds", "other bounds", "sequence"} else {key: value}
    return flat
