"""A weather service for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from apps.weather.tests.open_meteo_server import WeatherServer, run_weather_server


@pytest.fixture
async def weather() -> AsyncIterator[WeatherServer]:
    async with run_weather_server() as server:
        yield server
