"""How moments, dates and spans are written in results."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from whenever import Date, PlainDateTime, Time, ZonedDateTime


def write_clock(time: Time) -> str:
    """09:30, or 09:30:15 when there are seconds."""
    return f"{time.hour:02d}:{time.minute:02d}" + (f":{time.second:02d}" if time.second else "")


def write_weekday(date: Date) -> str:
    """Monday to Sunday."""
    return date.day_of_week().name.capitalize()


def write_offset(moment: ZonedDateTime) -> str:
    """The offset from UTC, +09:00; local mean times of the 19th century keep their seconds, +00:53:28."""
    offset = moment.to_stdlib().utcoffset() or timedelta()
    minutes, seconds = divmod(abs(round(offset.total_seconds())), 60)
    sign = "-" if offset < timedelta() else "+"
    return f"{sign}{minutes // 60:02d}:{minutes % 60:02d}" + (f":{seconds:02d}" if seconds else "")


def write_moment(moment: Date | PlainDateTime) -> str:
    """2024-03-03, or 2024-03-03 09:30."""
    return str(moment) if isinstance(moment, Date) else f"{moment.date()} {write_clock(moment.time())}"


def write_amounts(amounts: Mapping[str, int]) -> str:
    """2 years, 1 month, 3 days; units of zero are left out, and nothing at all is 0 days."""
    parts = (f"{amount:,} {unit.removesuffix('s') if abs(amount) == 1 else unit}" for unit, amount in amounts.items() if amount)
    return ", ".join(parts) or "0 days"
