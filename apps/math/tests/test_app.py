"""The app's manifest: it loads without findings, and what it promises holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from apps.sdk.catalog import Catalog
from apps.sdk.loader import load_catalog
from apps.sdk.testing import load_skill

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
    ("skill_id", "message"), [("calculate", "What is 17.5 % of 2,340?"), ("convert_units", "Convert 26.2 miles to kilometres")]
)
def test_requests_from_messages_fit_the_schema(skill_id: str, message: str) -> None:
    """What `from_message` finds in an example is valid under the author's schema; the first is always understood."""
    assert message in load_skill(__file__, skill_id).check_examples()
