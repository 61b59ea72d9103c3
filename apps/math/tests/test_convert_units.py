"""`math-convert_units`: exact factors, spellings, refusals, and the messages that it answers."""

from __future__ import annotations

import asyncio
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from apps.math.skills.convert_units import ConvertUnitsRequest, ConvertUnitsSkill
from apps.math.skills.units import COMMON_UNITS, UnitConverter, find_common_unit
from apps.sdk.skill import SkillRetry
from apps.sdk.testing import load_skill

CONVERTER = UnitConverter()

CONVERSIONS = [
    ("26.2", "miles", "kilometres", "42.1648128"),
    ("26.2", "mi", "km", "42.1648128"),
    ("100", "°C", "°F", "212"),
    ("98.6", "F", "celsius", "37"),
    ("-40", "degrees Fahrenheit", "C", "-40"),
    ("0", "kelvin", "°C", "-273.15"),
    ("5", "stone", "lbs", "70"),
    ("2", "cups", "mL", "473.176473"),
    ("1", "imperial pint", "ml", "568.26125"),
    ("60", "mph", "km/h", "96.56064"),
    ("1", "kWh", "J", "3600000"),
    ("1", "MB", "Mb", "8"),
    ("1", "GiB", "bytes", "1073741824"),
    ("1", "square metre", "cm²", "10000"),
    ("1", "m3", "litres", "1000"),
    ("1", "fl. oz.", "ml", "29.5735295625"),
    ("3", "days", "hours", "72"),
    ("1", "knot", "km/h", "1.852"),
    ("1", "kg*m^2/s^2", "joule", "1"),
    ("1", "m per s", "km/h", "3.6"),
    ("10", "delta_degC", "delta_degF", "18"),
]

REFUSED = [
    ("m", "kg", "cannot be converted"),
    ("miles", "°C", "cannot be converted"),
    ("USD", "EUR", "not known"),
    ("kilometr", "m", "not known"),
    ("meter**9999999", "m", "not known"),
    ("m^" + "9" * 50, "m", "not known"),
    ("__import__('os')", "m", "not known"),
    ("x" * 5000, "m", "60 characters"),
    ("((((((((", "m", "not known"),
    ("m/", "s", "not known"),
    ("", "m", "not known"),
    ("\x00", "m", "not known"),
    ("dB", "Np", "logarithmic"),
]

ASKED = [
    ("Convert 26.2 miles to kilometres", 26.2, "miles", "kilometres"),
    ("26.2 miles in km", 26.2, "miles", "km"),
    ("How many kilometres are 26.2 miles?", 26.2, "miles", "kilometres"),
    ("how many feet in a mile", 1, "mile", "feet"),
    ("what is 32°F in °C", 32, "°F", "°C"),
    ("-40 F to C", -40, "F", "C"),
    ("how much is 5 lbs in kg", 5, "lbs", "kg"),
    ("how many square feet is 100 m²?", 100, "m²", "square feet"),
    ("100 km/h in mph", 100, "km/h", "mph"),
    ("how many hours are there in 3 days", 3, "days", "hours"),
    ("1,500 m in miles.", 1500, "m", "miles"),
    ("26.2 mi = ? km", 26.2, "mi", "km"),
    ("What is 17.5 % of 2,340? Also, convert 26.2 miles to kilometres.", 26.2, "miles", "kilometres"),
    ("Convert 26.2 miles to kilometres and tell me what time it is in Tokyo", 26.2, "miles", "kilometres"),
    ("Wie viele Kilometer sind 42 Meilen?", 42, "Meilen", "Kilometer"),
    ("convierte 10 millas a kilómetros", 10, "millas", "kilómetros"),
    ("¿Cuántos kilómetros son 26 millas?", 26, "millas", "kilómetros"),
]

NOT_ASKED = [
    "", "hi", "thanks, great", "meet me in 5 minutes", "I ran 5 miles in 40 minutes",
    "run 5 minutes a day", "5 pounds in dollars",
    "I walked 3 km in the park",
    "I lost 5 kg in 3 weeks", "5 feet 10 inches in cm", "9:30 min in s", "2 km in kilometres",
    "How many days are there between 3 March 2024 and 24 December 2026?", "What time is it in Tokyo when it is 9:30 in Berlin?",
    "Wie viele Kilometer sind 26,2 Meilen?", "how many miles", "What is 17.5 % of 2,340?", "version 10.5.2 m in km",
]  # fmt: skip


