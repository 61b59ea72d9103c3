"""`time-add`: calendar arithmetic, its documented order, and the messages that it answers."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from pydantic import ValidationError

from apps.sdk.jsontypes import JsonObject
from apps.sdk.skill import SkillRetry
from apps.sdk.testing import load_skill
from apps.time.skills.add import MAX_AMOUNT, AddRequest, AddSkill

ADD = load_skill(__file__, "add")
NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)

ASKED: list[tuple[str, JsonObject]] = [
    ("what date is 90 days after 1 May 2025", {"date": "1 May 2025", "days": 90}),
    ("add 3 months to 31 January 2024", {"date": "31 January 2024", "months": 3}),
    ("subtract 2 weeks from 2024-03-03", {"date": "2024-03-03", "weeks": -2}),
    ("2024-01-31 plus 1 month", {"date": "2024-01-31", "months": 1}),
    ("what day of the week is 24 December 2026?", {"date": "24 December 2026"}),
    ("Which weekday was July 20, 1969", {"date": "July 20, 1969"}),
    ("what date is it in 3 weeks?", {"date": "today", "weeks": 3}),
    ("What day was 100 days ago?", {"date": "today", "days": -100}),
    ("which weekday was a week before 24.12.2026", {"date": "24.12.2026", "weeks": -1}),
    (
        "What day is 2 years, 3 months and 4 days after March 3, 2024?",
        {"date": "March 3, 2024", "years": 2, "months": 3, "days": 4},
    ),
    ("What is 17.5 % of 2,340? Also, what date is 90 days after 1 May 2025?", {"date": "1 May 2025", "days": 90}),
    ("Welches Datum ist 90 Tage nach dem 1. Mai 2025?", {"date": "1. Mai 2025", "days": 90}),
    ("¿Qué fecha es 2 semanas después del 1 de mayo de 2025?", {"date": "1 de mayo de 2025", "weeks": 2}),
]

NOT_ASKED = [
    "", "hi", "thanks, great", "see you in 3 days", "I'll be back 2 weeks from today", "it was 2 years ago",
    "add 3 eggs to the dough",
    "How many days are there between 3 March 2024 and 24 December 2026?", "what date suits you?",
    "the 90 days after 1 May 2025 were hot",
]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "added", "result", "weekday"),
    [
        ({"date": "24 December 2026"}, "0 days", "2026-12-24", "Thursday"),
        ({"date": "1 May 2025", "days": 90}, "90 days", "2025-07-30", "Wednesday"),
        ({"date": "2024-12-15", "months": 3}, "3 months", "2025-03-15", "Saturday"),
        ({"date": "2024-02-29", "years": 4}, "4 years", "2028-02-29", "Tuesday"),
        ({"weeks": -1}, "-1 week", "2026-06-24", "Wednesday"),
        (
            {"date": "24.12.2026", "years": 1, "months": 1, "weeks": 1, "days": 1},
            "1 year, 1 month, 1 week, 1 day",
            "2028-02-01",
            "Tuesday",
        ),
        ({"date": "2000-01-01", "days": 10_000}, "10,000 days", "2027-05-19", "Wednesday"),
    ],
)
async def test_additions(arguments: JsonObject, added: str, result: str, weekday: str) -> None:
    """The row holds the start, what was added, the date reached and its weekday."""
    row = (await ADD.run(arguments, now=NOW)).data
    assert (row["added"], row["result"], row["weekday"]) == (added, result, weekday)


@pytest.mark.parametrize(
    ("date", "months", "days", "result"),
    [
        ("2024-01-31", 3, 0, "2024-04-30"),
        ("2023-01-31", 1, 0, "2023-02-28"),
        ("2024-01-31", 1, 1, "2024-03-01"),
        ("2024-03-31", -1, 0, "2024-02-29"),
    ],
)
async def test_a_day_that_the_month_lacks_becomes_its_last(date: str, months: int, days: int, result: str) -> None:
    """31 January plus 3 months is the end of April, and a note says so."""
    reached = await ADD.run({"date": date, "months": months, "days": days})
    assert reached.data["result"] == result
    assert "has no day 31" in (reached.note or "")


@pytest.mark.parametrize(
    "arguments",
    [{"years": 9000}, {"days": -MAX_AMOUNT}, {"months": MAX_AMOUNT},
     {"date": "9999-12-31", "days": 1},
     {"date": "03/04/2024", "days": 1}, {"date": "\x00", "days": 1}],
)  # fmt: skip
async def test_impossible_additions_are_refused(arguments: JsonObject) -> None:
    """Results outside the years 1 to 9999 and unclear dates are a `SkillRetry`."""
    with pytest.raises(SkillRetry):
        await ADD.run(arguments, now=NOW)


@pytest.mark.parametrize("arguments", [{"days": MAX_AMOUNT + 1}, {"days": 10**40}, {"days": 1.5}, {"date": ""}, {"hours": 1}])
def test_arguments_out_of_bounds_are_invalid(arguments: JsonObject) -> None:
    """The request model has the bounds of the schema."""
    with pytest.raises(ValidationError):
        AddRequest.model_validate(arguments)


@pytest.mark.parametrize(("message", "request_found"), ASKED)
def test_messages_that_ask_for_a_date(message: str, request_found: JsonObject) -> None:
    """The date and the amounts are found in the whole text."""
    assert AddSkill().from_message(message) == request_found


@pytest.mark.parametrize("message", NOT_ASKED)
def test_messages_that_do_not(message: str) -> None:
    """Plans, memories and recipes are left alone."""
    assert AddSkill().from_message(message) is None
