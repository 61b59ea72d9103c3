"""The port of the ranking."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Hit:
    """A skill by tool name; `score` in [0, 1] means the same for every query, so that a floor can be set."""

    name: str
    score: float


class Retriever(Protocol):
    """Ranks the skills of one catalog. Safe to call from several threads."""

    def rank(self, query: str, names: Collection[str], limit: int) -> tuple[Hit, ...]:
        """At most `limit` hits among `names`, best first, ties in catalog order; nothing in common, no hit."""
        ...

    def count_words(self, text: str) -> int:
        """How many words of `text` say something about a wish: small talk and function words do not."""
        ...
