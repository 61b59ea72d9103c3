"""Turns without any model: the offline stand-ins answer, and say what they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.running import make_settings, run_shortlist

QUESTIONS = {
    "What is 17.5 % of 2,340?": ["409.5"],
    "How many days are there between 3 March 2024 and 24 December 2026?": ["1026"],
    "Convert 26.2 miles to kilometres": ["42.1648128"],
    "What time is it in Tokyo when it is 9:30 in Berlin?": ["17:30", "16:30"],
}


@pytest.mark.parametrize(("question", "answers"), QUESTIONS.items())
async def test_each_question_of_the_issue_is_answered_rightly(tmp_path: Path, question: str, answers: list[str]) -> None:
    """Keyless, over HTTP, by a stand-in that names itself."""
    async with run_shortlist(make_settings(tmp_path)) as running:
        status, body = await running.post("/v1/turns", {"messages": [{"role": "user", "content": question}]})
    assert status == 200
    assert any(answer in body["answer"]["content"] for answer in answers)
    assert "offline stand-in" in body["answer"]["content"]
    assert body["model"] == "offline stand-in (no language model)"
    assert "offline stand-in" in body["trace"]["preselection"]["decided_by"]


async def test_a_message_that_holds_two_questions_gets_both_answers(tmp_path: Path) -> None:
    question = "What is 17.5 % of 2,340, and how many days are there between 3 March 2024 and 24 December 2026?"
    async with run_shortlist(make_settings(tmp_path)) as running:
        _, body = await running.post("/v1/turns", {"messages": [{"role": "user", "content": question}]})
    assert "409.5" in body["answer"]["content"]
    assert "1026" in body["answer"]["content"]


async def test_small_talk_selects_nothing_and_sends_no_tools(tmp_path: Path) -> None:
    """case 17: no tools, no app instructions."""
    async with run_shortlist(make_settings(tmp_path)) as running:
        _, body = await running.post("/v1/turns", {"messages": [{"role": "user", "content": "thanks, great"}]})
    assert body["trace"]["preselection"]["skills"] == []
    assert body["trace"]["exposure"]["tools"] == []
    assert body["trace"]["exposure"]["instructions"] == []
    assert body["answer"]["content"]
