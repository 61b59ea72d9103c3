"""What a turn is asked for: by whom, to answer what, within which limits."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import uuid4

from apps.sdk.chat import Message
from apps.sdk.skill import Source
from preprocessor.intent import Intent

if TYPE_CHECKING:
    from service.settings import Settings


@dataclass(frozen=True, slots=True)
class Caller:
    """On whose behalf: tenant and user scope everything that is stored; `source` is where the message came from."""

    tenant: str
    user: str
    source: Source
    conversation: str | None = None


@dataclass(frozen=True, slots=True)
class TurnLimits:
    """Seconds in all and when they are over (`time.monotonic()`), tokens of both models, rounds of tool calls."""

    timeout: float
    deadline: float
    token_budget: int
    max_rounds: int

    @property
    def time_left(self) -> float:
        """Seconds until the deadline, never below zero."""
        return max(0.0, self.deadline - time.monotonic())


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """One message to answer: the last of `messages`. `is_cut`: they begin later than the conversation does."""

    caller: Caller
    messages: tuple[Message, ...]
    intent: Intent
    limits: TurnLimits
    stream: bool
    id: str
    is_cut: bool = False


def start_turn(caller: Caller, messages: tuple[Message, ...], intent: Intent, limits: TurnLimits, *, stream: bool) -> TurnRequest:
    """A request with an id of its own."""
    return TurnRequest(caller, messages, intent, limits, stream, uuid4().hex)


def start_limits(
    settings: Settings, *, timeout: float | None = None, token_budget: int | None = None, max_rounds: int | None = None
) -> TurnLimits:
    """The settings' limits, or what the caller wants where that is less; the time runs from now."""
    seconds = settings.turn_timeout if timeout is None else min(timeout, settings.turn_timeout_max)
    return TurnLimits(
        timeout=seconds,
        deadline=time.monotonic() + seconds,
        token_budget=min(token_budget or settings.turn_token_budget, settings.turn_token_budget),
        max_rounds=min(max_rounds or settings.max_rounds, settings.max_rounds),
    )
