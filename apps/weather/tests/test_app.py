"""The app's manifest: it loads without findings, and what its skills find in messages fits their schemas."""

from __future__ import annotations

from pathlib import Path

import jsonschema
import pytest

from apps.sdk.catalog import Catalog
from apps.sdk.loader import load_catalog
from apps.sdk.skill import Skill

APPS = Path(__file__).parents[2]
MESSAGES = {
    "weather-now": "What is the weather in New York?",
    "weather-forecast": "Will it rain in Oslo tomorrow?",
    "weather-hourly": "hourly forecast for Boston",
}


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog([APPS])


def test_the_app_loads_clean(catalog: Catalog) -> None:
    """Three skills and a memory, none quarantined, no findings, and none needs a credential."""
    app = next(app for app in catalog.apps if app.id == "weather")
    assert [skill.tool_name for skill in app.skills] == list(MESSAGES)
    assert [memory.id for memory in app.memories] == ["weather-home"]
    assert all(provider.no_api_key for skill in app.skills for provider in skill.providers)
    assert (app.quarantined, app.findings) == ((), ())


@pytest.mark.parametrize(("tool_name", "message"), [*MESSAGES.items(), (None, "What time is it in Paris?")])
def test_requests_from_messages_fit_the_schema(catalog: Catalog, tool_name: str | None, message: str) -> None:
    """What `from_message` finds is valid under the author's schema, and only its own skill finds it."""
    for name, spec in catalog.skills.items():
        assert isinstance(spec.implementation, Skill)
        found = spec.implementation.from_message(message)
        if name == tool_name:
            jsonschema.validate({"requests": [found]}, spec.parameters)
        elif name != "time-now" or tool_name:
            assert found is None


@pytest.mark.parametrize(
    "piece",
    ["weather in ", "will it rain in a b c d ", "tomorrow ", "forecast for next 5 days in ", "A, ", "weather in Aa ", " "],
)
def test_long_messages_are_looked_at_in_part(catalog: Catalog, piece: str) -> None:
    """100 KB of a hostile pattern ask for nothing, or for something small that fits the schema."""
    for spec in catalog.by_app["weather"].skills:
        assert isinstance(spec.implementation, Skill)
        found = spec.implementation.from_message(piece * (100_000 // len(piece)))
        if found is not None:
            jsonschema.validate({"requests": [found]}, spec.parameters)
