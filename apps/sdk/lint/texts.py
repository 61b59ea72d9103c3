"""The texts that models read: there, and short enough."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from apps.sdk.assembly import LoadedApp
from apps.sdk.building import Place
from apps.sdk.catalog import MAX_HINT, FocusMode, Memory, SkillSpec
from apps.sdk.findings import Finding, report

MAX_DESCRIPTION = 1024
"""Characters: the limit that several providers set on a function's description."""


def check_texts(apps: Sequence[LoadedApp]) -> Iterator[Finding]:
    for app in apps:
        for memory, place in app.memories():
            yield from _check_description(memory, place)
        hinted: list[tuple[SkillSpec | FocusMode, Place]] = [*app.skills(), *app.focus_modes()]
        for item, place in hinted:
            yield from _check_description(item, place)
            if item.hint != item.description:
                yield from _check_length("preprocessor_hint", item.hint, MAX_HINT, place)


def _check_description(item: SkillSpec | FocusMode | Memory, place: Place) -> Iterator[Finding]:
    if item.description == item.name:
        yield report("no-description", place.at(), f"'{item.name}' has no description: a model sees its name only")
    yield from _check_length("description", item.description, MAX_DESCRIPTION, place)


def _check_length(key: str, text: str, limit: int, place: Place) -> Iterator[Finding]:
    if len(text) > limit:
        yield report("text-length", place.at(key), f"'{key}' has {len(text):,} characters; {limit:,} should do")
