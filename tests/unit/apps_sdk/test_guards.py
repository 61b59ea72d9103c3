"""A misspelling of a key that limits what an item may do must not widen it: the item is set aside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.loader import load_catalog
from apps.sdk.manifest.app import PARTS
from tests.support.apps import ECHO_MODULE, skill_manifest, write_app
from tests.support.loading import find, list_reasons


@pytest.mark.parametrize(
    ("key", "value", "meant"),
    [
        ("efect", "write", "did you mean 'effect'?"),
        ("Effect", "write", "did you mean 'effect'?"),
        ("effects", "write", "did you mean 'effect'?"),
        ("default_enable", False, "did you mean 'default_enabled'?"),
        ("defaultEnabled", False, "did you mean 'default_enabled'?"),
        ("source", ["api"], "did you mean 'sources'?"),
        ("provider", ["Brave"], "did you mean 'providers'?"),
        ("confirm", True, "there is no 'confirm': what changes something is marked with 'effect: write'"),
    ],
)
def test_a_misspelt_limit_sets_its_skill_aside(tmp_path: Path, key: str, value: Json, meant: str) -> None:
    """An error at the key with what was meant; the neighbour works."""
    skills = [skill_manifest("one", "a", **{key: value}), skill_manifest("one", "b", examples=["other"])]
    write_app(tmp_path, "one", {"skills": skills}, {"echo": ECHO_MODULE})
    catalog = load_catalog([tmp_path])
    problem = find(catalog, "guard-key")
    assert (problem.severity, problem.suggestion) == ("error", meant)
    assert problem.position.line > 3
    assert list(catalog.skills) == ["one-b"]
    assert list(list_reasons(catalog)) == ["one-a"]


@pytest.mark.parametrize(
    "key", ["allowed-skills", "alowed_skills", "denied_skill", "deniedSkills", "allowed_app", "allowed_tools"]
)
def test_a_misspelt_limit_sets_its_focus_mode_aside(tmp_path: Path, key: str) -> None:
    modes = [{"id": "a", "system_prompt": "p", key: ["one:a"]}, {"id": "b", "system_prompt": "p"}]
    write_app(tmp_path, "one", {"focuses": modes})
    assert list(load_catalog([tmp_path]).focus_modes) == ["one-b"]


def test_a_misspelt_switch_shuts_the_app(tmp_path: Path) -> None:
    """Nobody can tell whether it was to be off."""
    manifest = {"defaut_enabled": False, "skills": [skill_manifest("one", "a")]}
    write_app(tmp_path, "one", manifest, {"echo": ECHO_MODULE})
    catalog = load_catalog([tmp_path])
    assert catalog.skills == {}
    assert "did you mean 'default_enabled'?" in list_reasons(catalog)["one"]


@pytest.mark.parametrize("key", ["x-effect", "pricing", "internal", "owner", "preprocesor_hint", "residnt", "version"])
def test_other_keys_cost_nothing(tmp_path: Path, key: str) -> None:
    """What is opaque, the author's own, or like a key that limits nothing leaves the skill alone."""
    write_app(tmp_path, "one", {"skills": [skill_manifest("one", "a", **{key: "x"})]}, {"echo": ECHO_MODULE})
    assert list(load_catalog([tmp_path]).skills) == ["one-a"]


def test_the_dialect_s_own_keys_are_never_taken_for_misspellings(tmp_path: Path) -> None:
    """Not even all of them at once."""
    for part in PARTS:
        assert not (part.OPAQUE.keys() | part.ALIASES.keys()) & part.GUARDS.keys()
    opaque: JsonObject = {key: "x" for part in PARTS for key in part.OPAQUE if part.__name__ == "SkillManifest"}
    write_app(tmp_path, "one", {"skills": [skill_manifest("one", "a", **opaque)]}, {"echo": ECHO_MODULE})
    assert list(load_catalog([tmp_path]).skills) == ["one-a"]


@pytest.mark.parametrize("key", ["effect", "default_enabled", "sources", "providers"])
def test_an_empty_limit_sets_its_skill_aside(tmp_path: Path, key: str) -> None:
    """It was begun, and nobody can tell what it was to be: it must not mean that there is none."""
    skills = [skill_manifest("one", "a", **{key: "nothing"}), skill_manifest("one", "b", examples=["other"])]
    text = json.dumps({"skills": skills}, indent=2).replace('"nothing"', "")
    write_app(tmp_path, "one", text, {"echo": ECHO_MODULE})
    catalog = load_catalog([tmp_path])
    problem = find(catalog, "guard-empty")
    assert problem.severity == "error"
    assert problem.position.line > 3
    assert list(catalog.skills) == ["one-b"]


@pytest.mark.parametrize("key", ["allowed_skills", "denied_skills", "allowed_apps", "allowed_models"])
def test_an_empty_limit_sets_its_focus_mode_aside(tmp_path: Path, key: str) -> None:
    """An empty list is written `[]`."""
    write_app(tmp_path, "one", f"focuses:\n- id: a\n  system_prompt: p\n  {key}:\n- id: b\n  system_prompt: p\n  {key}: []\n")
    assert list(load_catalog([tmp_path]).focus_modes) == ["one-b"]


def test_an_empty_switch_shuts_the_app(tmp_path: Path) -> None:
    """And the reason does not end in two marks."""
    write_app(tmp_path, "one", "default_enabled:\nfocuses:\n- {id: a, system_prompt: p}\n")
    catalog = load_catalog([tmp_path])
    assert catalog.focus_modes == {}
    assert list_reasons(catalog)["one"].endswith(")")
