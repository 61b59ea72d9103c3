import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.sdk.jsontypes import Json
from apps.sdk.manifest.scalars import is_ambiguous, read_plain

TRAPS = [
    "no", "NO", "No", "n", "N", "y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "off", "Off", "OFF", "012", "00", "0x1F",
    "0o17", "0b101", "12:30", "1:30:00", "1_000", "1.10", "1.", ".5", "+5", "-0", "007", "089", "1e999", ".inf", "-.INF",
    ".nan", "2020-01-02", "2001-12-14T21:59:43Z", "2020-1-2", "99999999999999999999", "1_0.5", "190:20:30.15", "0.10",
    "-012",
]  # fmt: skip


@pytest.mark.parametrize("text", [*TRAPS, "2001-12-14 21:59:43.10 -5", "9" * 5000])
def test_traps_stay_text_and_are_noticed(text: str) -> None:
    """What YAML versions read differently, or what would not print back, stays what the author wrote."""
    assert read_plain(text) == text
    assert is_ambiguous(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.5", 1.5), ("20", 20), ("-3", -3), ("1e5", 100000.0), ("1.5e-3", 0.0015), ("0", 0), ("0.0", 0.0), ("0.00001", 1e-05),
        ("true", True), ("False", False), ("null", None), ("~", None), ("", None), ("NULL", None),
        ("9223372036854775807", 2**63 - 1),
    ],
)  # fmt: skip
def test_plain_values_are_what_they_look_like(text: str, value: Json) -> None:
    assert read_plain(text) == value
    assert type(read_plain(text)) is type(value)


@pytest.mark.parametrize(
    "text", ["nothing", "v1.10", "none", "a:b", "1.2.3", "10 km", "2020-01-02 to 2020-02-03", "٣", "Norway", "-", "+", "."]
)
def test_ordinary_words_are_text_without_a_hint(text: str) -> None:
    assert read_plain(text) == text
    assert not is_ambiguous(text)


@given(st.integers(-(2**63), 2**63 - 1))
def test_integers_of_64_bits_are_numbers(number: int) -> None:
    assert read_plain(str(number)) == number


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_as_python_prints_them_are_read_back(number: float) -> None:
    """Every float that was written by a program is read as that float (or, written as `-0.0`, at least not as another)."""
    value = read_plain(repr(number))
    assert value == number or isinstance(value, str)


@given(st.text())
def test_no_text_breaks_the_reader(text: str) -> None:
    """Any text has one meaning: a finite number, true, false, null, or itself."""
    value = read_plain(text)
    is_ambiguous(text)
    assert value == text if isinstance(value, str) else value is None or math.isfinite(value)
