from pathlib import Path

import pytest

from apps.sdk.jsontypes import Json
from tests.support.apps import ECHO_MODULE, skill_manifest, write_app
from tests.support.loading import list_findings


@pytest.mark.parametrize(
    ("limits", "is_empty"),
    [
        ({"allowed_skills": ["one:gone", "two:*"]}, True),
        ({"allowed_skills": ["one:*"], "denied_skills": ["one-a", "one:b"]}, True),
        ({"allowed_skills": ["one:a"], "allowed_apps": ["two"]}, True),
        ({"allowed_apps": ["two"]}, True),
        ({"allowed_skills": ["one:a"]}, False),
        ({"allowed_skills": ["*-b"]}, False),
        ({"allowed_skills": ["one-*"], "denied_skills": ["one:a"]}, False),
        ({"allowed_skills": []}, False),
        ({"denied_skills": ["one:*"]}, False),
        ({}, False),
    ],
)
def test_a_focus_mode_whose_limits_leave_nothing_is_a_warning(tmp_path: Path, limits: dict[str, Json], is_empty: bool) -> None:
    """A list that is meant to be empty is believed; names of skills that are not there are not."""
    mode = {"id": "m", "description": "d", "system_prompt": "p", **limits}
    skills = [skill_manifest("one", "a"), skill_manifest("one", "b")]
    write_app(tmp_path, "one", {"skills": skills, "focus_modes": [mode]}, {"echo": ECHO_MODULE})
    findings = list_findings(tmp_path, "focus-without-skills")
    assert [finding.severity for finding in findings] == ["warning"] * is_empty
