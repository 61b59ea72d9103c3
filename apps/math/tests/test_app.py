"""The app's manifest: it loads without findings, and what it promises holds."""

from __future__ import annotations

from pathlib import Path

import jsonschema
import pytest

from apps.sdk.catalog import Catalog
from apps.sdk.loader import load_catalog
from apps.sdk.skill import Skill

APPS = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog([APPS])


def test_the_app_loads_clean(catalog: Catalog) -> None:
    """Two skills and a focus mode, none quarantined, no findings."""
    app = next(app for app in catalog.apps if app.id == "math")
    assert [skill.tool_name for skill in app.skills] == ["math-calculate", "math-convert_units"]
    assert [mode.id for mode in app.focus_modes] == ["math-tutor"]
    assert (app.quarantined, app.findings) == ((), ())


@pytest.mark.parametrize(
    ("tool_name", "message"),
    [("math-calculate", "What is 17.5 % of 2,340?"), ("math-convert_units", "Convert 26.2 miles to kilometres")],
)
def test_requests_from_messages_fit_the_schema(catalog: Catalog, tool_name: str, message: str) -> None:
    """What `from_message` finds is valid under the author's schema."""
    spec = catalog.skills[tool_name]
    assert isinstance(spec.implementation, Skill)
    found = spec.implementation.from_message(message)
    jsonschema.validate({"requests": [found]}, spec.parameters)