@pytest.mark.parametrize(("value", "source", "target", "result"), CONVERSIONS)
def test_conversions_are_exact(value: str, source: str, target: str, result: str) -> None:
    """The factors are fractions, offsets of temperatures included."""
    assert CONVERTER.convert(Fraction(value), source, target).value == Fraction(result)


@pytest.mark.parametrize(("source", "target", "reason"), REFUSED)
def test_refusals_name_their_reason(source: str, target: str, reason: str) -> None:
    """Unknown, incompatible and hostile units are a `SkillRetry`."""
    with pytest.raises(SkillRetry) as caught:
        CONVERTER.convert(Fraction(1), source, target)
    assert reason in caught.value.message


def test_unknown_units_get_close_names() -> None:
    """The hint holds names that the model can try."""
    with pytest.raises(SkillRetry) as caught:
        CONVERTER.convert(Fraction(1), "kilometr", "m")
    assert caught.value.hint is not None
    assert "kilometer" in caught.value.hint


def test_nothing_is_colder_than_absolute_zero() -> None:
    """A temperature below 0 K does not exist."""
    with pytest.raises(SkillRetry, match="absolute zero"):
        CONVERTER.convert(Fraction(-500), "celsius", "K")


@given(st.text(max_size=30))
def test_any_unit_has_a_result_or_a_reason(text: str) -> None:
    """No text raises anything but `SkillRetry`."""
    try:
        converted = CONVERTER.convert(Fraction(1), text, "metre")
    except SkillRetry:
        return
    assert converted.value > 0


@given(st.data(), st.fractions(0, 10**6, max_denominator=100))
def test_there_and_back_is_the_same_value(data: st.DataObject, value: Fraction) -> None:
    """Any two common units of one kind convert into each other without loss."""
    source = data.draw(st.sampled_from(sorted(COMMON_UNITS)))
    kind = COMMON_UNITS[source].kind
    target = data.draw(st.sampled_from(sorted(name for name, unit in COMMON_UNITS.items() if unit.kind == kind)))
    start = value + 10**6 if kind == "temperature" else value
    there = CONVERTER.convert(start, source, target)
    assert CONVERTER.convert(there.value, target, source).value == start


def test_case_counts_where_it_matters() -> None:
    """MB is not Mb, while words may be in any case."""
    assert find_common_unit("MB") != find_common_unit("Mb")
    assert find_common_unit("KILOMETRES") == find_common_unit("km")


@pytest.mark.parametrize(("message", "value", "source", "target"), ASKED)
def test_messages_that_ask_for_a_conversion(message: str, value: float, source: str, target: str) -> None:
    """The first conversion asked for is found in the whole text, and it works."""
    found = ConvertUnitsSkill().from_message(message)
    assert found == {"value": value, "from": source, "to": target}
    CONVERTER.convert(Fraction(str(value)), source, target)


@pytest.mark.parametrize("message", NOT_ASKED)
def test_messages_that_do_not(message: str) -> None:
    """Measures in passing, sums of measures and what other skills answer are left alone."""
    assert ConvertUnitsSkill().from_message(message) is None


@pytest.mark.parametrize("piece", ["1 km in ", "how many km ", "convert ", "9", "a ", "5 miles ", "how many km are in "])
def test_long_messages_are_looked_at_in_part(piece: str) -> None:
    """100 KB of a hostile pattern comes back without a request."""
    assert ConvertUnitsSkill().from_message(piece * (100_000 // len(piece))) is None


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1e31, -1e31, "many", None])
def test_values_out_of_range_are_invalid(value: object) -> None:
    """The request model has the bounds of the schema."""
    with pytest.raises(ValidationError):
        ConvertUnitsRequest.model_validate({"value": value, "from": "m", "to": "km"})


async def test_five_requests_at_once_share_one_registry() -> None:
    """The executor runs entries at the same time; the result names the units as they were understood."""
    harness = load_skill(__file__, "convert_units")
    runs = await asyncio.gather(*(harness.run({"value": 26.2, "from": "miles", "to": "km"}) for _ in range(5)))
    assert [run.data for run in runs] == [harness.spec.output_example] * 5
