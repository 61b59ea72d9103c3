"""A schema in the spelling of an older draft, or of OpenAPI 3.0, as its equal in draft 2020-12.

Upgraded once, where an app is loaded: validation, checks and dialects then read one draft only. The draft is the one that
`$schema` names; where it names none, only what draft 2020-12 refuses or does not know is read in the older way. What has no
equal is left as it stands, for the check of the schema to refuse.

Two readings follow what authors mean, not the letter: `nullable` adds null whatever stands beside it, also where OpenAPI
3.0.3 wants it in `enum` as well; and keywords that are newer than the draft that `$schema` names count. One difference has no
equal: to draft 4 the number 1.0 was no integer, here it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TypeAlias
from urllib.parse import quote, unquote

from apps.sdk.jsontypes import Json, JsonObject, JsonPath
from apps.sdk.schemas.spellings import ChangeKind, Holder, is_inside, mend_keywords, wrap_nullable
from apps.sdk.schemas.walks import map_parts

Tokens: TypeAlias = tuple[str, ...]
"""The steps of a JSON pointer."""

_OLD_DRAFT = re.compile(r"json-schema\.org/draft-0([3-7])/")
_NEWEST = 8
_WITH_PLAIN_ID = 4
"""The last draft that calls `id` what is `$id` since."""
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that was read in an older way; `path` leads to it in what the author wrote."""

    path: JsonPath
    kind: ChangeKind
    meaning: str


@dataclass(frozen=True, slots=True)
class Upgraded:
    """The schema in draft 2020-12, the very one that was given where nothing had to change."""

    schema: Json
    changes: tuple[Change, ...] = ()
    _origins: dict[JsonPath, JsonPath] = field(default_factory=dict)

    def find_origin(self, path: JsonPath) -> JsonPath:
        """Where that stood in what the author wrote which `path` leads to in `schema`."""
        for length in range(len(path), 0, -1):
            if path[:length] in self._origins:
                return (*self._origins[path[:length]], *path[length:])
        return path


def upgrade_schema(schema: Json) -> Upgraded:
    """The equal of `schema`, in which nothing is changed, and what of it was read in an older way."""
    try:
        return _Upgrade(schema).run()
    except RecursionError:
        return Upgraded(schema)


