"""Why a turn of a conversation ends although it could go on by itself."""

from __future__ import annotations

from service.turns.errors import TurnError


class TurnSuperseded(TurnError):
    """The conversation was deleted or taken by another turn; nothing of this one is written any more."""

    def __init__(self) -> None:
        super().__init__("another turn has the conversation, or it is gone")
