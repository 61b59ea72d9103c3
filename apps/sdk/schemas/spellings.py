"""One schema object in the spelling of draft 2020-12: keywords of older drafts and of OpenAPI 3.0 replaced by their equals.

Only the object's own keywords: the schemas inside it stay what they are, though some of them move.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from apps.sdk.jsontypes import Json, JsonObject, JsonPath
from apps.sdk.kinds import show
from apps.sdk.schemas.vocabulary import KEYWORDS

ANNOTATIONS = frozenset({"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment"})
_OUTSIDE = ANNOTATIONS | {"$defs", "definitions", "$anchor", "$dynamicAnchor", "$id", "id"}
"""What says nothing about a value; it stays where references and readers look for it."""
_EMPTIABLE = (KEYWORDS | {"additionalItems"}) - {"default", "const", "type"}
"""Keywords whose null is no value; that of `type` may mean the type."""
_REFUSING_NULL = ("$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "not", "if", "const", "dependencies")
"""Keywords beside `type` and `enum` that may refuse null."""
_SAYING_MORE = frozenset({"$ref", "allOf", "anyOf", "oneOf", "enum", "const"})

ChangeKind: TypeAlias = Literal["draft", "empty"]
Holder: TypeAlias = Literal["property", "alternative", "other"]
"""Where a schema stands: under `properties`, in `anyOf` or `oneOf`, or elsewhere."""


@dataclass(slots=True)
class Mended:
    """The object in the new spelling, which grows meanwhile.

    `moved`: from where a schema inside stands now to where it stood. `changes`: the keyword, of which kind, and how it is read.
    `nullable`: null fits besides, whatever `keywords` say.
    """

    keywords: JsonObject
    moved: dict[JsonPath, JsonPath] = field(default_factory=dict)
    changes: list[tuple[JsonPath, ChangeKind, str]] = field(default_factory=list)
    nullable: bool = False

    def tell(self, keyword: str, meaning: str, kind: ChangeKind = "draft") -> None:
        self.changes.append(((keyword,), kind, meaning))

    def find_origin(self, steps: JsonPath) -> JsonPath:
        """Where the schema at `steps` stood."""
        return self.moved.get(steps, steps)

    def replace(self, keyword: str, **entries: Json) -> None:
        """Put `entries` in the place of `keyword`; the order of the others stays."""
        items = list(self.keywords.items())
        self.keywords = {}
        for key, value in items:
            self.keywords |= entries if key == keyword else {} if key in entries else {key: value}


def mend_keywords(node: JsonObject, *, holder: Holder, refers_alone: bool) -> Mended:
    """`node` in the spelling of draft 2020-12. `refers_alone`: the draft reads nothing that stands beside a `$ref`."""
    mended = Mended(dict(node))
    if refers_alone and isinstance(node.get("$ref"), str):
        _drop_beside_reference(mended)
    _drop_empty(mended, holder)
    for mend in _MENDING:
        mend(mended)
    if holder == "property" and isinstance(mended.keywords.get("required"), bool):
        mended.replace("required")  # said by the object around
    return mended


def _drop_beside_reference(mended: Mended) -> None:
    unread = [key for key in mended.keywords if key not in _OUTSIDE and key != "$ref"]
    for key in unread:
        mended.tell(key, f"{key!r} says nothing beside '$ref' in the draft that '$schema' names")
        mended.replace(key)


def _drop_empty(mended: Mended, holder: Holder) -> None:
    """Keywords with nothing after them; a lone `type: null` among alternatives means the type."""
    for key in [key for key, value in mended.keywords.items() if value is None and key in _EMPTIABLE]:
        mended.tell(key, f"{key!r} has nothing after it and says nothing", "empty")
        mended.replace(key)
    if mended.keywords.get("type", "") is None:
        others = mended.keywords.keys() - ANNOTATIONS - {"type"}
        if others & _SAYING_MORE:
            mended.tell("type", "'type' has nothing after it and says nothing", "empty")
            mended.replace("type")
        elif holder == "alternative" and not others:
            mended.tell("type", "null is read as the type 'null', which is written in quotes")
            mended.replace("type", type="null")


def _mend_types(mended: Mended) -> None:
    kind = mended.keywords.get("type")
    named = kind if isinstance(kind, list) else [kind]
    if "any" in named:
        mended.tell("type", "'any' is no type: without 'type' any value fits")
        mended.replace("type")
    elif isinstance(kind, list) and None in kind and all(name is None or isinstance(name, str) for name in kind):
        mended.tell("type", "null is read as the type 'null', which is written in quotes")
        mended.replace("type", type=list(dict.fromkeys("null" if name is None else name for name in kind)))


def _mend_bounds(mended: Mended) -> None:
    """Draft 4: `exclusiveMinimum: true` says of `minimum` that the bound itself does not fit."""
    for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        flag, limit = mended.keywords.get(exclusive), mended.keywords.get(bound)
        if not isinstance(flag, bool):
            continue
        if flag and isinstance(limit, int | float) and not isinstance(limit, bool):
            mended.tell(exclusive, f"'{exclusive}: true' is read as '{exclusive}: {limit}' in place of {bound!r}")
            mended.replace(exclusive)
            mended.replace(bound, **{exclusive: limit})
        else:
            mended.tell(exclusive, f"'{exclusive}: {show(flag)}' says nothing{f' without {bound!r}' if flag else ''}")
            mended.replace(exclusive)


def _mend_multiple(mended: Mended) -> None:
    """Draft 3."""
    if "divisibleBy" in mended.keywords and "multipleOf" not in mended.keywords:
        mended.tell("divisibleBy", "'divisibleBy' is read as 'multipleOf'")
        mended.replace("divisibleBy", multipleOf=mended.keywords["divisibleBy"])


def _mend_properties(mended: Mended) -> None:
    """Properties with nothing after their name, and draft 3's `required: true` in a property."""
    properties = mended.keywords.get("properties")
    if not isinstance(properties, dict):
        return
    for name in [name for name, part in properties.items() if part is None]:
        mended.changes.append((("properties", name), "empty", f"{name[:100]!r} has nothing after it: any value fits"))
        properties = {**properties, name: {}}
        mended.keywords["properties"] = properties
    flags = {name: part["required"] for name, part in properties.items() if _has_flag(part)}
    for name, flag in flags.items():
        meaning = (
            f"'required' of the object around is read as naming {name[:100]!r}" if flag else "'required: false' says nothing"
        )
        mended.changes.append((("properties", name, "required"), "draft", meaning))
    listed = mended.keywords.get("required", [])
    if any(flags.values()) and isinstance(listed, list):
        marked = [name for name, flag in flags.items() if flag and name not in listed]
        mended.keywords["required"] = [*listed, *marked]


