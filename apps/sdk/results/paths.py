"""Dotted paths to the fields of a result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from apps.sdk.jsontypes import Json, JsonObject


def exclude_fields(value: Json, paths: Sequence[str]) -> Json:
    """A copy without what the dotted `paths` name; `value` itself is left alone.

    A path goes through lists by itself; `*` stands for any key, or for the items of a list. A key that holds dots is matched
    by its whole name.
    """
    for path in paths:
        value = _exclude(value, tuple(path.split(".")))
    return value


def _exclude(value: Json, path: tuple[str, ...]) -> Json:
    if isinstance(value, list):
        rest = path[1:] if path[0] == "*" and len(path) > 1 else path
        return [_exclude(item, rest) for item in value]
    if not isinstance(value, dict):
        return value
    first, rest = path[0], path[1:]
    whole = ".".join(path)
    result: JsonObject = {}
    for key, item in value.items():
        if key == whole or (not rest and first == "*"):
            continue
        result[key] = _exclude(item, rest) if rest and first in {"*", key} else item
    return result


def list_paths(value: Json, prefix: str = "") -> Iterator[str]:
    """Every field's path, lists passed through; a field that several rows have comes once for each."""
    if isinstance(value, list):
        for item in value:
            yield from list_paths(item, prefix)
    elif isinstance(value, dict):
        yield from (f"{prefix}{key}" for key in value)
        for key, child in value.items():
            yield from list_paths(child, f"{prefix}{key}.")
