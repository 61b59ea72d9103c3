"""Skill `weather-hourly`: a row per hour."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.skill import Skill, SkillContext, SkillResult
from apps.weather.skills.codes import name_weather
from apps.weather.skills.open_meteo import UNIT_TEXT, OpenMeteo, check_units
from apps.weather.skills.places import find_place
from apps.weather.skills.questions import find_hours
from apps.weather.skills.requests import PlaceRequest
from apps.weather.skills.rows import count_missing, finish, keep_known, split_rows, write_minute, write_number
from apps.weather.skills.wire import Hourly, HourlyAnswer, list_variables

MAX_HOURS = 72


class HourlyRequest(PlaceRequest):
    """The current hour is the first."""

    hours: int = Field(default=12, ge=1, le=MAX_HOURS)


class HourlySkill(Skill):
    """Two requests: where the place is, and its hours."""

    async def execute(self, request: HourlyRequest, context: SkillContext) -> JsonObject | SkillResult:
        """`{place, units, hours: [...]}`, units told once; null is what the service does not know."""
        service = OpenMeteo(context)
        place = await find_place(service, request.place)
        parameters = {"hourly": list_variables(Hourly), "forecast_hours": str(request.hours)}
        answer = await service.forecast(place.spot, request.units, parameters, HourlyAnswer)
        check_units(answer.hourly_units, "temperature_2m", request.units)
        hours = keep_known([_write(row) for row in split_rows(answer.hourly, request.hours)], ("time",))
        result: JsonObject = {"place": place.name, "units": UNIT_TEXT[request.units], "hours": hours}
        return finish(result, count_missing(hours, request.hours, "hours"), place.remark)

    def from_message(self, text: str) -> JsonObject | None:
        """The place whose hours `text` asks for."""
        return find_hours(text)


def _write(row: Mapping[str, Json]) -> JsonObject:
    return {
        "time": write_minute(row["time"]),
        "weather": name_weather(row["weather_code"]),
        "temperature": write_number(row["temperature_2m"]),
        "feels_like": write_number(row["apparent_temperature"]),
        "rain_percent": write_number(row["precipitation_probability"]),
        "precipitation": write_number(row["precipitation"]),
        "wind": write_number(row["wind_speed_10m"]),
        "gusts": write_number(row["wind_gusts_10m"]),
    }
