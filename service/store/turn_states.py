"""The states of a turn."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

TurnStatus: TypeAlias = Literal["running", "waiting", "paused", "done", "failed", "cancelled"]

STATUSES: Final = frozenset(get_args(TurnStatus))
ENDED: Final = frozenset({"done", "failed", "cancelled"})
"""Nothing follows these."""
