# ruff: noqa: S608 - names are quoted, and to run SQL is what this process is for
"""Values of DuckDB as JSON: numbers where nothing is lost, text everywhere else, one shape for all rows."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from .database import list_columns, quote_name

if TYPE_CHECKING:
    import duckdb

    from apps.sdk.jsontypes import Json, JsonObject

MAX_CELL: Final = 1_000
"""Characters of a value; longer ones are cut."""

MAX_COLUMNS_SHOWN: Final = 100
MAX_CHARACTERS: Final = 1_000_000
"""Of all rows together, as JSON; further rows are left out."""

_MAX_TYPE: Final = 200
_SIGNIFICANT_DIGITS: Final = 15
_LARGEST_EXACT: Final = 2**53
"""Integers from here on are text: readers of JSON that have doubles only would change them."""

_INTEGERS: Final = frozenset(
    "TINYINT SMALLINT INTEGER BIGINT HUGEINT UTINYINT USMALLINT UINTEGER UBIGINT UHUGEINT".split()  # noqa: SIM905
)


@dataclass(slots=True)
class Fetched:
    """Rows as objects; `more` says that there are others, `cut` how many values were shortened, `hidden` how many columns."""

    columns: list[tuple[str, str]]
    rows: list[JsonObject] = field(default_factory=list)
    more: bool = False
    cut: int = 0
    hidden: int = 0


def is_number(kind: str) -> bool:
    """Whether a column of this type can be summed."""
    return kind in _INTEGERS or kind in {"DOUBLE", "FLOAT"} or kind.startswith("DECIMAL")


def is_nested(kind: str) -> bool:
    """Whether its values hold other values."""
    return kind.endswith("]") or kind.startswith(("STRUCT(", "MAP(", "UNION(")) or kind in {"JSON", "VARIANT"}


def fetch_rows(connection: duckdb.DuckDBPyConnection, source: str, limit: int, max_columns: int = MAX_COLUMNS_SHOWN) -> Fetched:
    """The first `limit` rows of `source`, what stands after FROM, in its order."""
    columns = list_columns(connection, source)
    shown = columns[:max_columns]
    aliases = ", ".join(f"c{place}" for place in range(len(columns)))
    wanted = ", ".join(_select(f"c{place}", kind) for place, (_, kind) in enumerate(shown))
    connection.execute(f"SELECT {wanted} FROM {source} AS result({aliases}) LIMIT {limit + 1}")
    fetched = Fetched([(name, kind[:_MAX_TYPE]) for name, kind in shown], hidden=len(columns) - len(shown))
    size = 0
    while (found := connection.fetchone()) is not None:
        row = {name: _write(value, kind, fetched) for value, (name, kind) in zip(found, shown, strict=True)}
        size += len(json.dumps(row, ensure_ascii=False))
        if len(fetched.rows) >= limit or (size > MAX_CHARACTERS and fetched.rows):
            fetched.more = True
            return fetched
        fetched.rows.append(row)
    return fetched


def _select(column: str, kind: str) -> str:
    """How to ask for a value so that it arrives as int, float, bool or a short text."""
    name = quote_name(column)
    if kind in _INTEGERS or kind in {"BOOLEAN", "DOUBLE"}:
        return name
    text = f"CAST(to_json({name}) AS VARCHAR)" if is_nested(kind) and kind != "JSON" else f"CAST({name} AS VARCHAR)"
    return f"left({text}, {MAX_CELL + 1})"


def _write(value: Json, kind: str, fetched: Fetched) -> Json:
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return value if abs(value) < _LARGEST_EXACT else str(value)
    if kind in {"DOUBLE", "FLOAT"}:
        return _write_double(float(value))
    if kind.startswith("DECIMAL") and not is_nested(kind):
        return _write_decimal(value)
    fetched.cut += len(value) > MAX_CELL
    return f"{value[: MAX_CELL - 1]}…" if len(value) > MAX_CELL else value


def _write_double(value: float) -> Json:
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if value.is_integer() and abs(value) < 10**_SIGNIFICANT_DIGITS:
        return int(value)
    rounded = float(f"{value:.{_SIGNIFICANT_DIGITS}g}")
    return rounded if math.isfinite(rounded) else value


def _write_decimal(text: str) -> Json:
    exact = Decimal(text)
    if len(exact.as_tuple().digits) > _SIGNIFICANT_DIGITS:
        return text
    return int(exact) if exact == exact.to_integral_value() else float(exact)
