"""What comes of an adaptation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from apps.sdk.jsontypes import JsonObject
from apps.sdk.schemas.dialects.restoring import Plan

Steps: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Lost:
    """One meaning that the sent schema does not enforce. `told` = its description says it; `path` is that in the sent schema."""

    path: Steps
    keyword: str
    meaning: str
    told: bool = True


@dataclass(frozen=True, slots=True)
class Adapted:
    """A schema as one family takes it; its root has no description, since that belongs into the function's own.

    `plan` undoes in the arguments what the rewriting asks of a model; None = nothing to undo.
    """

    schema: JsonObject
    description: str
    lost: tuple[Lost, ...]
    plan: Plan | None


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a schema cannot be sent to a family."""

    reason: str
