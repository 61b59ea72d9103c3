"""A weather service on a real socket that speaks as Open-Meteo does, and whose answers a test may spoil."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import TypeAlias

from aiohttp import web
from aiohttp.test_utils import TestServer

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.testing import ContextOptions

Spoil: TypeAlias = Callable[[JsonObject], Json | bytes]
"""Makes another answer of the right one; bytes are sent as they are."""

TODAY = date(2026, 7, 1)
NOW = datetime(2026, 7, 1, 14, 15)  # noqa: DTZ001 - the service writes local times without a zone

PLACES: list[JsonObject] = [
    {"id": 2988507, "name": "Paris", "latitude": 48.85341, "longitude": 2.3488, "elevation": 42.0, "feature_code": "PPLC",
     "country_code": "FR", "admin1_id": 3012874, "timezone": "Europe/Paris", "population": 2138551, "country_id": 3017382,
     "country": "France", "admin1": "Île-de-France", "admin2": "Paris"},
    {"id": 4717560, "name": "Paris", "latitude": 33.66094, "longitude": -95.55551, "country_code": "US", "population": 24782,
     "country": "United States", "admin1": "Texas", "admin2": "Lamar"},
    {"id": 4409896, "name": "Springfield", "latitude": 37.21533, "longitude": -93.29824, "country_code": "US",
     "population": 166810, "country": "United States", "admin1": "Missouri", "admin2": "Greene"},
    {"id": 4951788, "name": "Springfield", "latitude": 42.10148, "longitude": -72.58981, "country_code": "US",
     "population": 154341, "country": "United States", "admin1": "Massachusetts"},
    {"id": 4951789, "name": "Springfield", "latitude": 1.0, "longitude": 1.0, "country_code": "US", "population": 900,
     "country": "United States", "admin1": "Maine"},
    {"id": 5746545, "name": "Portland", "latitude": 45.52345, "longitude": -122.67621, "country_code": "US",
     "population": 652503, "country": "United States", "admin1": "Oregon"},
    {"id": 2643743, "name": "London", "latitude": 51.50853, "longitude": -0.12574, "country_code": "GB",
     "population": 8961989, "country": "United Kingdom", "admin1": "England"},
    {"id": 4119617, "name": "Null Island", "latitude": 0.0, "longitude": 0.0},
]  # fmt: skip

UNITS = {
    "temperature_2m": ("°C", "°F"),
    "apparent_temperature": ("°C", "°F"),
    "temperature_2m_min": ("°C", "°F"),
    "temperature_2m_max": ("°C", "°F"),
    "relative_humidity_2m": ("%", "%"),
    "cloud_cover": ("%", "%"),
    "precipitation_probability": ("%", "%"),
    "precipitation_probability_max": ("%", "%"),
    "precipitation": ("mm", "inch"),
    "precipitation_sum": ("mm", "inch"),
    "weather_code": ("wmo code", "wmo code"),
    "wind_speed_10m": ("km/h", "mp/h"),
    "wind_gusts_10m": ("km/h", "mp/h"),
    "wind_speed_10m_max": ("km/h", "mp/h"),
    "wind_gusts_10m_max": ("km/h", "mp/h"),
    "wind_direction_10m": ("°", "°"),
    "uv_index_max": ("", ""),
    "sunrise": ("iso8601", "iso8601"),
    "sunset": ("iso8601", "iso8601"),
}
VALUES: JsonObject = {
    "temperature_2m": 18.3, "apparent_temperature": 17.2, "temperature_2m_min": 13.1, "temperature_2m_max": 21.4,
    "relative_humidity_2m": 71, "cloud_cover": 88, "precipitation_probability": 70, "precipitation_probability_max": 70,
    "precipitation": 0.4, "precipitation_sum": 2.3, "weather_code": 61, "wind_speed_10m": 14.2, "wind_gusts_10m": 30.1,
    "wind_speed_10m_max": 18.4, "wind_gusts_10m_max": 41.0, "wind_direction_10m": 225, "uv_index_max": 5.2,
}  # fmt: skip


def put(block: str, **values: Json) -> Spoil:
    """The right answer with these values in a block."""
    return lambda answer: {**answer, block: {**answer[block], **values}}


def replace(block: str, values: Json) -> Spoil:
    """The right answer with another block."""
    return lambda answer: {**answer, block: values}


@dataclass(slots=True)
class WeatherServer:
    """`asked` holds the parameters of each request by its path. `spoil` and `status` change what one path answers."""

    base: str = ""
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    spoil: dict[str, Spoil] = field(default_factory=dict)
    status: dict[str, int] = field(default_factory=dict)
    hold: asyncio.Event = field(default_factory=asyncio.Event)
    holding: bool = False

    @property
    def options(self) -> ContextOptions:
        """How a skill's context gets here."""
        return {"secrets": {"Open-Meteo": self.base}, "allowed_hosts": {self.base.removeprefix("http://")}}

    def asked_last(self) -> dict[str, str]:
        """The parameters of the latest request."""
        return self.asked[-1][1]

    async def answer(self, request: web.Request) -> web.Response:
        """What the service says to a request."""
        parameters = dict(request.query)
        self.asked.append((request.path, parameters))
        if self.holding:
            await self.hold.wait()
        try:
            right = _search(parameters) if request.path == "/v1/search" else _forecast(parameters)
            status = self.status.get(request.path, 200)
        except ValueError as error:
            right, status = {"error": True, "reason": str(error)}, 400
        spoil = self.spoil.get(request.path)
        given = spoil(right) if spoil else right
        body = given if isinstance(given, bytes) else json.dumps(given, ensure_ascii=False).encode()
        return web.Response(body=body, status=status, content_type="application/json", charset="utf-8")


