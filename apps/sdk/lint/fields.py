"""Paths of `exclude_fields_for_llm` against `output_example` (a path that leads nowhere hides nothing)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from apps.sdk.findings import Finding, report
from apps.sdk.loading.app import LoadedApp
from apps.sdk.near_names import suggest
from apps.sdk.results.paths import exclude_fields, list_paths

MAX_SUGGESTED = 1_000
"""Fields of an example that are compared with a path that leads nowhere."""


def check_excluded_fields(apps: Sequence[LoadedApp]) -> Iterator[Finding]:
    """Paths that change nothing in the skill's example, which a skill without one does not have. Yields `exclude-path`."""
    for loaded in apps:
        for skill, place in loaded.skills():
            if skill.output_example is None:
                continue
            for index, path in enumerate(skill.exclude_fields):
                if exclude_fields(skill.output_example, [path]) == skill.output_example:
                    advice = suggest(path, frozenset(islice(list_paths(skill.output_example), MAX_SUGGESTED)))
                    position = place.at("exclude_fields_for_llm", index)
                    yield report("exclude-path", position, f"output_example has no field {path[:100]!r}", advice)
