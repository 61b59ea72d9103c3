"""Places: zones, abbreviations, countries, states and cities."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from whenever import Instant

from apps.sdk.skill import SkillRetry
from apps.time.skills.places import fold, open_atlas

FOUND = [
    ("Europe/Berlin", "Europe/Berlin", "Europe/Berlin"),
    ("europe/berlin", "Europe/Berlin", "Europe/Berlin"),
    ("America/New York", "America/New_York", "America/New_York"),
    ("UTC", "UTC", "UTC"),
    ("gmt", "GMT", "UTC"),
    ("CET", "CET", "Europe/Berlin"),
    ("UTC+3", "UTC+03:00", "Etc/GMT-3"),
    ("GMT-05:00", "UTC-05:00", "Etc/GMT+5"),
    ("Tokyo", "Tokyo, Japan", "Asia/Tokyo"),
    ("  tokyo ", "Tokyo, Japan", "Asia/Tokyo"),
    ("東京", "Tokyo, Japan", "Asia/Tokyo"),
    ("Tokio", "Tokyo, Japan", "Asia/Tokyo"),
    ("Berlín", "Berlin, Germany", "Europe/Berlin"),
    ("München", "Munich, Germany", "Europe/Berlin"),
    ("New York", "New York City, NY, United States", "America/New_York"),
    ("London", "London, United Kingdom", "Europe/London"),
    ("London, Canada", "London, Canada", "America/Toronto"),
    ("Paris, Texas", "Paris, TX, United States", "America/Chicago"),
    ("Cambridge, MA", "Cambridge, MA, United States", "America/New_York"),
    ("Washington, D.C.", "Washington, DC, United States", "America/New_York"),
    ("St. Petersburg", "Saint Petersburg, Russia", "Europe/Moscow"),
    ("sao paulo", "São Paulo, Brazil", "America/Sao_Paulo"),
    ("Japan", "Japan", "Asia/Tokyo"),
    ("UK", "United Kingdom", "Europe/London"),
    ("Singapore", "Singapore", "Asia/Singapore"),
    ("California", "California, United States", "America/Los_Angeles"),
]

REFUSED = [
    ("EST", "not one time zone", "America/New_York"),
    ("Springfield", "Several places", "Springfield, MA"),
    ("USA", "several time zones", "America/Chicago"),
    ("Mexico", "several time zones", "America/Mexico_City"),
    ("Texas", "several time zones", "America/Denver"),
    ("Berln", "not known", "Berlin, Germany"),
    ("Xyzzyqq", "not known", "IANA"),
    ("Paris, Kenya", "no Paris in Kenya", "Paris, France"),
    ("../etc/passwd", "not known", "IANA"),
    ("/", "not known", "IANA"),
    ("\x00/x", "not known", "IANA"),
    (",", "not known", "IANA"),
    (", Texas", "not known", "IANA"),
]


@pytest.mark.parametrize(("text", "name", "zone"), FOUND)
def test_places_that_are_found(text: str, name: str, zone: str) -> None:
    """The name says which place was taken."""
    place = open_atlas().find(text)
    assert (place.name, place.zone) == (name, zone)


@pytest.mark.parametrize(("text", "reason", "hint"), REFUSED)
def test_places_that_are_not(text: str, reason: str, hint: str) -> None:
    """Unknown and ambiguous places are a `SkillRetry` whose hint holds what would do."""
    with pytest.raises(SkillRetry) as caught:
        open_atlas().find(text)
    assert reason in caught.value.message
    assert hint in (caught.value.hint or "")


@pytest.mark.parametrize("text", ["", "   ", "a" * 101, "UTC+15", "UTC-13"])
def test_places_out_of_bounds(text: str) -> None:
    """Empty and long texts and impossible offsets are refused before any search."""
    with pytest.raises(SkillRetry):
        open_atlas().find(text)


@given(st.text(max_size=40))
def test_any_text_is_a_place_with_a_zone_or_refused(text: str) -> None:
    """No text raises anything but `SkillRetry`, and a zone that is found exists."""
    try:
        place = open_atlas().find(text)
    except SkillRetry:
        return
    assert Instant.from_timestamp(0).to_tz(place.zone).tz_id == place.zone


@given(st.text(max_size=20))
def test_folding_twice_changes_nothing(text: str) -> None:
    """A folded name is its own key."""
    assert fold(fold(text)) == fold(text)
