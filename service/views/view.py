"""What answers are made of."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class View(BaseModel):
    """One shape of an answer: an object, never a bare array."""

    model_config = ConfigDict(frozen=True, extra="forbid")
