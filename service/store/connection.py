"""What the store's queries use of a connection, whichever database and driver is behind it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol, TypeAlias, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Dialect

from apps.sdk.jsontypes import JsonObject

T = TypeVar("T")


class StoreConnection(Protocol):
    """A part of SQLAlchemy's `AsyncConnection`, within a transaction."""

    @property
    def dialect(self) -> Dialect: ...

    def execute(
        self, statement: sa.Executable, parameters: JsonObject | Sequence[JsonObject] | None = None, /
    ) -> Awaitable[sa.CursorResult[Any]]: ...

    def scalar(self, statement: sa.Executable, parameters: JsonObject | None = None, /) -> Awaitable[Any]: ...

    def scalars(self, statement: sa.Executable, parameters: JsonObject | None = None, /) -> Awaitable[sa.ScalarResult[Any]]: ...

    def begin_nested(self) -> AbstractAsyncContextManager[object]: ...

    def run_sync(self, work: Callable[[Connection], T], /) -> Awaitable[T]: ...


Work: TypeAlias = Callable[[StoreConnection], Awaitable[T]]
"""What runs inside one transaction; it waits for nothing but the connection, and may be run again from its beginning."""
