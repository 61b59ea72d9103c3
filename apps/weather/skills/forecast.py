"""Skill `weather-forecast`: a row per day."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta

from pydantic import Field

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.skill import Skill, SkillContext, SkillResult
from apps.weather.skills.codes import name_weather
from apps.weather.skills.open_meteo import UNIT_TEXT, OpenMeteo, check_units
from apps.weather.skills.places import find_place
from apps.weather.skills.questions import find_forecast
from apps.weather.skills.requests import MAX_DAYS, PlaceRequest
from apps.weather.skills.rows import count_missing, finish, keep_known, split_rows, write_number
from apps.weather.skills.wire import Daily, DailyAnswer, list_variables

_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


class ForecastRequest(PlaceRequest):
    """Today is the first day, by the calendar of the place."""

    days: int = Field(default=3, ge=1, le=MAX_DAYS)


class ForecastSkill(Skill):
    """Two requests: where the place is, and its days."""

    async def execute(self, request: ForecastRequest, context: SkillContext) -> JsonObject | SkillResult:
        """`{place, units, days: [...]}`, units told once; null is what the service does not know."""
        service = OpenMeteo(context)
        place = await find_place(service, request.place)
        parameters = {"daily": list_variables(Daily), "forecast_days": str(request.days)}
        answer = await service.forecast(place.spot, request.units, parameters, DailyAnswer)
        check_units(answer.daily_units, "temperature_2m_max", request.units)
        rows = [_write(row) for row in split_rows(answer.daily, request.days)]
        days = keep_known(rows, ("date", "weekday", "sunrise", "sunset"))
        result: JsonObject = {"place": place.name, "units": UNIT_TEXT[request.units], "days": days}
        return finish(result, count_missing(days, request.days, "days"), place.remark)

    def from_message(self, text: str) -> JsonObject | None:
        """The place and the number of days that `text` asks for."""
        return find_forecast(text)


def _write(row: Mapping[str, Json]) -> JsonObject:
    day: date = row["time"]
    return {
        "date": day.isoformat(),
        "weekday": _WEEKDAYS[day.weekday()],
        "weather": name_weather(row["weather_code"]),
        "low": write_number(row["temperature_2m_min"]),
        "high": write_number(row["temperature_2m_max"]),
        "rain_percent": write_number(row["precipitation_probability_max"]),
        "precipitation": write_number(row["precipitation_sum"]),
        "wind": write_number(row["wind_speed_10m_max"]),
        "gusts": write_number(row["wind_gusts_10m_max"]),
        "uv": write_number(row["uv_index_max"]),
        "sunrise": _write_clock(row["sunrise"], day),
        "sunset": _write_clock(row["sunset"], day),
    }


def _write_clock(moment: datetime | None, day: date) -> str | None:
    """None also where the sun does not rise or set, for which the service gives another day."""
    return None if moment is None or abs(moment.date() - day) > timedelta(days=1) else f"{moment:%H:%M}"
