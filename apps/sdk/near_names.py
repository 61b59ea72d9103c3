"""Which known name somebody meant who wrote an unknown one, and the question that asks them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from itertools import islice

from apps.sdk.names import fold_name

CUTOFF = 0.7
"""Least likeness, as `difflib` counts it: twice the characters in common over those of both. `serach` and `search` have 0.83, a
letter too few in a word of six 0.91, `title` and `is_title` 0.77; at 0.6, words that share no more than an ending are alike.
"""

MAX_LENGTH = 100
"""Characters of a written name that are looked at: comparing two names takes up to a millisecond at that length."""

SEVERAL = 3
"""Names that are offered where more than one may be meant."""

MAX_KNOWN = 5_000
"""Known names that are compared with it, the first ones in alphabetical order; few milliseconds where they are unlike it."""


def find_near(written: str, known: Iterable[str], count: int = 1) -> tuple[str, ...]:
    """Up to `count` names of `known` that look like `written`, the nearest first, whatever their case and separators."""
    by_fold: dict[str, list[str]] = {}
    for name in islice(sorted(known), MAX_KNOWN):
        by_fold.setdefault(fold_name(name), []).append(name)
    matches = difflib.get_close_matches(fold_name(written[:MAX_LENGTH]), by_fold, n=count, cutoff=CUTOFF)
    return tuple(name for match in matches for name in by_fold[match])[:count]


def suggest(written: str, known: Iterable[str]) -> str | None:
    """`did you mean 'search'?`, or None when nothing known is near."""
    near = find_near(written, known)
    return ask(*near) if near else None


def ask(*names: str) -> str:
    """The question whether one of `names` was meant."""
    return f"did you mean {' or '.join(map(repr, names))}?"