@asynccontextmanager
async def run_weather_server() -> AsyncIterator[WeatherServer]:
    """Serve until the block ends."""
    weather = WeatherServer()
    app = web.Application()
    app.router.add_get("/v1/search", weather.answer)
    app.router.add_get("/v1/forecast", weather.answer)
    async with TestServer(app) as server:
        weather.base = str(server.make_url("")).rstrip("/")
        yield weather
        weather.hold.set()


def _search(parameters: dict[str, str]) -> JsonObject:
    name = parameters["name"].casefold()
    found = [place for place in PLACES if len(name) > 1 and place["name"].casefold() == name]
    answer: JsonObject = {"generationtime_ms": 0.53}
    return {"results": found[: int(parameters["count"])], **answer} if found else answer


def _forecast(parameters: dict[str, str]) -> JsonObject:
    latitude, longitude = float(parameters["latitude"]), float(parameters["longitude"])
    if not -90 <= latitude <= 90:
        raise ValueError(f"Latitude must be in range of -90 to 90°. Given: {latitude}.")
    imperial = parameters.get("temperature_unit") == "fahrenheit"
    answer: JsonObject = {
        "latitude": latitude,
        "longitude": longitude,
        "generationtime_ms": 0.11,
        "utc_offset_seconds": 7200,
        "timezone": "Europe/Paris",
        "timezone_abbreviation": "GMT+2",
        "elevation": 42.0,
    }
    for block in ("current", "hourly", "daily"):
        if block in parameters:
            names = parameters[block].split(",")
            if unknown := [name for name in names if name not in UNITS]:
                raise ValueError(f"Data corrupted at path ''. Cannot initialize Variable from invalid String value {unknown[0]}.")
            answer[f"{block}_units"] = {"time": "iso8601", **{name: UNITS[name][imperial] for name in names}}
            answer[block] = _fill(block, names, parameters)
    return answer


def _fill(block: str, names: list[str], parameters: dict[str, str]) -> JsonObject:
    if block == "current":
        return {"time": f"{NOW:%Y-%m-%dT%H:%M}", "interval": 900, **{name: VALUES[name] for name in names}}
    if block == "hourly":
        start = NOW.replace(minute=0)
        times = [f"{start + timedelta(hours=at):%Y-%m-%dT%H:%M}" for at in range(int(parameters["forecast_hours"]))]
        return {"time": times, **{name: [VALUES[name]] * len(times) for name in names}}
    days = [TODAY + timedelta(days=at) for at in range(int(parameters["forecast_days"]))]
    suns = {"sunrise": [f"{day}T05:50" for day in days], "sunset": [f"{day}T21:57" for day in days]}
    return {"time": [str(day) for day in days], **{name: suns.get(name, [VALUES.get(name)] * len(days)) for name in names}}
