"""What a turn answers when its model has, or has not."""

from __future__ import annotations

import pytest

from apps.sdk.chat import ModelRateLimited, ModelRefused, ModelTimeout, Usage
from service.instructions import AnswerTexts
from service.turns.answers import NOTICES, TurnProblem, conclude
from service.turns.errors import BudgetSpent, DeadlinePassed
from service.turns.tool_loop import LoopState, Round

TEXTS = AnswerTexts(deadline="late", token_budget="dear", model_failed="gone", no_answer="silent", results="found:")
ROUND = Round("openai/main", "stop", (), Usage(), 0)


def test_the_models_answer_is_the_answer() -> None:
    """With the model that gave it; a notice that came twice is told once."""
    state = LoopState(rounds=[ROUND], text="Yes.", answered=True, notices=["answer_cut_off", "answer_cut_off"])
    answer = conclude(state, None, TEXTS)
    assert (answer.text, answer.model) == ("Yes.", "openai/main")
    assert [(notice.code, notice.message) for notice in answer.notices] == [("answer_cut_off", NOTICES["answer_cut_off"])]


PROBLEMS: list[tuple[TurnProblem | None, str, str]] = [
    (None, "no_answer", "silent"),
    (DeadlinePassed(1), "deadline", "late"),
    (ModelTimeout("m", "slow"), "model_timeout", "gone"),
    (BudgetSpent(5), "token_budget", "dear"),
    (ModelRefused("m", "no"), "model_refused", "gone"),
    (ModelRateLimited("m", "later"), "model_rate_limited", "gone"),
]


@pytest.mark.parametrize(("problem", "code", "text"), PROBLEMS)
def test_without_an_answer_it_says_why(problem: TurnProblem | None, code: str, text: str) -> None:
    """After the text that had come; nobody served it when no reply was whole."""
    answer = conclude(LoopState(text="So far"), problem, TEXTS)
    assert answer.text == f"So far\n\n{text}"
    assert answer.model is None
    assert [notice.code for notice in answer.notices] == [code]


def test_every_notice_has_words() -> None:
    assert all(NOTICES.values())
