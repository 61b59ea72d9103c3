"""Skill `time-convert`: what the clock shows in one place when it shows a given time in another."""

from __future__ import annotations

import asyncio

from pydantic import BaseModel, ConfigDict, Field
from whenever import Date, Instant, PlainDateTime, RepeatedTime, SkippedTime, ZonedDateTime

from apps.sdk.jsontypes import JsonObject
from apps.sdk.skill import Rows, Skill, SkillContext, SkillResult, SkillRetry
from apps.time.skills.dates import MAX_DATE_LENGTH, read_date, read_time
from apps.time.skills.moments import write_clock, write_offset
from apps.time.skills.places import MAX_PLACE_LENGTH, Place, open_atlas
from apps.time.skills.questions import find_conversion


class ConvertRequest(BaseModel):
    """`date` is the day in the place that the time is given for; without it, today there."""

    model_config = ConfigDict(extra="forbid", validate_by_name=True, validate_by_alias=True, serialize_by_alias=True)

    time: str = Field(min_length=1, max_length=MAX_DATE_LENGTH)
    source: str = Field(alias="from", min_length=1, max_length=MAX_PLACE_LENGTH)
    target: str = Field(alias="to", min_length=1, max_length=MAX_PLACE_LENGTH)
    date: str | None = Field(default=None, min_length=1, max_length=MAX_DATE_LENGTH)


class ConvertSkill(Skill):
    """Changes of the clocks are reported: a time that they skip is refused, one that they repeat has two results."""

    async def execute(self, request: ConvertRequest, context: SkillContext) -> JsonObject | SkillResult:
        """`{from_place, from_date, from_time, from_utc_offset, to_place, to_date, to_time, to_utc_offset}`."""
        source, target = await asyncio.to_thread(_find_both, request.source, request.target)
        rows = convert(request.time, request.date, source, target, Instant(context.now()))
        if len(rows) == 1:
            return rows[0]
        return SkillResult(
            rows, note=f"The clocks in {source.name} are put back that day, so this time comes twice; both are given."
        )

    def from_message(self, text: str) -> JsonObject | None:
        """The first conversion between two places that `text` asks for."""
        return find_conversion(text)


def convert(time: str, date: str | None, source: Place, target: Place, now: Instant) -> Rows:
    """One row, or two when the clocks show `time` twice that day; raises `SkillRetry`."""

    def read_today() -> Date:
        return now.to_tz(source.zone).date()

    day = read_today() if date is None else read_date(date, read_today)
    try:
        return [_make_row(moment, source, target) for moment in _resolve(day.at(read_time(time)), source)]
    except (OverflowError, ValueError):
        raise SkillRetry("That moment lies outside the years 1 to 9999.") from None


def _find_both(source: str, target: str) -> tuple[Place, Place]:
    atlas = open_atlas()
    return atlas.find(source), atlas.find(target)


def _resolve(wall: PlainDateTime, place: Place) -> list[ZonedDateTime]:
    try:
        return [wall.assume_tz(place.zone, disambiguation="raise")]
    except RepeatedTime:
        return [wall.assume_tz(place.zone, disambiguation="earlier"), wall.assume_tz(place.zone, disambiguation="later")]
    except SkippedTime:
        before, after = (wall.assume_tz(place.zone, disambiguation=side).time() for side in ("earlier", "later"))
        raise SkillRetry(
            f"{write_clock(wall.time())} on {wall.date()} does not exist in {place.name}: the clocks are put forward over it.",
            hint=f"Times that exist: {write_clock(before)} before the change, {write_clock(after)} after it.",
        ) from None


def _make_row(moment: ZonedDateTime, source: Place, target: Place) -> JsonObject:
    there = moment.to_tz(target.zone)
    return {
        "from_place": source.name,
        "from_date": str(moment.date()),
        "from_time": write_clock(moment.time()),
        "from_utc_offset": write_offset(moment),
        "to_place": target.name,
        "to_date": str(there.date()),
        "to_time": write_clock(there.time()),
        "to_utc_offset": write_offset(there),
    }
