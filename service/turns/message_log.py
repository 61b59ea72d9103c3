"""Where a turn leaves the messages that it adds to its conversation, round by round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from apps.sdk.chat import Message


class MessageLog(Protocol):
    """Takes whole exchanges, calls with all their results, in order."""

    def add(self, messages: Sequence[Message]) -> None:
        """Note them; nothing that is noted is lost when the turn is cancelled. Does not wait and must not raise."""

    async def flush(self) -> None:
        """Keep what was noted. Raises what ends the turn, and nothing else."""


class NoLog:
    """For turns whose caller keeps the history."""

    def add(self, messages: Sequence[Message]) -> None:
        """Nothing is kept."""

    async def flush(self) -> None:
        """Nothing is kept."""


NO_LOG = NoLog()
