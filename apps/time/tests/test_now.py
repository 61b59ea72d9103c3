"""`time-now`: the context's clock in any place."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from apps.sdk.jsontypes import JsonObject
from apps.sdk.testing import load_skill
from apps.time.skills.now import NowSkill

NOW = datetime(2026, 7, 1, 22, 30, 45, tzinfo=UTC)

ASKED = [
    ("What time is it?", "UTC"),
    ("what time is it in New York", "New York"),
    ("what's the time in São Paulo right now?", "São Paulo"),
    ("Do you know what time it is in Tokyo?", "Tokyo"),
    ("what time is it in St. Louis?", "St. Louis"),
    ("what time is it in The Hague", "The Hague"),
    ("what time is it in Portland, OR?", "Portland, OR"),
    ("What time is it in Paris, Texas?", "Paris, Texas"),
    ("What time is it in Tokyo, is it late there?", "Tokyo"),
    ("current time in UTC", "UTC"),
    ("what is today's date?", "UTC"),
    ("What day is it today?", "UTC"),
    ("What is 17.5 % of 2,340 and what time is it in Tokyo now?", "Tokyo"),
    ("What time is it in New York? And what time is it in Tokyo when it is 9:30 in Berlin?", "New York"),
    ("Wie spät ist es in Singapur?", "Singapur"),
    ("¿Qué hora es en Buenos Aires?", "Buenos Aires"),
    ("Quelle heure est-il à Montréal ?", "Montréal"),
]

NOT_ASKED = [
    "", "hi", "thanks, great", "what a great time we had", "meet me at 9:30", "Had a great time in Tokyo",
    "time is money in London",
    "What time is the meeting in Berlin?", "what time is it in the morning usually?",
    "What time is it in Tokyo when it is 9:30 in Berlin?",
    "If it's noon in Paris, what time is it in Los Angeles?", "Wie spät ist es in Tokio, wenn es in Berlin 9:30 ist?",
    "What is 17.5 % of 2,340?", "How many days are there between 3 March 2024 and 24 December 2026?",
    "what is the date of the battle",
]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            {"place": "Tokyo"},
            {
                "place": "Tokyo, Japan",
                "date": "2026-07-02",
                "weekday": "Thursday",
                "time": "07:30",
                "utc_offset": "+09:00",
                "zone": "Asia/Tokyo",
            },
        ),
        (
            {"place": "New York"},
            {
                "place": "New York City, NY, United States",
                "date": "2026-07-01",
                "weekday": "Wednesday",
                "time": "18:30",
                "utc_offset": "-04:00",
                "zone": "America/New_York",
            },
        ),
        (
            {},
            {
                "place": "UTC",
                "date": "2026-07-01",
                "weekday": "Wednesday",
                "time": "22:30",
                "utc_offset": "+00:00",
                "zone": "UTC",
            },
        ),
    ],
)
async def test_the_clock_of_the_context_in_a_place(arguments: JsonObject, expected: JsonObject) -> None:
    """The row alone answers: place, date, weekday, time and offset."""
    run = await load_skill(__file__, "now").run(arguments, now=NOW)
    assert run.data == expected


@pytest.mark.parametrize(("message", "place"), ASKED)
def test_messages_that_ask_for_the_time(message: str, place: str) -> None:
    """The place asked about is found in the whole text; without one it is UTC."""
    assert NowSkill().from_message(message) == {"place": place}


@pytest.mark.parametrize("message", NOT_ASKED)
def test_messages_that_do_not(message: str) -> None:
    """Small talk and questions for a conversion are left alone."""
    assert NowSkill().from_message(message) is None
