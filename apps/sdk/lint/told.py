"""Rules of a `tool_schema` that even the most lenient provider takes in words only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from apps.sdk.findings import Finding, report
from apps.sdk.jsontypes import JsonObject
from apps.sdk.loading.app import LoadedApp
from apps.sdk.loading.place import Place
from apps.sdk.schemas.dialects.adapting import adapt
from apps.sdk.schemas.dialects.profiles import OPENAI
from apps.sdk.schemas.dialects.records import Adapted
from apps.sdk.schemas.walks import walk_schemas

_SUSPECT = frozenset(
    {"not", "if", "oneOf", "dependentRequired", "dependentSchemas", "contains", "propertyNames", "patternProperties"}
) | {"prefixItems", "unevaluatedProperties", "unevaluatedItems", "$ref", "enum", "const"}
"""Keywords that may not be sent as they stand; schemas without them are not looked into, which saves start-up the time."""
_AT_ROOT = frozenset({"anyOf", "allOf"})
MAX_LISTED = 20
"""Findings about one skill; who has more has generated the schema."""


def check_told(apps: Sequence[LoadedApp]) -> Iterator[Finding]:
    """What other families lose besides depends on the model; `preview` shows it."""
    for app in apps:
        for skill, place in app.skills():
            found = adapt(skill.parameters, OPENAI) if _may_lose(skill.parameters) else None
            if isinstance(found, Adapted):
                yield from _tell_lost(found, place)


def _may_lose(schema: JsonObject) -> bool:
    return bool(_AT_ROOT & schema.keys()) or any(_SUSPECT & node.keys() for _, node in walk_schemas(schema))


def _tell_lost(found: Adapted, place: Place) -> Iterator[Finding]:
    for loss in found.lost[:MAX_LISTED]:
        how = "is told to models in words" if loss.told else "is not told to models"
        yield report("schema-told", place.at_key("tool_schema", *loss.path), f"{loss.meaning[:200]!r} {how}")
