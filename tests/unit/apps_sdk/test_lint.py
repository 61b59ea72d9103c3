from pathlib import Path

import pytest

from apps.sdk.findings import Finding
from apps.sdk.jsontypes import Json
from apps.sdk.loader import load_catalog
from tests.support.apps import ECHO_MODULE, skill_manifest, write_app, write_echo_app


def lint(directory: Path, code: str) -> list[Finding]:
    return [finding for finding in load_catalog([directory]).findings if finding.code == code]


def test_a_complete_app_has_no_findings(tmp_path: Path) -> None:
    write_echo_app(tmp_path, "one", "a", "b")
    assert load_catalog([tmp_path]).findings == ()


def test_findings_come_in_order(tmp_path: Path) -> None:
    """case 1: the catalog's findings, which lint, the API and readiness show, are sorted by their place."""
    write_app(tmp_path, "two", "skills: [{id: a}]\n")
    write_echo_app(tmp_path, "one", "a", examples=None, follow_ups=["gone"])
    findings = load_catalog([tmp_path]).findings
    assert [finding.position for finding in findings] == sorted(finding.position for finding in findings)
    assert len(findings) == 3


def test_a_finding_reads_as_file_line_column(tmp_path: Path) -> None:
    folder = write_app(tmp_path, "one", "skills:\n- id: a b\n")
    assert str(load_catalog([tmp_path]).findings[0]).startswith(f"{folder / 'app.yml'}:2:7: error: 'a b' is no legal id")


def test_examples_are_asked_for(tmp_path: Path) -> None:
    write_echo_app(tmp_path, "one", "a", examples=None)
    (finding,) = lint(tmp_path, "no-examples")
    assert finding.severity == "hint"


def test_excluded_fields_must_be_in_the_example(tmp_path: Path) -> None:
    """case 36: a path that `output_example` does not have is a warning at its place, with the path that was meant."""
    example = {"results": [{"hash": "x", "meta_url": {"favicon": "f"}}]}
    paths = ["results.hash", "results.*.hash", "results.meta_url.favicn"]
    write_echo_app(tmp_path, "one", "a", exclude_fields_for_llm=paths, output_example=example)
    (finding,) = lint(tmp_path, "exclude-path")
    assert (finding.severity, finding.suggestion) == ("warning", "did you mean 'results.meta_url.favicon'?")
    assert "favicn" in finding.message


def test_lint_knows_the_paths_that_the_executor_knows(tmp_path: Path) -> None:
    """case 36: a list's index hides nothing, so it is a warning; a key that holds a dot is hidden, so it is none."""
    example = {"results": [{"thumb": "t"}], "a.b": 1}
    write_echo_app(tmp_path, "one", "a", exclude_fields_for_llm=["results.0.thumb", "a.b"], output_example=example)
    (finding,) = lint(tmp_path, "exclude-path")
    assert "results.0.thumb" in finding.message


@pytest.mark.timeout(20)
def test_a_path_of_many_stars_does_not_hang_a_load(tmp_path: Path) -> None:
    """A path of stars through nested lists is walked once for each field, not once for each way to read it."""
    example: Json = {"a": 1}
    for _ in range(40):
        example = [example]
    write_echo_app(tmp_path, "one", "a", exclude_fields_for_llm=["*." * 60 + "gone"], output_example={"x": example})
    assert len(lint(tmp_path, "exclude-path")) == 1


def test_excluded_fields_without_an_example_are_believed(tmp_path: Path) -> None:
    write_echo_app(tmp_path, "one", "a", exclude_fields_for_llm=["x"])
    assert lint(tmp_path, "exclude-path") == []


def test_names_of_others_must_exist(tmp_path: Path) -> None:
    """Follow-ups and a focus mode's skills and apps that are not in the catalog are warnings that say what was meant."""
    manifest = {
        "skills": [skill_manifest("one", "a", follow_ups=["one-b", "one_a", "two-a"]), {"id": "b"}],
        "focus_modes": [
            {
                "id": "m", "description": "d", "system_prompt": "p",
                "allowed_skills": ["one:a", "one-a", "one:*", "gone:*", "one:gone"],
                "denied_skills": ["two:a"], "allowed_apps": ["one", "three"],
            }
        ],
    }  # fmt: skip
    write_app(tmp_path, "one", manifest, {"echo": ECHO_MODULE})
    write_echo_app(tmp_path, "two", "a")
    findings = lint(tmp_path, "unknown-reference")
    assert {finding.severity for finding in findings} == {"warning"}
    assert [finding.message for finding in findings] == [
        "the skill 'one-b' is quarantined",
        "there is no skill 'one_a'",
        "there is no app 'gone'",
        "there is no skill 'one:gone'",
        "there is no app 'three'",
    ]
    assert findings[1].suggestion == "did you mean 'one-a'?"


