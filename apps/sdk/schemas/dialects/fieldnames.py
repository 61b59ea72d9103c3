"""Names of fields that a provider takes, one for each of the author's."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

_ILLEGAL = re.compile(r"[^A-Za-z0-9_]+")
_MAX_NAME = 64
_DIGITS = 6


def map_names(names: Iterable[str], legal: re.Pattern[str]) -> dict[str, str]:
    """The name that is sent for each of `names`: itself where `legal` fits it, else one that reads like it.

    A short hash tells it apart where another name reads the same or it was cut. Each depends on the names alone.
    """
    wanted = list(names)
    taken = {name for name in wanted if legal.fullmatch(name)}
    mapped: dict[str, str] = {}
    for name in wanted:
        mapped[name] = name if name in taken and legal.fullmatch(name) else _make_name(name, taken)
        taken.add(mapped[name])
    return mapped


def _make_name(name: str, taken: set[str]) -> str:
    spelled = _ILLEGAL.sub("_", name).strip("_") or "field"
    spelled = spelled if spelled[0].isalpha() else f"f_{spelled}"
    if len(spelled) <= _MAX_NAME and spelled not in taken:
        return spelled
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    return f"{spelled[: _MAX_NAME - _DIGITS - 1]}_{digest}"
