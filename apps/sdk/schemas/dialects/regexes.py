"""Which regular expressions are the same to every engine: to Python's, which validates, and to those of the providers."""

from __future__ import annotations

import functools
import re

_SHARED = re.compile(
    r"(?:[^\\(]|\\[dDwWsSbBtnrfv]|\\[^A-Za-z0-9]|\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\((?!\?)|\(\?:|(?P<ahead>\(\?[=!]))*"
)
"""What ECMA 262 and Python spell alike: no flags inside, no names, no look-behind, no references back."""
_POSSESSIVE = re.compile(r"[*+?}]\+")


@functools.lru_cache(maxsize=4096)
def is_portable(pattern: str, *, lookarounds: bool) -> bool:
    """Whether a provider can be sent the pattern; `lookarounds` = its engine looks ahead."""
    found = _SHARED.fullmatch(pattern)
    if found is None or _POSSESSIVE.search(pattern) or (found["ahead"] is not None and not lookarounds):
        return False
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return False
    return True