def test_long_texts_are_hinted(tmp_path: Path) -> None:
    write_echo_app(tmp_path, "one", "a", description="d" * 1025, preprocessor_hint="h" * 301)
    assert len(lint(tmp_path, "text-length")) == 2


def test_characters_that_nobody_sees_are_a_warning(tmp_path: Path) -> None:
    """In every text for a model, at its place; joiners that a script needs, emoji and line breaks are none."""
    schema = {"type": "object", "properties": {"a": {"type": "string", "description": "what\x1f", "title": "fine"}}}
    skill = skill_manifest(
        "one", "a", name="A\x1b[31m", description="is\u200bit", preprocessor_hint="\U000e0041", examples=["yes", "n\u2066o"],
        tool_schema=schema,
    )  # fmt: skip
    fine = skill_manifest(
        "one",
        "b",
        description="می\u200cخواهم 👩\u200d👩\u200d👧 🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f\n\tx",
    )
    mode = {"id": "m", "description": "m", "system_prompt": "Be\u202e kind."}
    memory = {"id": "k", "type": "single", "description": "k\ufeff", "schema": {"properties": {"a": {"description": "\u2060"}}}}
    manifest = {"skills": [skill, fine], "focus_modes": [mode], "settings_and_memories": [memory]}
    write_app(tmp_path, "one", manifest, {"echo": ECHO_MODULE})
    assert sorted(finding.message for finding in lint(tmp_path, "text-hidden")) == [
        "'description' holds U+200B, which nobody sees",
        "'description' holds U+FEFF, which nobody sees",
        "'examples.1' holds U+2066, which nobody sees",
        "'name' holds U+001B, which nobody sees",
        "'preprocessor_hint' holds U+E0041, which nobody sees",
        "'schema.properties.a.description' holds U+2060, which nobody sees",
        "'system_prompt' holds U+202E, which nobody sees",
        "'tool_schema.properties.a.description' holds U+001F, which nobody sees",
    ]


def test_a_skill_without_any_description_is_a_warning(tmp_path: Path) -> None:
    write_echo_app(tmp_path, "one", "a", description=None, preprocessor_hint=None)
    (finding,) = lint(tmp_path, "no-description")
    assert finding.severity == "warning"


def test_names_that_differ_only_in_separators_are_a_warning(tmp_path: Path) -> None:
    """`get-user` beside `get_user`: both work, but a misspelt call to either cannot be repaired."""
    write_echo_app(tmp_path, "one", "get-user", "get_user")
    (finding,) = lint(tmp_path, "similar-names")
    assert "'one-get-user'" in finding.message
    assert len(load_catalog([tmp_path]).skills) == 2


def test_the_same_example_with_two_skills_is_a_hint(tmp_path: Path) -> None:
    """Whatever its case and blanks; one skill may repeat itself."""
    write_echo_app(tmp_path, "one", "a", examples=["Find  it", "find it"])
    write_echo_app(tmp_path, "two", "b", examples=["other", "find IT "])
    (finding,) = lint(tmp_path, "same-example")
    assert (finding.severity, "'one-a'" in finding.message) == ("hint", True)
    assert finding.position.file.endswith(str(Path("two", "app.yml")))


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
    findings = lint(tmp_path, "focus-without-skills")
    assert [finding.severity for finding in findings] == ["warning"] * is_empty


def test_descriptions_that_are_elsewhere_are_one_warning(tmp_path: Path) -> None:
    """An app with translation keys and no texts is told so once, not once for each item."""
    memories = [{"id": key, "description_translation_key": key} for key in ("a", "b")]
    write_app(tmp_path, "one", {"memory": [*memories, {"id": "c"}]})
    (finding,) = lint(tmp_path, "no-texts")
    assert (finding.severity, "(2 of them)" in finding.message) == ("warning", True)
    assert len(lint(tmp_path, "no-description")) == 1
