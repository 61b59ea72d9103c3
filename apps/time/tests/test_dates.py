"""Dates and times of day: every spelling, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from whenever import Date, PlainDateTime, Time

from apps.sdk.skill import SkillRetry
from apps.time.skills.dates import read_date, read_moment, read_time

TODAY = Date(2026, 7, 1)


def read_today() -> Date:
    return TODAY


@pytest.mark.parametrize(
    "text",
    ["2024-03-03", "2024-3-3", "2024/03/03", "3 March 2024", "3rd of March 2024", "3 Mar. 2024", "March 3, 2024",
     "march 3rd 2024",
     "Sunday, 3 March 2024", "the 3rd March 2024", "3. März 2024", "dem 3. März 2024", "3 de marzo de 2024", "3 mars 2024",
     "03.03.2024",
     "3. 3. 2024", "03/03/2024", "  3   March 2024 "],
)  # fmt: skip
def test_spellings_of_one_date(text: str) -> None:
    """Each of these can only be 3 March 2024."""
    assert read_date(text, read_today) == Date(2024, 3, 3)


@pytest.mark.parametrize(
    ("text", "date"),
    [("24.12.2026", Date(2026, 12, 24)), ("24/12/2026", Date(2026, 12, 24)), ("12/24/2026", Date(2026, 12, 24)), ("today", TODAY),
     ("tomorrow", Date(2026, 7, 2)), ("gestern", Date(2026, 6, 30)), ("29 Feb 2024", Date(2024, 2, 29))],
)  # fmt: skip
def test_dates_with_one_meaning(text: str, date: Date) -> None:
    """Points put the day first; a part over 12 decides between slashes; days are counted from today."""
    assert read_date(text, read_today) == date


@pytest.mark.parametrize("text", ["03/04/2024", "1/2/2024"])
def test_ambiguous_dates_ask_for_iso(text: str) -> None:
    """03/04/2024 is April to some and March to others."""
    with pytest.raises(SkillRetry, match="could be") as caught:
        read_date(text, read_today)
    assert "2024-03-03" in (caught.value.hint or "")


@pytest.mark.parametrize(
    "text",
    ["", "soon", "2023-02-29", "31 April 2024", "0000-01-01", "10000-01-01", "99999999999-01-01", "3 March", "3.3.24",
     "32.1.2024", "13/13/2024",
     "2024-13-01", "2024-00-10", "9" * 10_000, "3 Foo 2024", "\x00", "-2024-03-03", "2024-03-03T09:30"],
)  # fmt: skip
def test_impossible_dates_are_refused(text: str) -> None:
    """Garbage, far years and days that do not exist are a `SkillRetry`."""
    with pytest.raises(SkillRetry):
        read_date(text, read_today)


@pytest.mark.parametrize(
    ("text", "time"),
    [("9:30", Time(9, 30)), ("09:30:15", Time(9, 30, 15)), ("9.30", Time(9, 30)), ("9:30 pm", Time(21, 30)), ("9pm", Time(21)),
     ("12 am", Time(0)), ("12:15 p.m.", Time(12, 15)), ("21:30", Time(21, 30)), ("9 o'clock", Time(9)), ("9:30 Uhr", Time(9, 30)),
     ("14h30", Time(14, 30)), ("noon", Time(12)), ("Midnight", Time(0)), ("0:00", Time(0))],
)  # fmt: skip
def test_spellings_of_times(text: str, time: Time) -> None:
    """Twelve and twenty-four hours, words, and a few languages."""
    assert read_time(text) == time


@pytest.mark.parametrize("text", ["", "24:00", "9:60", "13 pm", "0 am", "half past nine", "9:30:99", "-1:00", "9" * 1000, "٩:٣٠"])
def test_impossible_times_are_refused(text: str) -> None:
    """What no clock shows is a `SkillRetry`."""
    with pytest.raises(SkillRetry):
        read_time(text)


@pytest.mark.parametrize(
    "text", ["2024-03-03 09:30", "2024-03-03T09:30", "3 March 2024, 9:30", "3 March 2024 at 9:30 am", "3. März 2024 um 9:30"]
)
def test_dates_with_a_time(text: str) -> None:
    """A moment is a date and a time of day."""
    assert read_moment(text, read_today) == PlainDateTime(2024, 3, 3, 9, 30)


@given(st.text(max_size=70) | st.text(alphabet="0123456789-/.: TpamMarch", max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    """No text raises anything but `SkillRetry`."""
    for read in (lambda: read_moment(text, read_today), lambda: read_time(text)):
        try:
            assert read() is not None
        except SkillRetry:
            continue


@given(st.dates())
def test_iso_dates_read_back(day: object) -> None:
    """Every date of the calendar is read from its ISO text."""
    assert str(read_date(str(day), read_today)) == str(day)
