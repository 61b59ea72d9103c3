"""Names of fields that a provider takes, one for each of the author's."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from itertools import count

_ILLEGAL = re.compile(r"[^A-Za-z0-9_]+")
_MAX_NAME = 64
_DIGITS = 6


def map_names(names: Iterable[str], legal: re.Pattern[str]) -> dict[str, str]:
    """The name that is sent for each of `names`, no two alike: itself where `legal` fits it, else one that reads like it.

    A short hash tells it apart where another name reads the same or it was cut. Each depends on the names alone.
    """
    wanted = list(dict.fromkeys(names))
    taken = {name for name in wanted if legal.fullmatch(name)}
    mapped: dict[str, str] = {}
    for name in wanted:
        if legal.fullmatch(name):
            mapped[name] = name
            continue
        free = (candidate for attempt in count() if (candidate := _spell(name, attempt)) not in taken)
        mapped[name] = next(free)
        taken.add(mapped[name])
    return mapped


def _spell(name: str, attempt: int) -> str:
    """The name as it is sent: plain at first where it is short enough, then with a hash that each attempt changes."""
    spelled = _ILLEGAL.sub("_", name).strip("_") or "field"
    spelled = spelled if spelled[0].isalpha() else f"f_{spelled}"
    if attempt == 0 and len(spelled) <= _MAX_NAME:
        return spelled
    hashed = name if attempt <= 1 else f"{attempt} {name}"
    digest = hashlib.sha256(hashed.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    return f"{spelled[: _MAX_NAME - _DIGITS - 1]}_{digest}"
