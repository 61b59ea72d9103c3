"""A main model as a turn is given it."""

from __future__ import annotations

from dataclasses import dataclass

from apps.sdk.chat import ChatModel


@dataclass(frozen=True, slots=True)
class MainModel:
    """The model, fallbacks included, and the most tokens of a prompt that all of them take; None = not known."""

    model: ChatModel
    prompt_limit: int | None = None
