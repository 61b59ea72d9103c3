"""Paths of `exclude_fields_for_llm` against `output_example` (a path that leads nowhere hides nothing)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from apps.sdk.assembly import LoadedApp
from apps.sdk.catalog import Finding
from apps.sdk.findings import report
from apps.sdk.jsontypes import Json
from apps.sdk.reading import suggest


def check_excluded_fields(apps: Sequence[LoadedApp]) -> Iterator[Finding]:
    for app in apps:
        for skill, place in app.skills():
            if skill.output_example is None:
                continue
            for index, path in enumerate(skill.exclude_fields):
                if not has_path(skill.output_example, path):
                    advice = suggest(path, list_paths(skill.output_example))
                    position = place.at("exclude_fields_for_llm", index)
                    yield report("exclude-path", position, f"output_example has no field '{path}'", advice)


def has_path(value: Json, path: str) -> bool:
    """Whether the dot path leads to a field: `*` is any key or item, and lists may also be passed through unnamed."""
    steps = path.split(".")
    reached = [(value, 0)]
    while reached:
        node, depth = reached.pop()
        if depth == len(steps):
            return True
        step = steps[depth]
        if isinstance(node, list):
            reached += [(item, depth) for item in node]
            reached += [(item, depth + 1) for index, item in enumerate(node) if step in {"*", str(index)}]
        elif isinstance(node, dict):
            reached += [(child, depth + 1) for key, child in node.items() if step in {"*", key}]
    return False


def list_paths(value: Json, prefix: str = "") -> list[str]:
    """Every field's dot path, lists passed through."""
    if isinstance(value, list):
        return [path for item in value for path in list_paths(item, prefix)]
    if not isinstance(value, dict):
        return []
    own = [f"{prefix}{key}" for key in value]
    return own + [path for key, child in value.items() for path in list_paths(child, f"{prefix}{key}.")]
