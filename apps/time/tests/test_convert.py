"""`time-convert`: summer and winter, changes of the clocks, and the messages that it answers."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from whenever import Instant

from apps.sdk.jsontypes import JsonObject
from apps.sdk.skill import SkillResult, SkillRetry
from apps.sdk.testing import make_context
from apps.time.skills.convert import ConvertRequest, ConvertSkill, convert
from apps.time.skills.places import Place

BERLIN = Place("Berlin", "Europe/Berlin")
NEW_YORK = Place("New York", "America/New_York")
TOKYO = Place("Tokyo", "Asia/Tokyo")
SUMMER = Instant.from_utc(2026, 7, 1, 12)
WINTER = Instant.from_utc(2026, 12, 1, 12)

ASKED: list[tuple[str, JsonObject]] = [
    ("What time is it in Tokyo when it is 9:30 in Berlin?", {"time": "9:30", "from": "Berlin", "to": "Tokyo"}),
    ("what time is it in Tokyo if it's noon in Paris?", {"time": "noon", "from": "Paris", "to": "Tokyo"}),
    ("If it's 9:30 pm in London, what time is it in Los Angeles?", {"time": "9:30 pm", "from": "London", "to": "Los Angeles"}),
    ("Convert 9:30 Berlin time to Tokyo time", {"time": "9:30", "from": "Berlin", "to": "Tokyo"}),
    ("if it is 3pm in NYC what time is it in LA?", {"time": "3pm", "from": "NYC", "to": "LA"}),
    ("at 9:30 in Berlin, what time is it in Tokyo?", {"time": "9:30", "from": "Berlin", "to": "Tokyo"}),
    (
        "What time will it be in Tokyo when it is 9:30 in Berlin tomorrow?",
        {"time": "9:30", "from": "Berlin", "to": "Tokyo", "date": "tomorrow"},
    ),
    ("convert 3pm New York time to London", {"time": "3pm", "from": "New York", "to": "London"}),
    ("what is 9:30 in Berlin in Tokyo", {"time": "9:30", "from": "Berlin", "to": "Tokyo"}),
    (
        "What time is it in Tokyo when it's 9:30 in Berlin on 3 July 2026?",
        {"time": "9:30", "from": "Berlin", "to": "Tokyo", "date": "3 July 2026"},
    ),
    ("When is 9:30 in Berlin in Tokyo on 2026-07-01?", {"time": "9:30", "from": "Berlin", "to": "Tokyo", "date": "2026-07-01"}),
    (
        "What time is it in Tokyo when it is 9:30 in Berlin and what is 17.5 % of 2,340?",
        {"time": "9:30", "from": "Berlin", "to": "Tokyo"},
    ),
    (
        "How many days until 24 December 2026? Also, what time is it in Tokyo when it is 9:30 in Berlin?",
        {"time": "9:30", "from": "Berlin", "to": "Tokyo"},
    ),
    ("Wie spät ist es in Tokio, wenn es in Berlin 9:30 Uhr ist?", {"time": "9:30 Uhr", "from": "Berlin", "to": "Tokio"}),
    ("¿Qué hora es en Tokio cuando son las 9:30 en Berlín?", {"time": "9:30", "from": "Berlín", "to": "Tokio"}),
]

NOT_ASKED = [
    "", "hi", "thanks, great", "meet me at 9:30", "meet me at 9:30 in Berlin", "What time is it in Tokyo?",
    "what's 5 in Berlin to do",
    "Convert 26.2 miles to kilometres", "Convert 10.50 miles to kilometres", "What is 17.5 % of 2,340?",
    "what is 20% of 50 in dollars",
]  # fmt: skip


async def test_the_row_alone_answers() -> None:
    """What time is it in Tokyo when it is 9:30 in Berlin? 16:30 in summer."""
    request = ConvertRequest.model_validate({"time": "9:30", "from": "Berlin", "to": "Tokyo"})
    async with make_context(now=datetime(2026, 7, 1, 12, tzinfo=UTC)) as context:
        assert await ConvertSkill().execute(request, context) == {
            "from_place": "Berlin, Germany",
            "from_date": "2026-07-01",
            "from_time": "09:30",
            "from_utc_offset": "+02:00",
            "to_place": "Tokyo, Japan",
            "to_date": "2026-07-01",
            "to_time": "16:30",
            "to_utc_offset": "+09:00",
        }


@pytest.mark.parametrize(
    ("now", "date", "expected"),
    [(SUMMER, None, "16:30"), (WINTER, None, "17:30"), (WINTER, "2026-07-01", "16:30"), (SUMMER, "24.12.2026", "17:30")],
)
def test_the_date_decides_on_summer_time(now: Instant, date: str | None, expected: str) -> None:
    """The date given, else today there, says which offset holds."""
    assert [row["to_time"] for row in convert("9:30", date, BERLIN, TOKYO, now)] == [expected]


def test_today_is_today_in_the_first_place() -> None:
    """At 22:30 UTC it is already tomorrow in Tokyo."""
    row = convert("0:15", None, TOKYO, BERLIN, Instant.from_utc(2026, 7, 1, 22, 30))[0]
    assert (row["from_date"], row["to_date"], row["to_time"]) == ("2026-07-02", "2026-07-01", "17:15")


@pytest.mark.parametrize(
    ("place", "date", "hint"), [(BERLIN, "2026-03-29", "01:30 before"), (NEW_YORK, "2026-03-08", "01:30 before")]
)
def test_skipped_times_are_refused(place: Place, date: str, hint: str) -> None:
    """02:30 does not exist on the day when the clocks are put forward; the hint says what does."""
    with pytest.raises(SkillRetry, match="does not exist") as caught:
        convert("2:30", date, place, TOKYO, SUMMER)
    assert hint in (caught.value.hint or "")
    assert "03:30 after" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("place", "date", "time", "offsets"),
    [(BERLIN, "2026-10-25", "2:30", ["+02:00", "+01:00"]), (NEW_YORK, "2026-11-01", "1:30", ["-04:00", "-05:00"])],
)
def test_repeated_times_have_two_rows(place: Place, date: str, time: str, offsets: list[str]) -> None:
    """A time that comes twice is given twice, an hour apart elsewhere."""
    rows = convert(time, date, place, TOKYO, SUMMER)
    assert [row["from_utc_offset"] for row in rows] == offsets
    assert int(rows[1]["to_time"][:2]) - int(rows[0]["to_time"][:2]) == 1


async def test_repeated_times_carry_a_note() -> None:
    """The result says why there are two rows."""
    request = {"time": "2:30", "from": "Berlin", "to": "Tokyo", "date": "2026-10-25"}
    async with make_context() as context:
        result = await ConvertSkill().execute(ConvertRequest.model_validate(request), context)
    assert isinstance(result, SkillResult)
    assert "twice" in (result.note or "")


@pytest.mark.parametrize(("time", "date"), [("0:00", "0001-01-01"), ("25:00", None), ("9:30", "03/04/2026"), ("9:30", "soon")])
def test_impossible_moments_are_refused(time: str, date: str | None) -> None:
    """Bad times, unclear dates and moments before the year 1 are a `SkillRetry`."""
    with pytest.raises(SkillRetry):
        convert(time, date, TOKYO, BERLIN, SUMMER)


@given(st.times(), st.dates(), st.sampled_from([BERLIN, NEW_YORK]))
def test_there_and_back_is_the_same_time(time: object, date: object, place: Place) -> None:
    """A time that comes once converts to Tokyo and back unchanged."""
    try:
        rows = convert(str(time)[:5], str(date), place, TOKYO, SUMMER)
    except SkillRetry:
        return
    if len(rows) == 1:
        back = convert(rows[0]["to_time"], rows[0]["to_date"], TOKYO, place, SUMMER)
        assert [(row["to_date"], row["to_time"]) for row in back] == [(str(date), str(time)[:5])]


@pytest.mark.parametrize(("message", "request_found"), ASKED)
def test_messages_that_ask_for_a_conversion(message: str, request_found: JsonObject) -> None:
    """Time, places and date are found in the whole text."""
    assert ConvertSkill().from_message(message) == request_found


@pytest.mark.parametrize("message", NOT_ASKED)
def test_messages_that_do_not(message: str) -> None:
    """Appointments, units and other questions are left alone."""
    assert ConvertSkill().from_message(message) is None
