from pathlib import Path

from tests.support.apps import ECHO_MODULE, skill_manifest, write_app, write_echo_app
from tests.support.loading import list_findings


def test_names_of_others_must_exist(tmp_path: Path) -> None:
    """Follow-ups and a focus mode's skills and apps that are not in the catalog are warnings that say what was meant."""
    manifest = {
        "skills": [skill_manifest("one", "a", follow_ups=["one-b", "one_a", "two-a"]), {"id": "b"}],
        "focus_modes": [
            {
                "id": "m", "description": "d", "system_prompt": "p",
                "allowed_skills": ["one:a", "one-a", "one:*", "gone:*", "one:gone", "one:b", "*-a"],
                "denied_skills": ["two:a", "wbe-*"], "allowed_apps": ["one", "three"],
            }
        ],
    }  # fmt: skip
    write_app(tmp_path, "one", manifest, {"echo": ECHO_MODULE})
    write_echo_app(tmp_path, "two", "a")
    findings = list_findings(tmp_path, "unknown-reference")
    assert {finding.severity for finding in findings} == {"warning"}
    assert [finding.message for finding in findings] == [
        "the skill 'one-b' is quarantined",
        "there is no skill 'one_a'",
        "there is no app 'gone'",
        "there is no skill 'one:gone'",
        "the skill 'one:b' is quarantined",
        "there is no skill like 'wbe-*'",
        "there is no app 'three'",
    ]
    assert findings[1].suggestion == "did you mean 'one-a'?"
