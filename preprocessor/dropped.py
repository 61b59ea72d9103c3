"""Why a skill of the catalog is not available."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

DropCode: TypeAlias = Literal[
    "off",
    "disabled",
    "unavailable",
    "deactivated",
    "profile",
    "wrong_source",
    "denied",
    "switched_off",
    "not_selected",
    "not_allowed",
]


@dataclass(frozen=True, slots=True)
class Dropped:
    """A skill of the catalog that is not available; `reason` says why in words, `code` in a word."""

    name: str
    code: DropCode
    reason: str
