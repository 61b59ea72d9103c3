"""Tool names that are legal, but make trouble."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from apps.sdk.catalog import SkillSpec
from apps.sdk.findings import Finding, report
from apps.sdk.loading.app import LoadedApp
from apps.sdk.loading.place import Place
from apps.sdk.names import MAX_PORTABLE_NAME, fold_name


def check_names(apps: Sequence[LoadedApp]) -> Iterator[Finding]:
    """Tool names that are long, or too like each other. Yields `tool-name-long` and `similar-names`."""
    by_fold: dict[str, SkillSpec] = {}
    for loaded in apps:
        for skill, place in loaded.skills():
            yield from _check_length(skill, place)
            other = by_fold.setdefault(fold_name(skill.tool_name), skill)
            if other is not skill:
                message = f"'{skill.tool_name}' and '{other.tool_name}' differ only in case or separators"
                yield report("similar-names", place.at("id"), message)


def _check_length(skill: SkillSpec, place: Place) -> Iterator[Finding]:
    length = len(skill.tool_name)
    if length > MAX_PORTABLE_NAME:
        message = f"the tool name '{skill.tool_name}' has {length} characters; some clients stop at {MAX_PORTABLE_NAME}"
        yield report("tool-name-long", place.at("id"), message)
