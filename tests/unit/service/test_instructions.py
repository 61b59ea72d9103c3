"""The instructions file: the one that ships, and every way to get one wrong."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from apps.sdk.manifest.yaml_source import MAX_BYTES
from apps.sdk.schemas.parameters import compile_validator
from preprocessor.prompt import FIELDS
from service.instructions import InstructionsError, load_instructions
from service.settings import ROOT

SHIPPED = ROOT / "service" / "base_instructions.yml"


def write(folder: Path, old: str, new: str) -> Path:
    """The shipped file with one change."""
    text = SHIPPED.read_text(encoding="utf-8")
    assert old in text
    path = folder / "instructions.yml"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return path


def test_the_shipped_file_is_complete() -> None:
    """Case 19: every text is there and none holds a placeholder; every field of the call has its description."""
    texts = load_instructions(SHIPPED)
    assert texts.turn.system.startswith("You are")
    assert set(texts.preselection.fields) == set(FIELDS)
    assert texts.preselection.function == "shortlist"
    assert texts.preselection.extra["complexity"]["enum"] == ["simple", "complex"]
    assert "offline stand-in" in texts.offline.intro


def test_a_list_is_short_for_an_enum(tmp_path: Path) -> None:
    """Case 21: `mood: [good, bad]` declares an extra field with these two values."""
    texts = load_instructions(write(tmp_path, "  extra:\n", "  extra:\n    mood: [good, bad]\n"))
    assert texts.preselection.extra["mood"] == {"type": "string", "enum": ["good", "bad"]}


def test_an_extra_field_may_be_spelled_as_in_an_older_draft(tmp_path: Path) -> None:
    """It is upgraded where it is loaded, as a skill's schema is: models and the check of their answers read one draft."""
    texts = load_instructions(write(tmp_path, "  extra:\n", "  extra:\n    mood: {type: string, nullable: true}\n"))
    assert compile_validator(texts.preselection.extra["mood"]).is_valid(None)


@pytest.mark.parametrize(
    "placeholder", ["{name}", "{{ user }}", "${DATE}", "%(app)s", "[[today]]", "<YOUR_NAME>", "<TODO: write>"]
)
def test_an_unfilled_placeholder_is_an_error(tmp_path: Path, placeholder: str) -> None:
    """Case 19: in whatever notation, the error names file, line, field and the placeholder."""
    path = write(tmp_path, "Results:", f"Results of {placeholder}:")
    with pytest.raises(InstructionsError) as caught:
        load_instructions(path)
    problem = str(caught.value)
    line = next(number for number, text in enumerate(path.read_text().splitlines(), 1) if placeholder in text)
    assert problem.startswith(f"{path}:{line}:")
    assert "offline.results_intro" in problem
    assert placeholder in problem


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("  last_call:", "  last_cal:", "turn.last_call"),
        ("  last_call:", "  last_cal:", "turn.last_cal:"),
        ("deadline: The time for this message ran out before an answer was ready.", "deadline: 5", "answers.deadline"),
        ("deadline: The time for this message ran out before an answer was ready.", 'deadline: ""', "answers.deadline"),
        ("name: shortlist", "name: short list", "preselection.function.name"),
        ("    language:\n", "    needs:\n", "needs is a field of the function already"),
        ("enum: [simple, complex]", "enum: simple", "complexity is no JSON Schema"),
        ("  extra:\n", "  extra:\n    mood: good\n", "preselection.extra.mood"),
        ("answers:", "turn:", "turn"),
        ("answers:", "answers: [", "instructions.yml:"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, old: str, new: str, named: str) -> None:
    """Missing, unknown, wrong or doubled: the error says where and what."""
    with pytest.raises(InstructionsError, match=r"instructions\.yml:\d+:\d+") as caught:
        load_instructions(write(tmp_path, old, new))
    assert named in str(caught.value)


def test_all_problems_are_told_at_once(tmp_path: Path) -> None:
    """Two mistakes are two lines."""
    with pytest.raises(InstructionsError) as caught:
        load_instructions(write(tmp_path, "  last_call:", "  last_cal:"))
    assert len(caught.value.problems) == 2


@pytest.mark.parametrize("content", [b"", b"[]", b"\xff\xfe\x00", b"just text"])
def test_a_file_that_says_nothing_is_an_error(tmp_path: Path, content: bytes) -> None:
    """Empty, a list, no text at all: an error that names the file."""
    path = tmp_path / "instructions.yml"
    path.write_bytes(content)
    with pytest.raises(InstructionsError, match=r"instructions\.yml"):
        load_instructions(path)


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    """A missing file, a folder or a pipe, at which reading would wait for ever, is an error that names it and says why."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reasons = {tmp_path / "none.yml": "No such file", tmp_path: "no regular file", pipe: "no regular file"}
    for path, reason in reasons.items():
        with pytest.raises(InstructionsError, match=f"{path}.*{reason}"):
            load_instructions(path)


def test_a_file_without_end_is_an_error(tmp_path: Path) -> None:
    """No more than a limit is read of it."""
    path = tmp_path / "instructions.yml"
    with path.open("wb") as file:
        file.truncate(10 * MAX_BYTES)
    with pytest.raises(InstructionsError, match="larger than"):
        load_instructions(path)
