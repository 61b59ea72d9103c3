"""hostile I, the authors' ids of A, the empty list of C: what is written is what a model is shown, or has a place in findings."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest
import yaml

from apps.sdk.loader import load_catalog
from apps.sdk.manifest.yaml_source import parse_source
from tests.support.apps import ECHO_MODULE, write_app, write_echo_app

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


WORDS = (
    "y",
    "n",
    "yes",
    "no",
    "on",
    "off",
    "true",
    "false",
    "null",
    "nan",
    ".nan",
    ".inf",
    "-.inf",
    "+.inf",
    "inf",
    "none",
    "=",
    "<<",
)
SHORT = ("".join(letters) for length in (1, 2, 3, 4) for letters in itertools.product("018-+._:xe", repeat=length))
NUMBERS = ("12:30", "1:30:00", "190:20:30.15", "1_000", "0b101", "0o17", "0x1F", "1.10", "2020-01-02", "2001-12-14T21:59:43Z")
SPELLINGS = [*(spell(word) for word in WORDS for spell in (str.lower, str.capitalize, str.upper)), *SHORT, *NUMBERS]
EXPONENT = re.compile(r"-?[0-9]+(\.[0-9]+)?[eE][-+]?[0-9]+")
"""A number to YAML 1.2 and to JSON; YAML 1.1 asks for a point and a sign in it as well."""


def test_what_another_loader_reads_otherwise_stays_text_and_is_hinted() -> None:
    """PyYAML, a YAML 1.1 reader, makes booleans, dates and numbers in base 8 and 60 of what an author meant as text."""
    plain = [text for text in dict.fromkeys(SPELLINGS) if is_one_scalar(text)]
    document = parse_source("".join(f"- {text}\n" for text in plain).encode(), "app.yml")
    assert isinstance(document.data, list)
    hinted = {finding.position.line for finding in document.findings if finding.code == "yaml-ambiguous"}
    differ = 0
    for line, (text, ours) in enumerate(zip(plain, document.data, strict=True), 1):
        try:
            [theirs] = yaml.safe_load(f"- {text}")
        except (ValueError, yaml.YAMLError):  # refused out loud
            continue
        if (type(ours), ours) != (type(theirs), theirs) and not EXPONENT.fullmatch(text):
            differ += 1
            assert (ours, line in hinted) == (text, True), text
    assert differ > 500


def is_one_scalar(text: str) -> bool:
    """Whether the text, unquoted, is a scalar to YAML and not a list, a mapping or nothing it can read."""
    try:
        document = yaml.compose(f"- {text}")
    except yaml.YAMLError:
        return False
    return isinstance(document, yaml.SequenceNode) and isinstance(document.value[0], yaml.ScalarNode)


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


NAMES = """
skills:
  - id: good
    description: It works.
    class_path: apps.labels.skills.echo.EchoSkill
    tool_schema: &any {type: object, properties: {}}
  - description: It does not.
    class_path: apps.labels.skills.echo.EchoSkill
    tool_schema: *any
    id: {skill_id}
"""


@pytest.mark.parametrize(
    ("skill_id", "suggestion"),
    [
        ("Dockerfile problems scanner", "write 'dockerfile_problems_scanner'"),
        ("restartNode.jsApplication", "write 'restart_node_js_application'"),
        ("calendar.respondToEvent", "write 'calendar_respond_to_event'"),
        ("gmail.send", "write 'gmail_send'"),
        ("DELETE_/loadpoints/{id}/plan", "write 'delete__loadpoints_id_plan'"),
        ("app/skill", "write 'app_skill'"),
        ("labels-" + "s" * 60, "shorten the id here or the app's"),
    ],
)
def test_an_id_that_no_provider_takes_is_an_error_where_it_stands(tmp_path: Path, skill_id: str, suggestion: str) -> None:
    """hostile A: file, line and column of the id, what to write instead, and the skills beside it work."""
    text = NAMES.replace("{skill_id}", f'"{skill_id}"')
    write_app(tmp_path, "labels", text, {"echo": ECHO_MODULE})
    catalog = load_catalog([tmp_path])
    assert list(catalog.skills) == ["labels-good"]
    [finding] = [finding for finding in catalog.findings if finding.severity == "error"]
    assert (finding.position.line, finding.position.column) == (10, 9)
    assert finding.position.file.endswith("app.yml")
    assert finding.suggestion == suggestion
    [quarantined] = catalog.quarantined
    assert quarantined.position == finding.position


def test_one_dot_among_two_hundred_good_names_costs_one_skill(tmp_path: Path) -> None:
    """hostile A: `restartNode.jsApplication` among 200: 200 are there, none is renamed, dropped or moved."""
    good = [f"skill_{number}" for number in range(200)]
    write_echo_app(tmp_path, "one", *good[:100], "restartNode.jsApplication", *good[100:])
    catalog = load_catalog([tmp_path])
    assert list(catalog.skills) == [f"one-{skill_id}" for skill_id in good]
    assert [item.id for item in catalog.quarantined] == ["one-restartNode.jsApplication"]


def test_the_dotted_twin_of_a_skill_is_set_aside_and_not_taken_for_it(tmp_path: Path) -> None:
    """hostile A: `get.user` beside `get_user`: the second stays what it is, the first is an error with its place."""
    write_echo_app(tmp_path, "one", "get.user", "get_user")
    catalog = load_catalog([tmp_path])
    assert list(catalog.skills) == ["one-get_user"]
    assert catalog.skills["one-get_user"].description == "What get_user of one is for."
    assert [item.id for item in catalog.quarantined] == ["one-get.user"]


def test_skills_that_differ_only_behind_the_limit_are_both_refused(tmp_path: Path) -> None:
    """hostile A: 40 + 40 characters, twice: nothing is cut, so nothing becomes alike; each is an error where it stands."""
    app_id, long = "a" * 40, "s" * 40
    write_echo_app(tmp_path, app_id, f"{long}_read", f"{long}_write", "short")
    catalog = load_catalog([tmp_path])
    assert list(catalog.skills) == [f"{app_id}-short"]
    findings = [finding for finding in catalog.findings if finding.severity == "error"]
    assert [finding.code for finding in findings] == ["tool-name-length"] * 2
    assert len({finding.position.line for finding in findings}) == 2


def test_the_second_skill_of_an_id_does_not_replace_the_first(tmp_path: Path) -> None:
    """hostile A: the finding stands at the second one and names the first one's line."""
    text = NAMES.replace("{skill_id}", "good")
    write_app(tmp_path, "labels", text, {"echo": ECHO_MODULE})
    catalog = load_catalog([tmp_path])
    assert catalog.skills["labels-good"].description == "It works."
    [finding] = [finding for finding in catalog.findings if finding.severity == "error"]
    assert (finding.code, finding.position.line) == ("item-duplicate", 10)
    assert "line 3" in finding.message


def test_one_app_mounted_twice_is_two_apps(tmp_path: Path) -> None:
    """hostile A: the same skills for staging and production are there twice, under names of their own."""
    for app_id in ("db_production", "db_staging"):
        write_echo_app(tmp_path, app_id, "execute_sql", "list_tables")
    catalog = load_catalog([tmp_path])
    assert list(catalog.skills) == [
        "db_production-execute_sql",
        "db_production-list_tables",
        "db_staging-execute_sql",
        "db_staging-list_tables",
    ]
    assert not [finding for finding in catalog.findings if finding.severity == "error"]
