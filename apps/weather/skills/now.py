"""Skill `weather-now`: the weather at a place at this moment."""

from __future__ import annotations

from apps.sdk.jsontypes import JsonObject
from apps.sdk.skill import Skill, SkillContext, SkillResult
from apps.weather.skills.codes import name_weather, name_wind
from apps.weather.skills.open_meteo import UNIT_TEXT, OpenMeteo, check_units
from apps.weather.skills.places import find_place
from apps.weather.skills.questions import find_now
from apps.weather.skills.requests import PlaceRequest
from apps.weather.skills.rows import finish, keep_known, write_minute, write_number
from apps.weather.skills.wire import Current, CurrentAnswer, list_variables


class NowSkill(Skill):
    """Two requests: where the place is, and its weather."""

    async def execute(self, request: PlaceRequest, context: SkillContext) -> JsonObject | SkillResult:
        """One flat row, units told once; null is what the service does not know."""
        service = OpenMeteo(context)
        place = await find_place(service, request.place)
        answer = await service.forecast(place.spot, request.units, {"current": list_variables(Current)}, CurrentAnswer)
        check_units(answer.current_units, "temperature_2m", request.units)
        [weather] = keep_known([_write(answer.current)], ())
        heading = {"place": place.name, "local_time": write_minute(answer.current.time), "units": UNIT_TEXT[request.units]}
        return finish({**heading, **weather}, place.remark)

    def from_message(self, text: str) -> JsonObject | None:
        """The place whose weather `text` asks for."""
        return find_now(text)


def _write(current: Current) -> JsonObject:
    return {
        "weather": name_weather(current.weather_code),
        "temperature": write_number(current.temperature_2m),
        "feels_like": write_number(current.apparent_temperature),
        "humidity_percent": write_number(current.relative_humidity_2m),
        "precipitation": write_number(current.precipitation),
        "cloud_percent": write_number(current.cloud_cover),
        "wind": write_number(current.wind_speed_10m),
        "gusts": write_number(current.wind_gusts_10m),
        "wind_from": name_wind(current.wind_direction_10m),
    }
