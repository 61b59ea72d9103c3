"""The answer of a turn, also when no model gave one.

TurnProblem                 why a turn's conversation ended early
├── DeadlinePassed          its deadline
├── BudgetSpent             its token budget
└── ModelError              no model of the list answered
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

from apps.sdk.chat import ModelError
from service.instructions import AnswerTexts
from service.turns.errors import BudgetSpent, DeadlinePassed
from service.turns.tool_calls import ExecutedCall
from service.turns.tool_loop import LoopState

TurnProblem: TypeAlias = ModelError | DeadlinePassed | BudgetSpent

NOTICES: Mapping[str, str] = MappingProxyType(
    {
        "answered_without_tools": "The last call of the model was made without tools, so that there is an answer.",
        "answer_cut_off": "The answer ends where the token limit was reached.",
        "answer_filtered": "The provider withheld the answer or a part of it.",
        "history_shortened": "The oldest turns were left out: the messages are longer than what is sent to the model.",
        "deadline": "The deadline passed before the model had answered.",
        "token_budget": "The token budget was used up before the model had answered.",
        "model_timeout": "The model did not answer in time.",
        "model_rate_limited": "The model's provider asks for fewer requests.",
        "model_unavailable": "No model could be reached for the answer.",
        "model_refused": "The model cannot serve this request.",
        "context_window_exceeded": "The messages are longer than the model's window.",
        "model_error": "No model gave a usable reply.",
        "no_answer": "The model gave no answer.",
    }
)
"""What a caller should know about an answer, by code."""


@dataclass(frozen=True, slots=True)
class Notice:
    """A code of `NOTICES` and its words."""

    code: str

    @property
    def message(self) -> str:
        return NOTICES[self.code]


@dataclass(frozen=True, slots=True)
class Answer:
    """The final text, the model that served it (None: none did) and what a caller should know about it."""

    text: str
    model: str | None
    notices: tuple[Notice, ...]


def conclude(state: LoopState, problem: TurnProblem | None, texts: AnswerTexts) -> Answer:
    """The model's answer; or, when it gave none, what there is: its text so far and the results, and why."""
    model = state.rounds[-1].model if state.rounds else None
    notices = tuple(map(Notice, dict.fromkeys(state.notices)))
    if state.answered:
        return Answer(state.text, model, notices)
    code, reason = _explain(problem, texts)
    parts = [state.text, reason]
    if state.executed:
        parts += [texts.results, *map(_quote, state.executed)]
    return Answer("\n\n".join(part for part in parts if part), model, (*notices, Notice(code)))


def _explain(problem: TurnProblem | None, texts: AnswerTexts) -> tuple[str, str]:
    match problem:
        case None:
            return "no_answer", texts.no_answer
        case DeadlinePassed():
            return "deadline", texts.deadline
        case BudgetSpent():
            return "token_budget", texts.token_budget
        case ModelError():
            return problem.code if problem.code in NOTICES else ModelError.code, texts.model_failed


def _quote(executed: ExecutedCall) -> str:
    content = executed.rendered.content
    return f"{executed.call.name}\n{content}" if isinstance(content, str) else executed.call.name
