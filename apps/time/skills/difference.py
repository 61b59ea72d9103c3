"""Skill `time-difference`: how long it is from one date to another."""

from __future__ import annotations

from datetime import timedelta

from pydantic import BaseModel, ConfigDict, Field
from whenever import Date, Instant, PlainDateTime

from apps.sdk.jsontypes import JsonObject
from apps.sdk.skill import Skill, SkillContext
from apps.time.skills.dates import MAX_DATE_LENGTH, read_moment
from apps.time.skills.moments import write_amounts, write_moment
from apps.time.skills.questions import find_difference


class DifferenceRequest(BaseModel):
    """Two dates, or two dates with times; `today` is understood, by the calendar of UTC."""

    model_config = ConfigDict(extra="forbid", validate_by_name=True, validate_by_alias=True, serialize_by_alias=True)

    start: str = Field(alias="from", min_length=1, max_length=MAX_DATE_LENGTH)
    end: str = Field(alias="to", min_length=1, max_length=MAX_DATE_LENGTH)


class DifferenceSkill(Skill):
    """Counts from the start (included) to the end (not included); negative when the end comes first."""

    async def execute(self, request: DifferenceRequest, context: SkillContext) -> JsonObject:
        """`{from, to, days, weeks, calendar, weekdays}`; with times `{from, to, days, hours, minutes, seconds, total_hours}`."""

        def read_today() -> Date:
            return Instant(context.now()).to_tz("UTC").date()

        start, end = read_moment(request.start, read_today), read_moment(request.end, read_today)
        if isinstance(start, Date) and isinstance(end, Date):
            return compare_dates(start, end)
        return compare_times(_at_midnight(start), _at_midnight(end))

    def from_message(self, text: str) -> JsonObject | None:
        """The first pair of dates that `text` asks about."""
        return find_difference(text)


def compare_dates(start: Date, end: Date) -> JsonObject:
    """The difference in days, in weeks and days, in calendar units, and in days from Monday to Friday."""
    days = (end.to_stdlib() - start.to_stdlib()).days
    first, last, sign = (start, end, "") if days >= 0 else (end, start, "-")
    calendar = first.until(last, in_units=["years", "months", "days"])
    return {
        "from": write_moment(start),
        "to": write_moment(end),
        "days": days,
        "weeks": sign + write_amounts({"weeks": abs(days) // 7, "days": abs(days) % 7}),
        "calendar": sign + write_amounts({unit: calendar[unit] for unit in ("years", "months", "days") if unit in calendar}),
        "weekdays": count_weekdays(first, last) * (1 if days >= 0 else -1),
    }


def compare_times(start: PlainDateTime, end: PlainDateTime) -> JsonObject:
    """The difference between two readings of one clock that nobody changes in between."""
    elapsed = end.to_stdlib() - start.to_stdlib()
    sign = -1 if elapsed < timedelta() else 1
    minutes, seconds = divmod(abs(elapsed).seconds, 60)
    return {
        "from": write_moment(start),
        "to": write_moment(end),
        "days": sign * abs(elapsed).days,
        "hours": sign * (minutes // 60),
        "minutes": sign * (minutes % 60),
        "seconds": sign * seconds,
        "total_hours": round(elapsed / timedelta(hours=1), 6),
    }


def count_weekdays(start: Date, end: Date) -> int:
    """Days from Monday to Friday from `start` (included) to a later `end` (not included); holidays are not known."""
    weeks, rest = divmod((end.to_stdlib() - start.to_stdlib()).days, 7)
    first = start.to_stdlib().weekday()
    return weeks * 5 + sum((first + day) % 7 < 5 for day in range(rest))


def _at_midnight(moment: Date | PlainDateTime) -> PlainDateTime:
    return moment if isinstance(moment, PlainDateTime) else PlainDateTime(moment.year, moment.month, moment.day)
