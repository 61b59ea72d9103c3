"""Walks over JSON values."""

from __future__ import annotations

from collections.abc import Callable

from apps.sdk.jsontypes import Json, JsonObject

MAX_DEPTH = 50
"""Deepest nesting of arguments and results; far below Python's recursion limit, far above what a model can use."""


def exceeds_depth(value: Json, limit: int = MAX_DEPTH) -> bool:
    """Whether objects and lists nest more than `limit` deep: `[]` is one deep, `[[]]` two. No input exhausts the stack."""
    level = [value]
    for _ in range(limit + 1):
        level = [node for node in level if isinstance(node, dict | list)]
        if not level:
            return False
        level = [child for node in level for child in children(node)]
    return True


def children(value: JsonObject | list[Json]) -> list[Json]:
    return list(value.values()) if isinstance(value, dict) else value


def map_strings(value: Json, change: Callable[[str], str]) -> Json:
    """A copy with `change` applied to every string and key; keys that become equal get ` (2)`, ` (3)` ... appended."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [map_strings(item, change) for item in value]
    if not isinstance(value, dict):
        return value
    result: JsonObject = {}
    counts: dict[str, int] = {}
    for key, item in value.items():
        result[_free_key(change(key), result, counts)] = map_strings(item, change)
    return result


def _free_key(key: str, taken: JsonObject, counts: dict[str, int]) -> str:
    """`counts` goes on where the last clash of the same key ended, so that thousands of them take linear time."""
    free, count = key, counts.get(key, 1)
    while free in taken:
        count += 1
        free = f"{key} ({count})"
    counts[key] = count
    return free
