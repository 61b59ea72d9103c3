"""The weather over HTTP, from a local service that speaks as Open-Meteo does, without any model."""

from __future__ import annotations

from pathlib import Path

from apps.sdk.jsontypes import JsonObject
from apps.weather.tests.open_meteo_server import WeatherServer, run_weather_server
from service.settings import Settings
from tests.e2e.lab import user
from tests.support.running import make_settings, run_shortlist


def reach(weather: WeatherServer, tmp_path: Path, *, opened: bool = True) -> Settings:
    """Settings of an operator with an instance of their own."""
    hosts = (weather.base.removeprefix("http://"),) if opened else ()
    return make_settings(tmp_path, secrets={"Open-Meteo": weather.base}, egress_allowed_hosts=hosts)


async def test_a_plain_question_is_answered(tmp_path: Path) -> None:
    """From the message through the ranking, the skill and both requests to the text."""
    async with run_weather_server() as weather, run_shortlist(reach(weather, tmp_path)) as running:
        _, body = await running.post("/v1/turns", {"messages": [user("Will it rain in Paris tomorrow?")]})
    answer = body["answer"]["content"]
    assert "Paris, Île-de-France, France" in answer
    assert "2026-07-02,Thursday,slight rain,13.1,21.4,70" in answer


async def test_five_places_at_once(tmp_path: Path) -> None:
    """Each has its own result; an unknown one costs the others nothing."""
    places = ["Paris", "Paris, Texas", "Atlantis", "London", "0, 0"]
    requests: list[JsonObject] = [{"place": place} for place in places]
    async with run_weather_server() as weather, run_shortlist(reach(weather, tmp_path)) as running:
        _, body = await running.post("/v1/execute", {"name": "weather-now", "arguments": {"requests": requests}})
    results = body["result"]["results"]
    assert [result["status"] for result in results] == ["ok", "ok", "error", "ok", "ok"]
    assert results[1]["data"]["place"] == "Paris, Texas, United States"
    assert results[2]["error"]["retryable"] is True


async def test_a_private_instance_must_be_opened(tmp_path: Path) -> None:
    """A credential alone reaches no private address, and no part of it is shown."""
    async with run_weather_server() as weather, run_shortlist(reach(weather, tmp_path, opened=False)) as running:
        arguments = {"requests": [{"place": "Paris"}]}
        _, body = await running.post("/v1/execute", {"name": "weather-now", "arguments": arguments})
        assert weather.asked == []
    (result,) = body["result"]["results"]
    assert (result["error"]["code"], result["error"]["retryable"]) == ("skill_failed", False)
    assert weather.base not in str(body)
