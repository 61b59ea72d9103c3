"""The answer of a turn, also when no model gave one.

    TurnProblem         why a turn's conversation ended early
    ├── TurnTimeout     its deadline
    ├── BudgetExhausted its token budget (service.tool_loop)
    └── ModelError      no model of the list answered (apps.sdk.chat)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from apps.sdk.chat import ModelError, ModelTimeout
from service.tool_loop import BudgetExhausted, ExecutedCall, LoopState


class TurnTimeout(Exception):
    """The turn's deadline has passed."""


TurnProblem: TypeAlias = ModelError | BudgetExhausted | TurnTimeout
NoticeCode: TypeAlias = Literal[
    "answered_without_tools", "answer_cut_off", "answer_filtered", "calls_left_out", "deadline", "token_budget", "model_unreachable",
    "no_answer",
]  # fmt: skip


class AnswerTexts(Protocol):
    """What is said in place of a model's answer, from the base instructions."""

    @property
    def deadline(self) -> str: ...
    @property
    def token_budget(self) -> str: ...
    @property
    def model_unreachable(self) -> str: ...
    @property
    def no_answer(self) -> str: ...
    @property
    def results(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Answer:
    """The final text, the model that served it (None: none did) and what a caller should know about it."""

    text: str
    model: str | None
    notices: tuple[str, ...]


def conclude(state: LoopState, problem: TurnProblem | None, texts: AnswerTexts) -> Answer:
    """The model's answer; or, when it gave none, what there is: its text so far and the results, and why."""
    model = state.rounds[-1].model if state.rounds else None
    notices = tuple(dict.fromkeys(state.notices))
    if state.answered:
        return Answer(state.text, model, notices)
    code, reason = _explain(problem, texts)
    parts = [state.text, reason]
    if state.executed:
        parts += [texts.results, *map(_quote, state.executed)]
    return Answer("\n\n".join(part for part in parts if part), model, (*notices, code))


def _explain(problem: TurnProblem | None, texts: AnswerTexts) -> tuple[NoticeCode, str]:
    match problem:
        case None:
            return "no_answer", texts.no_answer
        case TurnTimeout() | ModelTimeout():
            return "deadline", texts.deadline
        case BudgetExhausted():
            return "token_budget", texts.token_budget
        case ModelError():
            return "model_unreachable", texts.model_unreachable


def _quote(executed: ExecutedCall) -> str:
    content = executed.rendered.content
    return f"{executed.call.name}\n{content}" if isinstance(content, str) else executed.call.name
