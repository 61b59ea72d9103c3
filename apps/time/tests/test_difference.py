"""`time-difference`: days, calendar units, weekdays, and the messages that it answers."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from whenever import Date

from apps.sdk.jsontypes import JsonObject
from apps.sdk.skill import SkillRetry
from apps.sdk.testing import load_skill, make_context
from apps.time.skills.add import AddRequest, AddSkill
from apps.time.skills.difference import DifferenceSkill, compare_dates, count_weekdays

DIFFERENCE = load_skill(
    __file__, "difference", varying=["weeks", "calendar", "weekdays", "hours", "minutes", "seconds", "total_hours"]
)
NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)

ASKED = [
    ("How many days are there between 3 March 2024 and 24 December 2026?", "3 March 2024", "24 December 2026"),
    ("days from 2024-03-03 to 2026-12-24", "2024-03-03", "2026-12-24"),
    ("How long is it from March 3, 2024 until 24.12.2026?", "March 3, 2024", "24.12.2026"),
    ("number of working days between 2026-01-01 and 2026-02-01", "2026-01-01", "2026-02-01"),
    ("How many days until 24 December 2026?", "today", "24 December 2026"),
    ("days until 2026-12-24", "today", "2026-12-24"),
    ("how many weeks since 2020-01-01", "2020-01-01", "today"),
    ("How long ago was July 20, 1969?", "July 20, 1969", "today"),
    ("days between 03/04/2024 and 05/06/2024", "03/04/2024", "05/06/2024"),
    (
        "What is 17.5 % of 2,340, and how many days are there between 3 March 2024 and 24 December 2026?",
        "3 March 2024",
        "24 December 2026",
    ),
    ("Wie viele Tage liegen zwischen dem 3. März 2024 und dem 24. Dezember 2026?", "3. März 2024", "24. Dezember 2026"),
    (
        "¿Cuántos días hay entre el 3 de marzo de 2024 y el 24 de diciembre de 2026?",
        "3 de marzo de 2024",
        "24 de diciembre de 2026",
    ),
]

NOT_ASKED = [
    "", "hi", "thanks, great", "what a great time we had", "between you and me", "from time to time",
    "I was there for 3 days between 2024-03-03 and 2024-03-06.",
     "see you in 3 days",
    "how many days",
    "how long until we meet?", "the days between us", "What date is 90 days after 1 May 2025?", "how many hours are in 3 days",
]  # fmt: skip


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (
            "3 March 2024",
            "24 December 2026",
            {"from": "2024-03-03", "to": "2026-12-24", "days": 1026, "weeks": "146 weeks, 4 days",
             "calendar": "2 years, 9 months, 21 days", "weekdays": 733},
        ),
        (
            "2026-07-08",
            "today",
            {"from": "2026-07-08", "to": "2026-07-01", "days": -7, "weeks": "-1 week", "calendar": "-7 days", "weekdays": -5},
        ),
        ("today", "2026-07-01", {"from": "2026-07-01", "to": "2026-07-01", "days": 0, "weeks": "0 days",
        "calendar": "0 days", "weekdays": 0}),
        (
            "2024-03-03 09:30",
            "2024-03-05T11:00",
            {"from": "2024-03-03 09:30", "to": "2024-03-05 11:00",
             "days": 2, "hours": 1, "minutes": 30, "seconds": 0, "total_hours": 49.5},
        ),
        (
            "2024-03-03",
            "2024-03-02 23:59:30",
            {"from": "2024-03-03 00:00", "to": "2024-03-02 23:59:30", "days": 0, "hours": 0, "minutes": 0, "seconds": -30,
             "total_hours": -0.008333},
        ),
    ],
)  # fmt: skip
async def test_differences(start: str, end: str, expected: JsonObject) -> None:
    """3 March 2024 to 24 December 2026 is 1026 days; times of day make hours; going back is negative."""
    run = await DIFFERENCE.run({"from": start, "to": end}, now=NOW)
    assert run.data == expected


@pytest.mark.parametrize(
    ("start", "end"), [("03/04/2024", "today"), ("today", "soon"), ("0000-01-01", "today"), ("today", "99999-01-01")]
)
async def test_unclear_dates_are_refused(start: str, end: str) -> None:
    """Ambiguous dates and years outside 1 to 9999 are a `SkillRetry`."""
    with pytest.raises(SkillRetry):
        await DIFFERENCE.run({"from": start, "to": end}, now=NOW)


@given(st.dates(date(1900, 1, 1), date(2100, 1, 1)), st.integers(0, 400))
def test_weekdays_agree_with_counting(start: date, days: int) -> None:
    """The formula gives what counting day by day gives."""
    counted = sum((start + timedelta(day)).weekday() < 5 for day in range(days))
    assert count_weekdays(Date(start), Date(start + timedelta(days))) == counted


@given(st.dates(), st.dates())
def test_the_way_back_is_as_long(first: date, second: date) -> None:
    """Swapping the dates changes the sign only."""
    there, back = compare_dates(Date(first), Date(second)), compare_dates(Date(second), Date(first))
    assert (there["days"], there["weekdays"]) == (-back["days"], -back["weekdays"])
    assert there["calendar"].lstrip("-") == back["calendar"].lstrip("-")


@given(st.dates(date(1000, 1, 1), date(5000, 1, 1)), st.integers(-300_000, 300_000))
async def test_adding_the_difference_reaches_the_end(start: date, days: int) -> None:
    """What `time-add` adds, `time-difference` counts."""
    async with make_context() as context:
        added = await AddSkill().execute(AddRequest(date=str(start), days=days or 1), context)
    assert isinstance(added, dict)
    assert compare_dates(Date(start), Date(added["result"]))["days"] == (days or 1)


@pytest.mark.parametrize(("message", "start", "end"), ASKED)
def test_messages_that_ask_for_a_difference(message: str, start: str, end: str) -> None:
    """Both dates are found in the whole text; the one that is missing is today."""
    assert DifferenceSkill().from_message(message) == {"from": start, "to": end}


@pytest.mark.parametrize("message", NOT_ASKED)
def test_messages_that_do_not(message: str) -> None:
    """Small talk and questions without dates are left alone."""
    assert DifferenceSkill().from_message(message) is None
