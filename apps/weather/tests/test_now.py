"""`weather-now`: one flat row; what messages ask for it."""

from __future__ import annotations

import pytest

from apps.sdk.testing import load_skill
from apps.weather.skills.now import NowSkill
from apps.weather.tests.open_meteo_server import WeatherServer, put, replace

NOW = load_skill(__file__, "now")

ASKED = [
    ("weather in Paris", "Paris"),
    ("What's the weather like in New York right now?", "New York"),
    ("what is the temperature in St. Louis", "St. Louis"),
    ("how cold is it in Portland, OR?", "Portland, OR"),
    ("is it raining in London, by any chance?", "London"),
    ("What is 2 + 2 and how is the weather in The Hague?", "The Hague"),
    ("Tell me the weather in São Paulo please", "São Paulo"),
    ("What's the weather in Paris and what day is it tomorrow?", "Paris"),
    ("Wie ist das Wetter in Frankfurt am Main?", None),
    ("Wie ist das Wetter gerade in Berlin?", "Berlin"),
    ("¿Qué tiempo hace en Buenos Aires?", "Buenos Aires"),
    ("Quel temps fait-il à Montréal ?", "Montréal"),
]
NOT_ASKED = [
    "", "hi", "what a lovely weather", "weather", "how's the weather?", "temperature in Celsius", "what is 30 °C in Fahrenheit",
    "What time is it in Paris?", "what time is it in Tokyo when it is 9:30 in Berlin?", "the weather in general is fine",
    "whether in Paris or not", "weather in Paris tomorrow", "will it rain in Oslo?", "the temperature in the oven",
    "hourly forecast for Boston", "it was nice weather in Oslo last year", "how warm is it in here at 3",
]  # fmt: skip


async def test_the_weather_of_a_place(weather: WeatherServer) -> None:
    """The row alone answers: the place that was taken, its time, the units once, words for the code and the wind."""
    run = await NOW.run({"place": "Paris"}, **weather.options)
    assert run.data == {
        "place": "Paris, Île-de-France, France",
        "local_time": "2026-07-01T14:15",
        "units": "°C, mm, km/h",
        "weather": "slight rain",
        "temperature": 18.3,
        "feels_like": 17.2,
        "humidity_percent": 71,
        "precipitation": 0.4,
        "cloud_percent": 88,
        "wind": 14.2,
        "gusts": 30.1,
        "wind_from": "SW",
    }
    assert run.note is None
    assert [path for path, _ in weather.asked] == ["/v1/search", "/v1/forecast"]
    assert (weather.asked_last()["latitude"], weather.asked_last()["timezone"]) == ("48.8534", "auto")


async def test_imperial_units(weather: WeatherServer) -> None:
    """The service converts, and the row says what it is in."""
    run = await NOW.run({"place": "48.85, 2.35", "units": "imperial"}, **weather.options)
    assert run.data["units"] == "°F, inch, mph"
    asked = weather.asked_last()
    assert (asked["temperature_unit"], asked["wind_speed_unit"], asked["precipitation_unit"]) == ("fahrenheit", "mph", "inch")


async def test_what_is_not_known_is_null(weather: WeatherServer) -> None:
    """Some values missing or null, and a code that nobody documented: the rest still answers."""
    current = {"time": "2026-07-01T14:15", "temperature_2m": 18, "weather_code": 42, "wind_direction_10m": None}
    weather.spoil["/v1/forecast"] = replace("current", current)
    gaps = ("feels_like", "humidity_percent", "precipitation", "cloud_percent", "wind", "gusts", "wind_from")
    run = await load_skill(__file__, "now", varying=gaps).run({"place": "Paris"}, **weather.options)
    assert (run.data["temperature"], run.data["weather"]) == (18, "code 42")
    assert run.data["wind_from"] is run.data["gusts"] is None


@pytest.mark.parametrize(("degrees", "name"), [(0, "N"), (22, "N"), (23, "NE"), (180, "S"), (337, "NW"), (338, "N"), (360, "N")])
async def test_the_wind_comes_from(weather: WeatherServer, degrees: int, name: str) -> None:
    """The nearest of eight directions."""
    weather.spoil["/v1/forecast"] = put("current", wind_direction_10m=degrees)
    assert (await NOW.run({"place": "Paris"}, **weather.options)).data["wind_from"] == name


@pytest.mark.parametrize(("message", "place"), ASKED)
def test_messages_that_ask_for_the_weather(message: str, place: str | None) -> None:
    """The place asked about is found in the whole text."""
    assert NowSkill().from_message(message) == (None if place is None else {"place": place})


@pytest.mark.parametrize("message", NOT_ASKED)
def test_messages_that_do_not(message: str) -> None:
    """Small talk, other questions and those for a forecast are left alone."""
    assert NowSkill().from_message(message) is None
