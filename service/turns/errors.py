"""Why a turn gives no answer, beside its models' errors.

TurnError
├── DeadlinePassed      its time is over
├── BudgetSpent         its tokens do not allow another model call
└── TooManyTurns        as many run at once as the setting allows
    └── TooManyOfTenant     as many of one tenant's
"""

from __future__ import annotations


class TurnError(Exception):
    """A turn cannot begin or go on."""


class DeadlinePassed(TurnError):
    """The turn's time is over; `seconds` is how much it had."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"there was no answer within {seconds:g} seconds")
        self.seconds = seconds


class BudgetSpent(TurnError):
    """The next model call would pass the turn's budget of `tokens`."""

    def __init__(self, tokens: int) -> None:
        super().__init__(f"the budget of {tokens} tokens does not allow a model call")
        self.tokens = tokens


class TooManyTurns(TurnError):
    """`limit` turns run already; the setting is `turns_parallel`."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"{limit} turns run at once already")
        self.limit = limit


class TooManyOfTenant(TooManyTurns):
    """`limit` turns of this tenant run already; the setting is `turns_parallel_per_tenant`."""
