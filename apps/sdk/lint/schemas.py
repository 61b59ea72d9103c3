"""Schemas that are valid, but most likely not what was meant: of arguments and of memories."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from apps.sdk.findings import Finding, report
from apps.sdk.jsontypes import Json, JsonObject, JsonPath
from apps.sdk.kinds import show
from apps.sdk.loading.app import LoadedApp
from apps.sdk.loading.place import Place
from apps.sdk.near_names import suggest
from apps.sdk.schemas.equality import make_comparable
from apps.sdk.schemas.fitting import fits
from apps.sdk.schemas.references import follow, properties_of
from apps.sdk.schemas.walks import IN_PLACE, list_parts, walk_schemas

MAX_LISTED = 20
"""Findings about one list; who has more has generated it."""
MAX_COMPARED = 1_000
"""Properties that a name which is none is compared with."""
MAX_NESTING = 10
"""Levels of `allOf`, `if` and the like that are searched for declared properties."""


def check_schemas(apps: Sequence[LoadedApp]) -> Iterator[Finding]:
    for app in apps:
        for skill, place in app.skills():
            yield from _check_schema(skill.parameters, place, "tool_schema")
        for memory, place in app.memories():
            yield from _check_schema(memory.schema, place, "schema")


def _check_schema(schema: JsonObject, place: Place, key: str) -> Iterator[Finding]:
    parts: dict[JsonPath, JsonObject] = {}
    for path, node in walk_schemas(schema):
        parts[path] = node
        if not set(node.get("required", ())) <= node.get("properties", {}).keys():
            yield from _check_required(node, schema, _find_surroundings(path, parts), place, (key, *path))
        if isinstance(node.get("enum"), list):
            yield from islice(_check_enum(node["enum"], place, (key, *path, "enum")), MAX_LISTED)
        if node.get("default") is not None and not fits(node["default"], node, schema):
            message = f"the default, {show(node['default'])}, does not fit its own schema"
            yield report("schema-default", place.at_key(key, *path, "default"), message)


def _find_surroundings(path: JsonPath, parts: dict[JsonPath, JsonObject]) -> list[JsonObject]:
    """The schemas around the one at `path` that apply to the same value."""
    found: list[JsonObject] = []
    while path:
        length = next(n for n in range(len(path) - 1, -1, -1) if path[:n] in parts)
        if path[length] not in IN_PLACE:
            break
        path = path[:length]
        found.append(parts[path])
    return found


def _check_required(
    node: JsonObject, root: JsonObject, around: list[JsonObject], place: Place, path: JsonPath
) -> Iterator[Finding]:
    schemas = [node, *around]
    if any("patternProperties" in schema for schema in schemas):
        return
    declared = {name for schema in schemas for name in _list_declared(schema, root, MAX_NESTING)}
    close = sorted(declared)[:MAX_COMPARED]
    strange = ((index, name) for index, name in enumerate(node["required"]) if name not in declared)
    for index, name in islice(strange, MAX_LISTED):
        message = f"'required' names {name[:100]!r}, which is no declared property"
        yield report("schema-required", place.at(*path, "required", index), message, suggest(name, close))


def _list_declared(schema: Json, root: JsonObject, levels: int) -> Iterator[str]:
    yield from properties_of(schema, root)
    followed = follow(schema, root)
    for part in list_parts(followed, IN_PLACE) if isinstance(followed, dict) and levels else ():
        yield from _list_declared(part, root, levels - 1)


def _check_enum(values: list[Json], place: Place, path: JsonPath) -> Iterator[Finding]:
    seen: set[str] = set()
    for index, value in enumerate(values):
        written = make_comparable(value)
        if written in seen:
            yield report("schema-enum", place.at(*path, index), f"{show(value)} stands in 'enum' twice")
        seen.add(written)