def _has_flag(part: Json) -> bool:
    return isinstance(part, dict) and isinstance(part.get("required"), bool)


def _mend_items(mended: Mended) -> None:
    """Up to draft 2019-09 a list in `items` was about the first items, `additionalItems` about the others."""
    first, others = mended.keywords.get("items"), mended.keywords.get("additionalItems")
    if not isinstance(first, list) or "prefixItems" in mended.keywords:
        return
    mended.tell("items", "a list in 'items' is read as 'prefixItems'")
    if "additionalItems" in mended.keywords:
        mended.tell("additionalItems", "'additionalItems' is read as 'items'")
        mended.replace("additionalItems")
    prefix: JsonObject = {"prefixItems": first} if first else {}
    mended.replace("items", **prefix, **({"items": others} if isinstance(others, dict | bool) else {}))
    mended.moved |= {("prefixItems", index): ("items", index) for index in range(len(first))}
    mended.moved[("items",)] = ("additionalItems",)


def _mend_dependencies(mended: Mended) -> None:
    """Up to draft 7 `dependencies` held lists of names (draft 3: one name) and schemas."""
    old = mended.keywords.get("dependencies")
    if not isinstance(old, dict) or not all(isinstance(value, list | dict | bool | str) for value in old.values()):
        return
    mended.tell("dependencies", "'dependencies' is read as 'dependentRequired' and 'dependentSchemas'")
    names = {name: [value] if isinstance(value, str) else value for name, value in old.items() if isinstance(value, list | str)}
    schemas = {name: value for name, value in old.items() if isinstance(value, dict | bool)}
    new: JsonObject = ({"dependentRequired": names} if names else {}) | ({"dependentSchemas": schemas} if schemas else {})
    around: JsonPath = ()
    if new.keys() & mended.keywords.keys():
        parts = mended.keywords.get("allOf", [])
        if not isinstance(parts, list):
            return
        around = ("allOf", len(parts))
        mended.replace("dependencies")
        mended.keywords["allOf"] = [*parts, new]
    else:
        mended.replace("dependencies", **new)
    mended.moved |= {(*around, "dependentSchemas", name): ("dependencies", name) for name in schemas}


def _mend_nullable(mended: Mended) -> None:
    """OpenAPI 3.0."""
    if mended.keywords.get("nullable") is not True:
        return
    mended.tell("nullable", "'nullable: true' is read as null being one more type")
    mended.replace("nullable")
    keywords = mended.keywords
    if any(key in keywords for key in _REFUSING_NULL):
        mended.nullable = True
        return
    kind, values = keywords.get("type"), keywords.get("enum")
    if isinstance(kind, str | list):
        types = kind if isinstance(kind, list) else [kind]
        mended.replace("type", type=types if "null" in types else [*types, "null"])
    if isinstance(values, list) and None not in values:
        mended.replace("enum", enum=[*values, None])


def wrap_nullable(keywords: JsonObject) -> JsonObject:
    """The object with null as one more alternative; what says nothing about a value stays outside."""
    inside = {key: value for key, value in keywords.items() if key not in _OUTSIDE}
    outside = {key: value for key, value in keywords.items() if key in _OUTSIDE}
    return {**outside, "anyOf": [inside, {"type": "null"}]}


def is_inside(keyword: str) -> bool:
    """Whether `wrap_nullable` puts the keyword into the alternative."""
    return keyword not in _OUTSIDE


_MENDING: tuple[Callable[[Mended], None], ...] = (
    _mend_types,
    _mend_bounds,
    _mend_multiple,
    _mend_properties,
    _mend_items,
    _mend_dependencies,
    _mend_nullable,
)
