"""What went wrong with a request, in words for a model.

Problem         other arguments may do
└── Refusal     no arguments will do
"""

from __future__ import annotations


class Problem(Exception):
    """Other arguments may do; `hint` says which."""

    retry = True

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class Refusal(Problem):
    """No arguments will do."""

    retry = False


OUT_OF_MEMORY = "The query needs more memory than it may have"
LESS_MEMORY = "Filter or aggregate earlier, select fewer columns, and avoid cross joins and very long texts or lists."
