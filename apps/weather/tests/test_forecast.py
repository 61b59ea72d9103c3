"""`weather-forecast` and `weather-hourly`: rows; what messages ask for them."""

from __future__ import annotations

import pytest

from apps.sdk.jsontypes import JsonObject
from apps.sdk.skill import SkillFailed
from apps.sdk.testing import RequestMismatch, load_skill
from apps.weather.skills.forecast import ForecastSkill
from apps.weather.skills.hourly import HourlySkill
from apps.weather.tests.open_meteo_server import WeatherServer, put, replace

FORECAST = load_skill(__file__, "forecast")
HOURLY = load_skill(__file__, "hourly")
SUNLESS = load_skill(__file__, "forecast", varying=["days.sunrise", "days.sunset"])

ASKED_DAYS = [
    ("will it rain in Oslo tomorrow?", "Oslo", 2),
    ("Will it rain tomorrow in Oslo?", "Oslo", 2),
    ("weather in New York today", "New York", 1),
    ("tomorrow's weather in Lima", "Lima", 2),
    ("what's the weather in Paris on Friday?", "Paris", 7),
    ("forecast for Rome for the next 5 days", "Rome", 5),
    ("99 day forecast for Vancouver", "Vancouver", 16),
    ("What will the weather be like in San Francisco this weekend?", "San Francisco", 7),
    ("weather forecast for Portland, Oregon", "Portland, Oregon", 3),
    ("do I need an umbrella in Hamburg the day after tomorrow", "Hamburg", 3),
    ("Wetter in Berlin morgen", "Berlin", 2),
    ("Wird es übermorgen in Wien regnen?", "Wien", 3),
    ("Wettervorhersage für Zürich", "Zürich", 3),
    ("¿Qué tiempo hará mañana en Sevilla?", "Sevilla", 2),
    ("météo à Nice demain", "Nice", 2),
]
ASKED_HOURS = [
    ("hourly forecast for Boston", "Boston"),
    ("weather in Munich hour by hour", "Munich"),
    ("Will it rain in Ghent this afternoon?", "Ghent"),
    ("weather in Rome tonight", "Rome"),
    ("Wie wird das Wetter heute Abend in Köln?", "Köln"),
]
NOT_ASKED = [
    "", "hi", "tomorrow in Oslo", "will it rain tomorrow?", "What time is it in Paris?", "weather in Paris",
    "What day is it tomorrow in Oslo?", "sales forecast for tomorrow", "note: weather forecast",
    "How many days are there between 3 March 2024 and 24 December 2026?",
]  # fmt: skip


async def test_days_are_rows(weather: WeatherServer) -> None:
    """One flat row a day, so that they make a table: well below what the same costs as JSON."""
    run = await FORECAST.run({"place": "Paris", "days": 3}, **weather.options)
    assert (run.data["place"], run.data["units"]) == ("Paris, Île-de-France, France", "°C, mm, km/h")
    assert [(row["date"], row["weekday"]) for row in run.data["days"]] == [
        ("2026-07-01", "Wednesday"),
        ("2026-07-02", "Thursday"),
        ("2026-07-03", "Friday"),
    ]
    assert run.data["days"][0] == {
        "date": "2026-07-01",
        "weekday": "Wednesday",
        "weather": "slight rain",
        "low": 13.1,
        "high": 21.4,
        "rain_percent": 70,
        "precipitation": 2.3,
        "wind": 18.4,
        "gusts": 41,
        "uv": 5.2,
        "sunrise": "05:50",
        "sunset": "21:57",
    }
    assert "days[3]{date,weekday,weather," in run.toon
    assert run.tokens < 0.7 * run.json_tokens
    assert weather.asked_last()["forecast_days"] == "3"


async def test_hours_are_rows(weather: WeatherServer) -> None:
    """From the current hour on, in the place's own time."""
    run = await HOURLY.run({"place": "Paris", "hours": 12, "units": "imperial"}, **weather.options)
    assert run.data["units"] == "°F, inch, mph"
    assert [row["time"] for row in run.data["hours"]][::11] == ["2026-07-01T14:00", "2026-07-02T01:00"]
    assert "hours[12]{time,weather," in run.toon
    assert weather.asked_last()["forecast_hours"] == "12"


async def test_rows_that_hold_nothing_are_left_out(weather: WeatherServer) -> None:
    """A forecast that ends before what was asked for says so; more rows than asked for are not shown."""

    def spoil(answer: JsonObject) -> JsonObject:
        empty = {name: [*column[:2], *[None] * (20 - len(column[:2]))] for name, column in answer["daily"].items()}
        days = [f"2026-07-{day:02d}" for day in range(1, 21)]
        suns = {"sunrise": [f"{day}T05:50" for day in days], "sunset": [None] * 20}
        return {**answer, "daily": {**empty, "time": days, **suns}}

    weather.spoil["/v1/forecast"] = spoil
    run = await SUNLESS.run({"place": "Paris", "days": 16}, **weather.options)
    assert [row["date"] for row in run.data["days"]] == ["2026-07-01", "2026-07-02"]
    assert run.note == "Only 2 of 16 days are forecast."
    run = await SUNLESS.run({"place": "Paris", "days": 1}, **weather.options)
    assert (len(run.data["days"]), run.note) == (1, None)


async def test_no_row_at_all_is_a_failure(weather: WeatherServer) -> None:
    """Not an empty forecast, which would read as fine weather."""
    blocks: list[JsonObject] = [{"time": []}, {"time": ["2026-07-01"]}, {"time": ["2026-07-01"], "sunset": ["2026-07-01T21:57"]}]
    for block in blocks:
        weather.spoil["/v1/forecast"] = replace("daily", block)
        with pytest.raises(SkillFailed, match="nothing for this place"):
            await FORECAST.run({"place": "Paris"}, **weather.options)


async def test_a_sun_that_does_not_rise_has_no_time(weather: WeatherServer) -> None:
    """In polar night the service names the beginning of 1970."""
    weather.spoil["/v1/forecast"] = put("daily", sunrise=["1970-01-01T00:00"] * 3, sunset=["2026-07-02T00:10"] * 3)
    (first, *_) = (await SUNLESS.run({"place": "Paris"}, **weather.options)).data["days"]
    assert (first["sunrise"], first["sunset"]) == (None, "00:10")


@pytest.mark.parametrize(
    "request_made", [{"days": 0}, {"days": 17}, {"days": "3"}, {"units": "kelvin"}, {"place": ""}, {"at": 1}]
)
async def test_requests_out_of_range_are_refused(weather: WeatherServer, request_made: JsonObject) -> None:
    """By the schema, before anything is asked."""
    with pytest.raises(RequestMismatch):
        await FORECAST.run({"place": "Paris", **request_made}, **weather.options)
    assert weather.asked == []


@pytest.mark.parametrize(("message", "place", "days"), ASKED_DAYS)
def test_messages_that_ask_for_days(message: str, place: str, days: int) -> None:
    assert ForecastSkill().from_message(message) == {"place": place, "days": days}
    assert HourlySkill().from_message(message) is None


@pytest.mark.parametrize(("message", "place"), ASKED_HOURS)
def test_messages_that_ask_for_hours(message: str, place: str) -> None:
    assert HourlySkill().from_message(message) == {"place": place}
    assert ForecastSkill().from_message(message) is None


@pytest.mark.parametrize("message", NOT_ASKED)
def test_messages_that_do_not(message: str) -> None:
    assert ForecastSkill().from_message(message) is None
    assert HourlySkill().from_message(message) is None
