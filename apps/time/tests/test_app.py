"""The app's manifest: it loads without findings, and what its skills find in messages fits their schemas."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from apps.sdk.catalog import Catalog
from apps.sdk.loader import load_catalog
from apps.sdk.skill import Skill
from apps.sdk.testing import load_skill

APPS = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog([APPS])


def test_the_app_loads_clean(catalog: Catalog) -> None:
    """Four skills, none quarantined, no findings."""
    app = next(app for app in catalog.apps if app.id == "time")
    assert [skill.tool_name for skill in app.skills] == ["time-now", "time-convert", "time-difference", "time-add"]
    assert (app.quarantined, app.findings) == ((), ())


@pytest.mark.parametrize(
    ("tool_name", "message"),
    [
        ("time-now", "What time is it in New York?"),
        ("time-convert", "What time is it in Tokyo when it is 9:30 in Berlin?"),
        ("time-difference", "How many days are there between 3 March 2024 and 24 December 2026?"),
        ("time-add", "What date is 90 days after 1 May 2025?"),
    ],
)
def test_requests_from_messages_fit_the_schema(catalog: Catalog, tool_name: str, message: str) -> None:
    """What `from_message` finds is valid under the author's schema, and only its own skill finds it."""
    for name, spec in catalog.skills.items():
        assert isinstance(spec.implementation, Skill)
        found = spec.implementation.from_message(message)
        if name == tool_name:
            assert load_skill(__file__, spec.skill_id).check_from_message(message) == found is not None
        else:
            assert found is None


@pytest.mark.parametrize("skill_id", ["now", "convert", "difference", "add"])
def test_requests_from_examples_fit_the_schema(skill_id: str) -> None:
    """What `from_message` finds in the skill's own examples, in any language, is valid; it finds some."""
    assert load_skill(__file__, skill_id).check_examples()


QUESTIONS = {
    "math-calculate": "What is 17.5 % of 2,340?",
    "math-convert_units": "Convert 26.2 miles to kilometres",
    "time-difference": "How many days are there between 3 March 2024 and 24 December 2026?",
    "time-convert": "What time is it in Tokyo when it is 9:30 in Berlin?",
    "time-now": "What time is it in New York?",
    "time-add": "What date is 90 days after 1 May 2025?",
}


@pytest.mark.parametrize("joint", [" and ", " Also, ", ", and ", "\n", ". Then tell me: "])
@pytest.mark.parametrize(("first", "second"), [*permutations(QUESTIONS, 2)])
def test_two_questions_in_one_message(catalog: Catalog, first: str, second: str, joint: str) -> None:
    """Each skill finds its own question as if it stood alone, and no third skill finds one."""
    opening = QUESTIONS[first].rstrip("?") if "and" in joint else QUESTIONS[first]
    closing = QUESTIONS[second]
    message = f"{opening}{joint}{closing[0].lower()}{closing[1:]}"
    for name, spec in catalog.skills.items():
        assert isinstance(spec.implementation, Skill)
        expected = spec.implementation.from_message(QUESTIONS[name]) if name in {first, second} else None
        assert spec.implementation.from_message(message) == expected


@pytest.mark.parametrize(
    "piece",
    ["what time is it in ", "when it is 9:30 in ", "how many days from 3 March 2024 ", "1 day, ", "what date is ",
     "add 1 day and ", "convert 9:30 a b c ", "9", " ", "2024-01-01 "],
)  # fmt: skip
def test_long_messages_are_looked_at_in_part(catalog: Catalog, piece: str) -> None:
    """100 KB of a hostile pattern asks for nothing."""
    for spec in catalog.by_app["time"].skills:
        assert isinstance(spec.implementation, Skill)
        assert spec.implementation.from_message(piece * (100_000 // len(piece))) is None