class _Upgrade:
    """`_places`: where each schema is to stand, by the pointer to where it stood. `_anchors`: the same pointers by name."""

    def __init__(self, root: Json) -> None:
        self._root = root
        self._draft = _read_draft(root, _NEWEST) if isinstance(root, dict) else _NEWEST
        self._base = ""
        self._changes: list[Change] = []
        self._places: dict[Tokens, JsonPath] = {}
        self._origins: dict[JsonPath, JsonPath] = {}
        self._wrapped: list[JsonPath] = []
        self._references: list[str] = []
        self._anchors: dict[str, Tokens | None] = {}
        self._has_resources = False

    def run(self) -> Upgraded:
        upgraded = self._upgrade(self._root, (), (), _NEWEST, "other")
        for reference in self._references:  # grows meanwhile
            upgraded = self._upgrade_target(upgraded, reference)
        if not self._has_resources:
            for place in (*self._places.values(), *self._wrapped):
                self._mend_references(follow_path(upgraded, place))
        if upgraded == self._root:
            return Upgraded(self._root)
        return Upgraded(upgraded, tuple(self._changes), self._origins)

    def _upgrade(self, node: Json, old: JsonPath, new: JsonPath, draft: int, holder: Holder) -> Json:
        """The schema that stood at `old`, as it is to stand at `new`: a copy, of the schemas in it too."""
        if not isinstance(node, dict):
            return node
        self._place(old, new)
        draft = _read_draft(node, draft)
        named = self._name(
            {key: value for key, value in node.items() if key != "$schema" or not isinstance(value, str)}, old, draft
        )
        mended = mend_keywords(named, holder=holder, refers_alone=draft < _NEWEST)
        self._changes += [Change((*old, *path), kind, meaning) for path, kind, meaning in mended.changes]
        self._references += [value for key in _REFERENCES if isinstance(value := mended.keywords.get(key), str)]
        inner = (*new, "anyOf", 0)
        if mended.nullable:
            self._wrapped.append(inner)
            self._origins[inner] = old

        def upgrade_part(steps: JsonPath, part: JsonObject) -> Json:
            around = inner if mended.nullable and is_inside(str(steps[0])) else new
            return self._upgrade(part, (*old, *mended.find_origin(steps)), (*around, *steps), draft, _find_holder(steps))

        keywords = map_parts(mended.keywords, upgrade_part)
        return wrap_nullable(keywords) if mended.nullable else keywords

    def _place(self, old: JsonPath, new: JsonPath) -> None:
        self._places[tuple(map(str, old))] = new
        if old != new:
            self._origins[new] = old

    def _name(self, node: JsonObject, old: JsonPath, draft: int) -> JsonObject:
        """The object with the names by which references know it; an `$id` at the root is not needed where all are local."""
        if draft <= _WITH_PLAIN_ID and isinstance(node.get("id"), str) and "$id" not in node:
            node = {"$id" if key == "id" else key: value for key, value in node.items()}
        identifier = node.get("$id")
        if isinstance(identifier, str) and identifier.startswith("#") and draft < _NEWEST:
            node = {key: value for key, value in node.items() if key != "$id"} | {"$anchor": identifier[1:]}
        elif isinstance(identifier, str) and not old:
            self._base = identifier.partition("#")[0]
            node = {key: value for key, value in node.items() if key != "$id"}
        elif isinstance(identifier, str):
            self._has_resources = True
        for keyword in ("$anchor", "$dynamicAnchor"):
            if isinstance(name := node.get(keyword), str):
                here = tuple(map(str, old))
                self._anchors[name] = here if self._anchors.get(name, here) == here else None
        return node

    def _upgrade_target(self, upgraded: Json, reference: str) -> Json:
        """`upgraded` with the schema upgraded that only this reference leads to: one outside all keywords that hold schemas."""
        tokens = self._read_pointer(reference)
        if tokens is None or tokens in self._places:
            return upgraded
        place = self._find_place(tokens)
        try:
            target = follow_path(upgraded, place)
        except LookupError:
            return upgraded
        if not isinstance(target, dict):
            return upgraded
        return _replace(upgraded, place, self._upgrade(target, tokens, place, self._draft, "other"))

    def _read_pointer(self, reference: str) -> Tokens | None:
        """The steps to what a reference names in the schema as it was written, or None when it names nothing in it."""
        local = reference.removeprefix(self._base)
        fragment = unquote(local[1:]) if local.startswith("#") else "" if not local else None
        if fragment is None:
            return None
        if fragment and not fragment.startswith("/"):
            return self._anchors.get(fragment)
        return tuple(step.replace("~1", "/").replace("~0", "~") for step in fragment.split("/")[1:])

    def _find_place(self, tokens: Tokens) -> JsonPath:
        """Where that is to stand which stood at `tokens`."""
        length = next(length for length in range(len(tokens), -1, -1) if tokens[:length] in self._places)
        return (*self._places[tokens[:length]], *tokens[length:])

    def _mend_references(self, node: JsonObject) -> None:
        """References by pointers to where the schemas are to stand, and all of them as `$ref`: there is one resource only."""
        for keyword in [key for key in _REFERENCES if isinstance(node.get(key), str)]:
            tokens = self._read_pointer(node[keyword])
            if tokens is None or (keyword != "$ref" and "$ref" in node):
                continue
            place = tuple(map(str, self._find_place(tokens)))
            pointer = node[keyword] if node[keyword].startswith("#/") and place == tokens else _write_pointer(place)
            entries = [("$ref" if key == keyword else key, pointer if key == keyword else value) for key, value in node.items()]
            node.clear()
            node.update(entries)


def _read_draft(node: JsonObject, inherited: int) -> int:
    """The draft that `$schema` names, as far as drafts differ here: 3 to 7, and one number for those after."""
    named = node.get("$schema")
    if not isinstance(named, str):
        return inherited
    old = _OLD_DRAFT.search(named)
    return int(old[1]) if old else _NEWEST


def _find_holder(steps: JsonPath) -> Holder:
    if steps[0] == "properties":
        return "property"
    return "alternative" if steps[0] in {"anyOf", "oneOf"} else "other"


def _write_pointer(place: Tokens) -> str:
    return "#" + "".join("/" + quote(step.replace("~", "~0").replace("/", "~1"), safe="$:@") for step in place)


def follow_path(value: Json, path: JsonPath) -> Json:
    """What `path` leads to, its steps in a list also as text; raises `LookupError`."""
    for step in path:
        try:
            value = value[int(step)] if isinstance(value, list) else value[step]
        except (TypeError, ValueError):
            raise LookupError(path) from None
    return value


def _replace(value: Json, path: JsonPath, new: Json) -> Json:
    """A copy of `value` with `new` at `path`; what lies beside the path is shared."""
    if not path:
        return new
    if isinstance(value, list):
        index = int(path[0])
        return [*value[:index], _replace(value[index], path[1:], new), *value[index + 1 :]]
    return {**value, path[0]: _replace(value[path[0]], path[1:], new)}
