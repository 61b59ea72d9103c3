"""What a skill takes: requests that can run one by one, arguments that say what they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from apps.sdk.catalog import SkillSpec
from apps.sdk.findings import Finding, report
from apps.sdk.jsontypes import Json, JsonObject, JsonPath
from apps.sdk.loading.app import LoadedApp
from apps.sdk.loading.place import Place
from apps.sdk.schemas.parameters import REQUESTS, request_items
from apps.sdk.schemas.references import follow, properties_of, wanted_types

MAX_NAMED = 5
_REQUESTS_PATH: JsonPath = ("tool_schema", "properties", REQUESTS)


def check_arguments(apps: Sequence[LoadedApp]) -> Iterator[Finding]:
    for app in apps:
        for skill, place in app.skills():
            items = request_items(skill.parameters)
            if items is None:
                yield from _check_requests(skill, place)
            yield from _check_descriptions(skill.parameters, items, place)


def _check_requests(skill: SkillSpec, place: Place) -> Iterator[Finding]:
    """`requests` is there, and no array of objects."""
    declared = properties_of(skill.parameters, skill.parameters)
    schema = follow(declared.get(REQUESTS), skill.parameters)
    kinds = wanted_types(schema) if isinstance(schema, dict) else None
    if kinds is None or (kinds and not kinds & {"array", "object"}):
        return
    found = "a list of something else" if "array" in kinds else "one object" if kinds else "of no type"
    message = f"'{REQUESTS}' should be a list of objects, which run one by one, but is {found}"
    yield report(
        "schema-requests", place.at_key(*_REQUESTS_PATH), message, "write 'type: array' and 'items: {type: object, ...}'"
    )


def _check_descriptions(parameters: JsonObject, items: JsonObject | None, place: Place) -> Iterator[Finding]:
    own, of_items = properties_of(parameters, parameters), properties_of(items, parameters)
    arguments: dict[JsonPath, Json] = {
        ("tool_schema", "properties", name): own[name] for name in own if name != REQUESTS or not items
    }
    arguments |= {(*_REQUESTS_PATH, "items", "properties", name): of_items[name] for name in of_items if name != "id"}
    silent = [path for path, schema in arguments.items() if not _has_description(schema, parameters)]
    if silent:
        named = ", ".join(repr(path[-1])[:100] for path in islice(silent, MAX_NAMED))
        more = f" and {len(silent) - MAX_NAMED} more" if len(silent) > MAX_NAMED else ""
        yield report("argument-description", place.at_key(*silent[0]), f"no description tells what goes into {named}{more}")


def _has_description(schema: Json, root: JsonObject) -> bool:
    followed = follow(schema, root)
    return not isinstance(followed, dict) or bool(str(followed.get("description", "")).strip())
