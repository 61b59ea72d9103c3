"""Skill `time-add`: a date so many years, months, weeks and days after or before another."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field
from whenever import Date, Instant

from apps.sdk.jsontypes import JsonObject
from apps.sdk.skill import Skill, SkillContext, SkillResult, SkillRetry
from apps.time.skills.dates import MAX_DATE_LENGTH, read_date
from apps.time.skills.moments import write_amounts, write_weekday
from apps.time.skills.questions import find_addition

MAX_AMOUNT = 4_000_000
"""Largest amount of one unit, either way: more days than lie between the years 1 and 9999."""


class AddRequest(BaseModel):
    """Amounts may be negative, or all zero to learn a weekday. `date` is today, by the calendar of UTC, when left out."""

    model_config = ConfigDict(extra="forbid")

    date: str = Field(default="today", min_length=1, max_length=MAX_DATE_LENGTH)
    years: int = Field(default=0, ge=-MAX_AMOUNT, le=MAX_AMOUNT)
    months: int = Field(default=0, ge=-MAX_AMOUNT, le=MAX_AMOUNT)
    weeks: int = Field(default=0, ge=-MAX_AMOUNT, le=MAX_AMOUNT)
    days: int = Field(default=0, ge=-MAX_AMOUNT, le=MAX_AMOUNT)


class AddSkill(Skill):
    """Years and months first, then weeks and days; a day that the month reached lacks becomes its last day."""

    async def execute(self, request: AddRequest, context: SkillContext) -> JsonObject | SkillResult:
        """`{date, added, result, weekday}`, with a note when the end of a month was taken."""
        start = read_date(request.date, lambda: Instant(context.now()).to_tz("UTC").date())
        amounts = {"years": request.years, "months": request.months, "weeks": request.weeks, "days": request.days}
        try:
            month_reached = start.add(years=request.years, months=request.months)
            result = month_reached.add(weeks=request.weeks, days=request.days)
        except (OverflowError, ValueError):
            raise SkillRetry("The result lies outside the years 1 to 9999.") from None
        row: JsonObject = {
            "date": str(start),
            "added": write_amounts(amounts),
            "result": str(result),
            "weekday": write_weekday(result),
        }
        return row if month_reached.day == start.day else SkillResult(row, note=_explain(start, month_reached))

    def from_message(self, text: str) -> JsonObject | None:
        """The first date so far from another, or weekday of a date, that `text` asks for."""
        return find_addition(text)


def _explain(start: Date, month_reached: Date) -> str:
    return f"{month_reached.year_month()} has no day {start.day}, so its last day was taken."
