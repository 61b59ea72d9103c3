"""The app's manifest: it loads without findings, and what its skills find in messages fits their schemas."""

from __future__ import annotations

from pathlib import Path

import jsonschema
import pytest

from apps.notes.skills.notebook import MAX_TAG, MAX_TAGS, MAX_TEXT, MAX_TITLE
from apps.sdk.catalog import Catalog
from apps.sdk.loader import load_catalog
from apps.sdk.skill import Skill

APPS = Path(__file__).parents[2]
MESSAGES = {
    "notes-add": "note: the spare key is under the blue pot",
    "notes-list": "show me my notes tagged shopping",
    "notes-search": "What did I note about the insurance?",
    "notes-delete": "delete note 7k3m9x2p",
}


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog([APPS])


def test_the_app_loads_clean(catalog: Catalog) -> None:
    """Four skills, a focus mode and a memory, none quarantined, no findings; what writes says so."""
    app = next(app for app in catalog.apps if app.id == "notes")
    assert {skill.tool_name: skill.effect for skill in app.skills} == {
        "notes-add": "write",
        "notes-list": "read",
        "notes-search": "read",
        "notes-delete": "write",
    }
    assert [mode.id for mode in app.focus_modes] == ["notes-journal"]
    assert [memory.id for memory in app.memories] == ["notes-tags"]
    assert (app.quarantined, app.findings) == ((), ())


def test_the_schema_names_the_limits_of_the_code(catalog: Catalog) -> None:
    """A model is told what will be refused."""
    properties = catalog.skills["notes-add"].parameters["properties"]["requests"]["items"]["properties"]
    told = (properties["text"]["maxLength"], properties["title"]["maxLength"], properties["tags"]["maxItems"])
    assert (*told, properties["tags"]["items"]["maxLength"]) == (MAX_TEXT, MAX_TITLE, MAX_TAGS, MAX_TAG)


@pytest.mark.parametrize(("tool_name", "message"), MESSAGES.items())
def test_requests_from_messages_fit_the_schema(catalog: Catalog, tool_name: str, message: str) -> None:
    """What `from_message` finds is valid under the author's schema, and only its own skill finds it."""
    for name, spec in catalog.skills.items():
        assert isinstance(spec.implementation, Skill)
        found = spec.implementation.from_message(message)
        if name == tool_name:
            jsonschema.validate({"requests": [found]}, spec.parameters)
        else:
            assert found is None


@pytest.mark.parametrize(
    "piece", ["note: ", "show my notes tagged ", "search my notes for a ", "delete note ", 'find my note about "', " "]
)
def test_long_messages_are_looked_at_in_part(catalog: Catalog, piece: str) -> None:
    """100 KB of a hostile pattern ask for nothing, or for something small that fits the schema."""
    for spec in catalog.by_app["notes"].skills:
        assert isinstance(spec.implementation, Skill)
        found = spec.implementation.from_message(piece * (100_000 // len(piece)))
        if found is not None:
            jsonschema.validate({"requests": [found]}, spec.parameters)
            assert spec.effect == "read"
