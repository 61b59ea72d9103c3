"""Tool names that are legal, but make trouble."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from apps.sdk.catalog import SkillSpec
from apps.sdk.findings import Finding, report
from apps.sdk.loading.app import LoadedApp
from apps.sdk.loading.place import Place
from apps.sdk.names import resolve_name

LONGEST_FOR_ALL = 60
"""Characters that every known client and model passes on uncut."""


def check_names(apps: Sequence[LoadedApp]) -> Iterator[Finding]:
    """Tool names that are long, or too like each other. Yields `tool-name-long` and `similar-names`."""
    by_fold: dict[str, SkillSpec] = {}
    for loaded in apps:
        for skill, place in loaded.skills():
            yield from _check_length(skill, place)
            other = by_fold.setdefault(skill.tool_name.replace("_", "-"), skill)
            if other is not skill and resolve_name(skill.tool_name, [other.tool_name]).repaired:
                message = f"'{skill.tool_name}' and '{other.tool_name}' differ only in separators"
                yield report("similar-names", place.at("id"), message)


def _check_length(skill: SkillSpec, place: Place) -> Iterator[Finding]:
    length = len(skill.tool_name)
    if length > LONGEST_FOR_ALL:
        message = f"the tool name '{skill.tool_name}' has {length} characters; some clients cut names at {LONGEST_FOR_ALL}"
        yield report("tool-name-long", place.at("id"), message)
