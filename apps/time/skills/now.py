"""Skill `time-now`: the current time of a place."""

from __future__ import annotations

import asyncio

from pydantic import BaseModel, ConfigDict, Field
from whenever import Instant

from apps.sdk.jsontypes import JsonObject
from apps.sdk.skill import Skill, SkillContext
from apps.time.skills.moments import write_offset, write_weekday
from apps.time.skills.places import MAX_PLACE_LENGTH, open_atlas
from apps.time.skills.questions import find_now


class NowRequest(BaseModel):
    """A city, a country with one zone, an IANA name or an abbreviation."""

    model_config = ConfigDict(extra="forbid")

    place: str = Field(default="UTC", min_length=1, max_length=MAX_PLACE_LENGTH)


class NowSkill(Skill):
    """Reads the clock of the context, never the machine's."""

    async def execute(self, request: NowRequest, context: SkillContext) -> JsonObject:
        """`{place, date, weekday, time, utc_offset, zone}`, seconds left out."""
        place = await asyncio.to_thread(open_atlas().find, request.place)
        moment = Instant(context.now()).to_tz(place.zone)
        return {
            "place": place.name,
            "date": str(moment.date()),
            "weekday": write_weekday(moment.date()),
            "time": f"{moment.hour:02d}:{moment.minute:02d}",
            "utc_offset": write_offset(moment),
            "zone": place.zone,
        }

    def from_message(self, text: str) -> JsonObject | None:
        """The place whose current time or date `text` asks for; UTC when it names none."""
        return find_now(text)
