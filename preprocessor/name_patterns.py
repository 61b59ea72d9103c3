"""Which tool names a pattern means: a name itself, or a case-sensitive glob of `fnmatch`."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from fnmatch import translate
from functools import cached_property

from preprocessor.intent import is_glob

_WILDCARD = re.compile(r"[*?\[]")
_AFTER_ALL = "\U0010ffff"
"""Sorts behind every character of a tool name."""


class NameIndex:
    """The names of a catalog, in its order. A glob that begins with letters looks only at the names that begin so."""

    def __init__(self, names: Iterable[str]) -> None:
        self.places = {name: place for place, name in enumerate(names)}

    @cached_property
    def _sorted(self) -> list[str]:
        return sorted(self.places)

    def match(self, pattern: str) -> tuple[str, ...]:
        """The names that `pattern` means, in the catalog's order."""
        if not is_glob(pattern):
            return (pattern,) if pattern in self.places else ()
        prefix = _WILDCARD.split(pattern, maxsplit=1)[0]
        names = self._begin_with(prefix)
        if pattern != f"{prefix}*":
            fits = re.compile(translate(pattern)).match
            names = [name for name in names if fits(name)]
        return tuple(sorted(names, key=self.places.__getitem__)) if prefix else tuple(names)

    def match_all(self, patterns: Iterable[str]) -> dict[str, None]:
        """What any of `patterns` means: in their order, each name once."""
        return dict.fromkeys(name for pattern in patterns for name in self.match(pattern))

    def _begin_with(self, prefix: str) -> list[str]:
        if not prefix:
            return list(self.places)
        names = self._sorted
        return names[bisect_left(names, prefix) : bisect_left(names, prefix + _AFTER_ALL)]
