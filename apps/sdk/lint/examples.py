"""Example messages, which sharpen the ranking."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from apps.sdk.findings import Finding, report
from apps.sdk.loading.app import LoadedApp


def check_examples(apps: Sequence[LoadedApp]) -> Iterator[Finding]:
    """Skills without examples, and examples of two skills. Yields `no-examples` and `same-example`."""
    owners: dict[str, str] = {}
    for loaded in apps:
        for skill, place in loaded.skills():
            if not skill.examples:
                advice = "add two or three messages that should select it"
                yield report("no-examples", place.at(), f"the skill '{skill.skill_id}' has no examples", advice)
            for index, example in enumerate(skill.examples):
                owner = owners.setdefault(" ".join(example.casefold().split()), skill.tool_name)
                if owner != skill.tool_name:
                    message = f"the example {example[:60]!r} stands with '{owner}' too"
                    yield report("same-example", place.at("examples", index), message)
