"""Places: names, regions, coordinates; which one was taken."""

from __future__ import annotations

import pytest

from apps.sdk.skill import SkillRetry
from apps.sdk.testing import load_skill
from apps.weather.tests.open_meteo_server import WeatherServer

NOW = load_skill(__file__, "now")

TAKEN = [
    ("Paris", "Paris, Île-de-France, France"),
    ("  paris ", "Paris, Île-de-France, France"),
    ("Paris, Texas", "Paris, Texas, United States"),
    ("Paris, TX", "Paris, Texas, United States"),
    ("Paris, Lamar, USA", "Paris, Texas, United States"),
    ("Paris Texas", "Paris, Texas, United States"),
    ("Paris, ile-de-france", "Paris, Île-de-France, France"),
    ("Paris FR", "Paris, Île-de-France, France"),
    ("Portland OR", "Portland, Oregon, United States"),
    ("Springfield, Massachusetts, United States", "Springfield, Massachusetts, United States"),
    ("London, UK", "London, England, United Kingdom"),
    ("London, England", "London, England, United Kingdom"),
    ("Null Island", "Null Island"),
    ("48.85, 2.35", "48.85, 2.35"),
    ("-33.8688 151.2093", "-33.8688, 151.2093"),
    ("+90;180.0", "+90, 180.0"),
]


@pytest.mark.parametrize(("written", "name"), TAKEN)
async def test_the_place_that_was_taken_is_named(weather: WeatherServer, written: str, name: str) -> None:
    """With its region and country where it has them."""
    assert (await NOW.run({"place": written}, **weather.options)).data["place"] == name


async def test_coordinates_are_not_looked_up(weather: WeatherServer) -> None:
    """One request is enough."""
    await NOW.run({"place": "48.85, 2.35"}, **weather.options)
    assert [path for path, _ in weather.asked] == ["/v1/forecast"]


async def test_others_that_may_have_been_meant_are_named(weather: WeatherServer) -> None:
    """Of a name whose places are of like size; the village among them is not worth a word, nor is Paris in Texas."""
    run = await NOW.run({"place": "Springfield"}, **weather.options)
    assert run.data["place"] == "Springfield, Missouri, United States"
    assert run.note == "Others of that name: Springfield, Massachusetts, United States."
    assert (await NOW.run({"place": "Springfield, Maine"}, **weather.options)).note is None


@pytest.mark.parametrize(
    ("written", "hint"),
    [
        ("Atlantis", "larger town"),
        ("Xy Zz Ab Cd", "larger town"),
        ("Paris, Ontario", "Paris, Texas, United States"),
        ("Q", "larger town"),
        ("12345", "larger town"),
        ("91, 0", "Latitude"),
        ("0, 181", "Latitude"),
        ("???", "Give a town"),
        (", France", "Give a town"),
        ("\u202e\x00,", "Give a town"),
    ],
)
async def test_an_unknown_place_may_be_asked_for_otherwise(weather: WeatherServer, written: str, hint: str) -> None:
    """The model is told what would do, and at most three places are looked up."""
    with pytest.raises(SkillRetry) as caught:
        await NOW.run({"place": written}, **weather.options)
    assert hint in (caught.value.hint or "")
    assert len(weather.asked) <= 3


async def test_a_name_is_a_parameter(weather: WeatherServer) -> None:
    """However it is spelled, it adds nothing to the address."""
    written = "a&count=1#/../?name=Paris%00"
    with pytest.raises(SkillRetry):
        await NOW.run({"place": written}, **weather.options)
    assert weather.asked[0] == ("/v1/search", {"name": written, "count": "10", "language": "en", "format": "json"})


async def test_names_from_the_service_are_shortened(weather: WeatherServer) -> None:
    """A long or broken name costs no more than a line."""
    weather.spoil["/v1/search"] = lambda _: {
        "results": [{"name": "a\n\tb" + "x" * 150, "latitude": 0, "longitude": 0, "admin1": "", "country": None}]
    }
    name = (await NOW.run({"place": "Paris"}, **weather.options)).data["place"]
    assert name.startswith("a bxx")
    assert len(name) == 60
