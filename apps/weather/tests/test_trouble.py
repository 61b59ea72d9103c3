"""A weather service that is down, slow, strange or lying: a plain failure each time, never a guess and never a crash."""

from __future__ import annotations

import json

import pytest

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.skill import SkillFailed, SkillRetry
from apps.sdk.testing import load_skill
from apps.weather.skills import open_meteo
from apps.weather.tests.open_meteo_server import Spoil, WeatherServer, put

NOW = load_skill(__file__, "now")
FORECAST = load_skill(__file__, "forecast")
HOURLY = load_skill(__file__, "hourly")


NONSENSE: dict[str, Spoil] = {
    "nothing": lambda _: b"",
    "text": lambda _: b"<html>Bad gateway</html>",
    "half": lambda answer: json.dumps(answer).encode()[:-20],
    "no UTF-8": lambda _: b'{"daily": "\xff\xfe"}',
    "null": lambda _: None,
    "a list": lambda answer: [answer],
    "deep": lambda _: b"[" * 100_000,
    "no block": lambda _: {},
    "a block that is null": lambda answer: {**answer, "daily": None},
    "a block that is a list": lambda answer: {**answer, "daily": []},
    "no times": put("daily", time=None),
    "times that are numbers": put("daily", time=[0, 1, 2]),
    "times in words": put("daily", time=["today", "tomorrow", "later"]),
    "too few values": put("daily", temperature_2m_max=[1, 2]),
    "too many values": put("daily", temperature_2m_max=[1, 2, 3, 4]),
    "one value": put("daily", temperature_2m_max=21),
    "numbers as text": put("daily", temperature_2m_max=["21", "22", "23"]),
    "booleans": put("daily", temperature_2m_max=[True, False, True]),
    "objects": put("daily", temperature_2m_max=[{}, {}, {}]),
    "NaN": put("daily", temperature_2m_max=[float("nan")] * 3),
    "infinity": put("daily", temperature_2m_max=[float("inf")] * 3),
    "huge": put("daily", temperature_2m_max=[10**400] * 3),
    "large": put("daily", temperature_2m_max=[1e7] * 3),
    "a share above all": put("daily", precipitation_probability_max=[170] * 3),
    "a negative code": put("daily", weather_code=[-1] * 3),
    "too many rows": lambda answer: {**answer, "daily": {"time": ["2026-07-01"] * 401}},
    "too much": lambda answer: {**answer, "padding": "x" * 600_000},
    "other units": lambda answer: {**answer, "daily_units": {"temperature_2m_max": "°F"}},
}  # fmt: skip
PLACES: dict[str, Json] = {
    "results in words": "Paris",
    "null": None,
    "no place": [{}],
    "a place without a name": [{"name": " ", "latitude": 1, "longitude": 1}],
    "a place beyond the pole": [{"name": "Paris", "latitude": 91, "longitude": 1}],
    "a place in words": [{"name": "Paris", "latitude": "48", "longitude": "2"}],
    "a country that is none": [{"name": "Paris", "latitude": 48, "longitude": 2, "country": {}}],
    "too many": [{"name": "Paris", "latitude": 48, "longitude": 2}] * 101,
}


@pytest.mark.parametrize("spoil", NONSENSE.values(), ids=list(NONSENSE))
async def test_an_answer_that_makes_no_sense_is_not_believed(weather: WeatherServer, spoil: Spoil) -> None:
    """The failure says so in words, and tells the model not to guess."""
    weather.spoil["/v1/forecast"] = spoil
    with pytest.raises(SkillFailed, match="weather service") as caught:
        await FORECAST.run({"place": "Paris"}, **weather.options)
    assert "do not guess" in (caught.value.hint or "")


@pytest.mark.parametrize("results", PLACES.values(), ids=list(PLACES))
async def test_nor_are_places_that_make_no_sense(weather: WeatherServer, results: Json) -> None:
    """Nothing is asked for a place that cannot be."""
    weather.spoil["/v1/search"] = lambda _: {"results": results}
    with pytest.raises(SkillFailed, match="cannot be used"):
        await NOW.run({"place": "Paris"}, **weather.options)
    assert [path for path, _ in weather.asked] == ["/v1/search"]


async def test_current_and_hourly_values_are_checked_too(weather: WeatherServer) -> None:
    """As those of days are."""
    weather.spoil["/v1/forecast"] = put("current", temperature_2m="18")
    with pytest.raises(SkillFailed, match="cannot be used"):
        await NOW.run({"place": "Paris"}, **weather.options)
    weather.spoil["/v1/forecast"] = lambda answer: {**answer, "current": {"time": "2026-07-01T14:15"}}
    with pytest.raises(SkillFailed, match="nothing for this place"):
        await NOW.run({"place": "Paris"}, **weather.options)
    weather.spoil["/v1/forecast"] = put("hourly", precipitation=[0])
    with pytest.raises(SkillFailed, match="cannot be used"):
        await HOURLY.run({"place": "Paris"}, **weather.options)


@pytest.mark.parametrize("path", ["/v1/search", "/v1/forecast"])
@pytest.mark.parametrize("status", [400, 401, 404, 410, 429, 500, 503])
async def test_an_error_status_is_named(weather: WeatherServer, path: str, status: int) -> None:
    """Other arguments would not help, also after a 404: the address is the operator's."""
    weather.status[path] = status
    with pytest.raises(SkillFailed, match=f"no answer: .*{status}"):
        await NOW.run({"place": "Paris"}, **weather.options)


async def test_a_refusal_that_comes_as_success_is_passed_on(weather: WeatherServer) -> None:
    """Some proxies lose the status; the service's own reason is shown in one line."""
    reason: JsonObject = {"error": True, "reason": "Daily API request limit exceeded.\nPlease try again tomorrow. " + "x" * 500}
    weather.spoil["/v1/forecast"] = lambda _: reason
    with pytest.raises(SkillFailed, match=r"refused: Daily API request limit exceeded\. Please try") as caught:
        await NOW.run({"place": "Paris"}, **weather.options)
    assert len(caught.value.message) < 250


async def test_a_slow_service_is_given_up(weather: WeatherServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Well before the skill's own time is over."""
    monkeypatch.setattr(open_meteo, "_TIMEOUT", 0.1)
    weather.holding = True
    with pytest.raises(SkillFailed, match="did not answer within"):
        await NOW.run({"place": "Paris"}, **weather.options)


async def test_a_service_that_is_not_there(weather: WeatherServer) -> None:
    """Nothing listens; the address is private and not opened; the address is none."""
    for base, hosts in (("http://127.0.0.1:9", {"127.0.0.1:9"}), (weather.base, set()), ("not an address", set())):
        with pytest.raises(SkillFailed, match="weather service gave no answer") as caught:
            await NOW.run({"place": "Paris"}, secrets={"Open-Meteo": base}, allowed_hosts=hosts)
        assert not isinstance(caught.value, SkillRetry)
    assert weather.asked == []


async def test_a_base_address_may_have_a_path_and_a_slash(weather: WeatherServer) -> None:
    """A proxy serves both below a path of its own."""
    with pytest.raises(SkillFailed, match="404"):
        await NOW.run({"place": "Paris"}, secrets={"open-meteo": f"{weather.base}/own/"}, allowed_hosts={"127.0.0.1"})
    secrets, hosts = {"open-meteo": f" {weather.base}/ "}, {"127.0.0.1"}
    assert (await NOW.run({"place": "Paris"}, secrets=secrets, allowed_hosts=hosts)).data["temperature"] == 18.3
