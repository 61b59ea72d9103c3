"""Catalogs from elsewhere become apps without loss."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from apps.sdk.jsontypes import Json
from apps.sdk.loader import load_catalog
from benchmarks.data_apps import MAX_SKILLS, convert_catalog

NAMES = ("get.user", "get_user", "Get User", "x" * 90 + "a", "x" * 90 + "b", "日本", "system")


def write_catalog(folder: Path, tools: list[dict[str, Json]]) -> Path:
    folder.mkdir()
    (folder / "tools.jsonl").write_text("".join(json.dumps(tool) + "\n" for tool in tools), encoding="utf-8")
    return folder


@pytest.mark.parametrize("app", ["Some App/With slash", None, "y" * 100])
def test_every_tool_becomes_a_skill_of_its_own(tmp_path: Path, app: str | None) -> None:
    """Names that are illegal, too long or the same once made legal all load, and each is told apart."""
    tools = [{"name": name, "app": app, "description": "It helps.", "parameters": None} for name in NAMES]
    converted = convert_catalog(write_catalog(tmp_path / "catalog", tools), tmp_path / "apps")
    catalog = load_catalog((converted.directory,))
    assert catalog.quarantined == ()
    assert sorted(converted.names.values()) == sorted(catalog.skills)
    assert sorted(converted.names) == sorted(NAMES)


def test_an_app_of_many_tools_becomes_several(tmp_path: Path) -> None:
    """A manifest has a largest size, a catalog has none."""
    tools = [{"name": f"tool{n}", "app": "big", "description": "x", "parameters": None} for n in range(MAX_SKILLS + 1)]
    converted = convert_catalog(write_catalog(tmp_path / "catalog", tools), tmp_path / "apps")
    assert sorted(len(app.skills) for app in load_catalog((converted.directory,)).apps) == [1, MAX_SKILLS]
