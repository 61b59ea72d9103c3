"""A message as the patterns of the apps see it."""

from __future__ import annotations

import pytest

from apps.sdk.questions import LOOKED_AT, take_ends


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("what’s\u00a0the  time\t in\u202fRome", "what's the time in Rome"),
        ("5\u00a0miles and\u00a03 km", "5 miles and 3 km"),
        ("12\u202f500 + 1’000", "12\u202f500 + 1'000"),
        ("a \u00a0 b\n  c", "a b\n c"),
        ("", ""),
    ],
)
def test_one_spelling(text: str, shown: str) -> None:
    """Blanks and apostrophes are plain and single, digits that a no-break space groups stay a number, lines stay."""
    assert take_ends(text) == shown


def test_a_long_message_is_its_two_ends() -> None:
    """Both are whole, and a mark keeps them apart."""
    shown = take_ends(f"weather in Rome? {'x' * 1_000_000} or in Oslo?")
    assert shown.startswith("weather in Rome?")
    assert " … " in shown
    assert shown.endswith("or in Oslo?")
    assert len(shown) < LOOKED_AT + 10
