"""Ids of skills, focus modes and memories."""

from __future__ import annotations

from pathlib import Path

import pytest

from apps.sdk.loader import load_catalog
from tests.support.apps import write_app, write_echo_app
from tests.support.loading import find, list_reasons


def test_the_second_skill_of_an_id_is_quarantined(tmp_path: Path) -> None:
    write_echo_app(tmp_path, "one", "a", "b", "a")
    catalog = load_catalog([tmp_path])
    assert list(catalog.skills) == ["one-a", "one-b"]
    assert find(catalog, "item-duplicate").severity == "error"
    assert "the first one counts" in list_reasons(catalog)["one-a"]


@pytest.mark.parametrize(
    "skill_id", ["Dockerfile problems scanner", "calendar.respondToEvent", "DELETE_/loadpoints/{id}/plan", "-a"]
)
def test_illegal_skill_ids_are_errors_with_a_suggestion(tmp_path: Path, skill_id: str) -> None:
    """An id that a provider would refuse takes out that skill, never the list it is in."""
    write_echo_app(tmp_path, "one", skill_id, "good")
    catalog = load_catalog([tmp_path])
    assert list(catalog.skills) == ["one-good"]
    problem = find(catalog, "item-id")
    assert problem.suggestion is not None
    assert problem.severity == "error"


def test_tool_names_over_the_limit_are_quarantined(tmp_path: Path) -> None:
    """64 characters are a tool name, 65 are none; nothing is cut."""
    write_echo_app(tmp_path, "a" * 40, "s" * 23, "t" * 24)
    catalog = load_catalog([tmp_path])
    assert list(catalog.skills) == [f"{'a' * 40}-{'s' * 23}"]
    assert find(catalog, "tool-name-length").severity == "error"
    assert find(catalog, "tool-name-long").severity == "hint"


@pytest.mark.parametrize("length", [60, 101, 300])
@pytest.mark.parametrize("kind", ["focus_modes", "settings_and_memories"])
def test_ids_of_focus_modes_and_memories_have_the_same_limit(tmp_path: Path, kind: str, length: int) -> None:
    """An id over the limit costs its own item only, whatever kind it is and however long."""
    items = [{"id": "i" * length, "system_prompt": "p"}, {"id": "fine", "system_prompt": "p"}]
    if kind == "settings_and_memories":
        items = [{"id": item["id"]} for item in items]
    write_app(tmp_path, "four", {kind: items})
    write_echo_app(tmp_path, "one", "a")
    catalog = load_catalog([tmp_path])
    assert [*catalog.focus_modes, *catalog.memories] == ["four-fine"]
    assert list(catalog.skills) == ["one-a"]
    assert find(catalog, "tool-name-length").severity == "error"
