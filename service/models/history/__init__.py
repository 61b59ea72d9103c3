"""Histories as every provider takes them, whatever a caller or a model wrote."""

from __future__ import annotations

from service.models.history.exchanges import MAX_CALLS_IN_MESSAGE, write_exchange
from service.models.history.repair import UNANSWERED, History, HistoryRefused, check_answerable, repair_history
from service.models.history.window import LeftOut, PromptWindow, limit_prompt

__all__ = [
    "MAX_CALLS_IN_MESSAGE",
    "UNANSWERED",
    "History",
    "HistoryRefused",
    "LeftOut",
    "PromptWindow",
    "check_answerable",
    "limit_prompt",
    "repair_history",
    "write_exchange",
]
