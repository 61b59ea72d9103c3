"""hostile I and the empty list of C: what the author wrote is what a model is shown, and what is ambiguous has its place."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from apps.sdk.loader import load_catalog
from tests.support.apps import ECHO_MODULE, write_app

HEAD = """
name: Labels
description: Texts that some readers take for something else.
skills:
"""
SKILL = """
  - id: "012"
    name: Yes
    description: On
    preprocessor_hint: 'no'
    class_path: apps.labels.skills.echo.EchoSkill
    tool_schema:
      type: object
      properties:
        country: {enum: [de, no, se], default: no}
        switch: {enum: [On, Off], default: Yes}
        at: {type: string, default: 12:30}
        version: {type: string, default: 1.10}
        no: {type: string, description: "a key that is a word"}
"""


def test_labels_stay_what_was_written_up_to_the_schema_that_is_sent(tmp_path: Path) -> None:
    """`no`, `On`, `Yes`, `12:30`, `1.10`, `012`: texts for the model, and a hint for the author with line and column."""
    write_app(tmp_path, "labels", HEAD + SKILL, {"echo": ECHO_MODULE})
    catalog = load_catalog([tmp_path])
    skill = catalog.skills["labels-012"]
    properties = skill.parameters["properties"]
    assert properties["country"] == {"enum": ["de", "no", "se"], "default": "no"}
    assert properties["switch"] == {"enum": ["On", "Off"], "default": "Yes"}
    assert (properties["at"]["default"], properties["version"]["default"]) == ("12:30", "1.10")
    assert "no" in properties
    assert skill.description == "On"
    hints = [finding for finding in catalog.findings if finding.code == "yaml-ambiguous"]
    lines = (HEAD + SKILL).splitlines()
    places = [lines[hint.position.line - 1][hint.position.column - 1 :] for hint in hints]
    assert [place.split(",")[0].split("}")[0].split(":")[0].split("]")[0] for place in places] == [
        "Yes", "On", "no", "no", "On", "Off", "Yes", "12", "1.10", "no",
    ]  # fmt: skip


def test_another_loader_would_read_it_otherwise() -> None:
    """The reason for the hints: YAML 1.1 makes booleans, a number in base 60 and 1.1 of the same file."""
    properties = yaml.safe_load(SKILL)[0]["tool_schema"]["properties"]
    assert properties["country"]["enum"] == ["de", False, "se"]
    assert properties["switch"] == {"enum": [True, False], "default": True}
    assert (properties["at"]["default"], properties["version"]["default"]) == (750, 1.1)


@pytest.mark.parametrize("twice", ["    description: Once more.\n", "    id: other\n"])
def test_a_key_twice_costs_its_skill_and_names_both_lines(tmp_path: Path, twice: str) -> None:
    """Neither the first nor the last wins in silence; the skill beside it works."""
    other = SKILL.replace('"012"', "sound")
    write_app(tmp_path, "labels", HEAD + SKILL.rstrip("\n") + "\n" + twice + other.lstrip("\n"), {"echo": ECHO_MODULE})
    catalog = load_catalog([tmp_path])
    assert list(catalog.skills) == ["labels-sound"]
    [finding] = [finding for finding in catalog.findings if finding.code == "yaml-duplicate-key"]
    assert str(finding.position.line) in finding.message
    assert finding.severity == "error"


@pytest.mark.parametrize("skills", ["", " ~", " []", " {}", " no", " 5"])
def test_a_list_of_skills_that_is_empty_or_none_at_all(tmp_path: Path, skills: str) -> None:
    """hostile C: an app without skills loads, or says what is wrong; the app beside it works."""
    write_app(tmp_path, "bare", f"name: Bare\ndescription: Nothing.\nskills:{skills}\n")
    write_app(tmp_path, "labels", HEAD + SKILL, {"echo": ECHO_MODULE})
    catalog = load_catalog([tmp_path])
    assert list(catalog.skills) == ["labels-012"]
    assert any("bare" in finding.position.file for finding in catalog.findings)
