"""Tables of the service as rows of a result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.skill import Rows, SkillFailed, SkillResult
from apps.weather.skills.wire import Table


def split_rows(table: Table, wanted: int) -> Iterator[Mapping[str, Json]]:
    """The first `wanted` rows by the names of their columns; a column that is missing is None throughout."""
    columns = {name: getattr(table, name) for name in type(table).model_fields}
    for at in range(min(wanted, len(columns["time"]))):
        yield {name: None if column is None else column[at] for name, column in columns.items()}


def write_number(value: float | None) -> float | int | None:
    """Without a fraction that is none."""
    if value is None:
        return None
    rounded = round(value, 2)
    return int(rounded) if rounded.is_integer() else rounded


def write_minute(moment: datetime) -> str:
    """Local, to the minute, without a zone."""
    return f"{moment:%Y-%m-%dT%H:%M}"


def keep_known(rows: Rows, keys: Sequence[str]) -> Rows:
    """Rows that know anything beside `keys`. Raises `SkillFailed` when there is none."""
    known = [row for row in rows if any(value is not None for key, value in row.items() if key not in keys)]
    if not known:
        raise SkillFailed("The weather service has nothing for this place.", hint="Say so; do not guess the weather.")
    return known


def finish(row: JsonObject, *remarks: str | None) -> JsonObject | SkillResult:
    """The result, with what there is to say about it."""
    said = " ".join(filter(None, remarks))
    return SkillResult(row, note=said) if said else row


def count_missing(rows: Rows, wanted: int, unit: str) -> str | None:
    """A word about rows that the service did not have."""
    return f"Only {len(rows)} of {wanted} {unit} are forecast." if len(rows) < wanted else None
