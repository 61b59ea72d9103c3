"""The model's copy of a result: fields left out, rows of one shape."""

from __future__ import annotations

from collections.abc import Sequence

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


def align_rows(value: Json) -> Json:
    """A copy whose lists of flat objects are tables: one order of keys, null where a row lacks one.

    Rows are left as they are when they are no table (a list in a cell, an object here and a scalar there) or when more than
    half of the table would be such nulls. Nothing else changes, so every key that a row had keeps its value.
    """
    if isinstance(value, dict):
        return {key: align_rows(item) for key, item in value.items()}
    if not isinstance(value, list):
        return value
    rows = [align_rows(item) for item in value]
    return _align(rows) or rows


def _align(rows: list[Json]) -> list[Json] | None:
    """The rows as a table, nested objects as columns of columns; None when they are none."""
    if not rows or not all(isinstance(row, dict) and row for row in rows):
        return None
    keys = list(dict.fromkeys(key for row in rows for key in row))
    if 2 * sum(len(row) for row in rows) < len(keys) * len(rows):
        return None
    columns: list[list[Json]] = []
    for key in keys:
        column = _align_column([row[key] for row in rows if key in row], len(rows))
        if column is None:
            return None
        cells = iter(column)
        columns.append([next(cells) if key in row else None for row in rows])
    return [dict(zip(keys, cells, strict=True)) for cells in zip(*columns, strict=True)]


def _align_column(cells: list[Json], rows: int) -> list[Json] | None:
    if not any(isinstance(cell, dict | list) for cell in cells):
        return cells
    return _align(cells) if len(cells) == rows else None
