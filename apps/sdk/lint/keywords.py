"""Words in a `tool_schema` that JSON Schema does not know: misspelt keywords, whose rule nobody holds a call to, and others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from apps.sdk.findings import Finding, report
from apps.sdk.jsontypes import JsonObject
from apps.sdk.loading.app import LoadedApp
from apps.sdk.loading.place import Place
from apps.sdk.near_names import suggest
from apps.sdk.schemas.vocabulary import KEYWORDS, KEYWORDS_OF_OLDER_DRAFTS, WORDS_OF_OTHERS
from apps.sdk.schemas.walks import walk_schemas

MAX_LISTED = 20
"""Findings about one skill; who has more has generated the schema."""


def check_keywords(apps: Sequence[LoadedApp]) -> Iterator[Finding]:
    """A memory's schema is left alone: it may hold words of its own for user interfaces."""
    for app in apps:
        for skill, place in app.skills():
            yield from islice(_check_schema(skill.parameters, place), MAX_LISTED)


def _check_schema(schema: JsonObject, place: Place) -> Iterator[Finding]:
    for path, node in walk_schemas(schema):
        for word in [word for word in node if word not in KEYWORDS]:
            position, shown = place.at_key("tool_schema", *path, word), f"{word[:100]!r}"
            advice = None if word in KEYWORDS_OF_OLDER_DRAFTS | WORDS_OF_OTHERS else suggest(word, KEYWORDS)
            if advice:
                yield report("schema-keyword", position, f"{shown} is no keyword of JSON Schema and limits nothing", advice)
            elif not word.startswith("x-"):
                yield report("schema-extension", position, f"{shown} is no keyword of JSON Schema and is not read")
