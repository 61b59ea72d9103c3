"""Rows in pages that are bounded by what they hold, not by their number alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

import sqlalchemy as sa

from service.store.connection import StoreConnection
from service.store.tables import clamp

Row: TypeAlias = sa.Row[tuple[object, ...]]

ROOM: Final = 8_000_000
"""Characters of one page, unless another number is asked for."""
_FIRST_STEP, _MOST_STEP = 50, 200
"""Rows read at once, which all are in memory before the first of them is measured."""


async def read_page(
    connection: StoreConnection,
    query: sa.Select[tuple[object, ...]],
    key: sa.Column[int],
    after: int | None,
    limit: int,
    *,
    texts: Sequence[str],
    room: int = ROOM,
    newest_first: bool = False,
) -> tuple[list[Row], bool]:
    """At most `limit` rows of `query` from behind `after` in the order of `key`, and whether that is all there is.

    Fewer when the columns `texts` of them would hold more than `room` characters, but one at least. `after` None = from the end
    that the order begins with.
    """
    rows: list[Row] = []
    size, place = 0, after
    while True:
        asked = min(limit + 1 - len(rows), max(_FIRST_STEP, min(len(rows), _MOST_STEP)))
        found = (await connection.execute(_ask(query, key, place, newest_first=newest_first).limit(asked))).all()
        for row in found:
            size += sum(len(text) for name in texts if (text := row._mapping[name]) is not None)  # noqa: SLF001 (public)
            if len(rows) == limit or (rows and size > room):
                return rows, False
            rows.append(row)
        if len(found) < asked:
            return rows, True
        place = rows[-1]._mapping[key.name]  # noqa: SLF001 (public)


def _ask(
    query: sa.Select[tuple[object, ...]], key: sa.Column[int], place: int | None, *, newest_first: bool
) -> sa.Select[tuple[object, ...]]:
    if place is not None:
        beyond = clamp(place, key)
        query = query.where(key < beyond if newest_first else key > beyond)
    return query.order_by(key.desc() if newest_first else key)
