"""The model's copy of a result: rows of one shape."""

from __future__ import annotations

from apps.sdk.jsontypes import Json


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
