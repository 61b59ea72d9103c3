"""`shortlist lint`: which folders it takes, how it writes what it finds, and with which exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.e2e.process import Command, Ended, make_environment, run_all
from tests.support.apps import ECHO_MODULE, skill_manifest, write_app, write_echo_app
from tests.support.readme import ROOT

ODD = "b\\n\x01\udcff"
"""A backslash, a control character and a byte that is no UTF-8: nothing of it may be mistaken for a part of another path."""

HOSTILE = 'name: "a\\e[31m%,:\\u202e"\nunknown\\e: 1\n"un%,:\\nknown": 1\nskills:\n'
HOSTILE += '- {id: a, class_path: apps.mean.skills.x.Y, tool_schema: {type: object, properties: {"\\e[31m\\u202e\\n": 5}}}\n'

COMMANDS: dict[str, Command] = {
    "clean": Command(("lint", "clean")),
    "clean, json": Command(("lint", "clean", "--format", "json")),
    "warned": Command(("lint", "mixed/chatty")),
    "warned, strict": Command(("lint", "mixed/chatty", "--strict")),
    "hinted, strict": Command(("lint", "hinted", "--strict")),
    "mixed": Command(("lint", "mixed")),
    "mixed, json": Command(("lint", "mixed", "--format", "json")),
    "mixed, github": Command(("lint", "mixed", "--format", "github")),
    "two": Command(("lint", "clean", "mixed/cracked")),
    "an app twice": Command(("lint", "mixed", "mixed/cracked")),
    "from inside": Command(("lint", "mixed/cracked/../cracked/")),
    "settings": Command(("lint",), {"apps_dirs": "clean,mixed"}),
    "hostile": Command(("lint", "hostile")),
    "hostile, github": Command(("lint", "hostile", "--format", "github")),
    "hostile, json": Command(("lint", "hostile", "--format", "json")),
    "extras": Command(("lint", "extras")),
    "extras, strict": Command(("lint", "extras", "--strict")),
    "no folder": Command(("lint", "nowhere")),
    "a file": Command(("lint", "clean/calm/app.yml")),
    "no apps": Command(("lint", "empty")),
    "no name of an app": Command(("lint", "mixed/.hidden")),
    "no folder in the settings": Command(("lint",), {"apps_dirs": ""}),
    "a name that is too long": Command(("lint", "x" * 300)),
    "an odd name": Command(("lint", ODD)),
    "an odd app": Command(("lint", f"{ODD}/torn\n")),
    "marks, github": Command(("lint", "marks", "--format", "github")),
    "loud, json": Command(("lint", "loud", "--format", "json")),
    "no format": Command(("lint", "clean", "--format", "x\x1bml")),
    "one of two is missing": Command(("lint", "mixed", "nowhere")),
}


def write_folders(folder: Path) -> None:
    """What the commands above look at."""
    write_echo_app(folder / "clean", "calm", "say")
    skill = {**skill_manifest("chatty", "say"), "preprocesor_hint": "A typing error.", "follow_ups": ["calm-say", "cracked-say"]}
    write_app(folder / "mixed", "chatty", {"name": "Chatty", "skills": [skill]}, {"echo": ECHO_MODULE})
    write_echo_app(folder / "mixed", "cracked", "say", "lose", class_path="apps.cracked.skills.gone.GoneSkill")
    write_echo_app(folder / "mixed", ".hidden", "say")
    write_echo_app(folder / "hinted", "terse", "say", examples=None)
    write_echo_app(folder / "extras", "sold", "say", pricing={"fixed": 1})
    write_app(folder / "hostile", "mean", HOSTILE)
    write_app(folder / ODD, "torn\n", "skills: []\n")
    write_app(folder / ODD, "plain", "skills: 5\n")
    write_app(folder / "marks", "a:b,c%", "skills: []\n")
    loud = {"echo": f"print('imported')\n{ECHO_MODULE}    def __init__(self): print('made')\n"}
    write_app(folder / "loud", "loud", {"name": "Loud", "skills": [skill_manifest("loud", "say")]}, loud)
    (folder / "empty").mkdir()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lint")
    write_folders(folder)
    return folder


@pytest.fixture(scope="module")
def ended(folder: Path) -> Mapping[str, Ended]:
    """All commands, run in one process."""
    return run_all(folder, COMMANDS)


def test_exit_codes_tell_clean_from_broken(ended: Mapping[str, Ended]) -> None:
    """0 without errors, 1 with one; strictly, a warning is one and a hint is none."""
    names = ("clean", "warned", "warned, strict", "hinted, strict", "mixed", "settings", "extras", "extras, strict")
    assert [ended[name].code for name in names] == [0, 0, 1, 0, 1, 1, 0, 0]
    assert ended["clean"].out == ""
    assert ended["clean"].err == "errors: 0, warnings: 0, hints: 0\n"


def test_each_line_begins_with_its_position(ended: Mapping[str, Ended]) -> None:
    """`file:line:column: severity: message [code]; suggestion`, in order; the counts stand on standard error."""
    lines = ended["mixed"].out.splitlines()
    assert len(lines) == 5
    assert lines == sorted(lines, key=lambda line: (line.split(":")[0], *map(int, line.split(":")[1:3])))
    [warning] = [line for line in lines if "unknown-key" in line]
    assert warning == (
        f"mixed/chatty/app.yml:{warning.split(':')[1]}:7: warning: the key 'preprocesor_hint' is unknown and is not read "
        "[unknown-key]; did you mean 'preprocessor_hint'?"
    )
    assert ended["mixed"].err == "errors: 2, warnings: 3, hints: 0\n"


def test_one_app_is_looked_at_alone(ended: Mapping[str, Ended]) -> None:
    """Its neighbours are known, so that it may name them, and what is wrong with them is not shown."""
    assert [line.rpartition("[")[2].split("]")[0] for line in ended["warned"].out.splitlines()] == ["unknown-key"] + [
        "unknown-reference"
    ] * 2
    assert "the skill 'cracked-say' is quarantined" in ended["warned"].out
    assert {line.split(":")[0] for line in ended["two"].out.splitlines()} == {"mixed/cracked/app.yml"}
    assert ended["from inside"].out == ended["two"].out
    assert ended["an app twice"].out == ended["mixed"].out


def test_json_is_one_object(ended: Mapping[str, Ended]) -> None:
    """With every part of each finding by itself."""
    whole = json.loads(ended["mixed, json"].out)
    assert (whole["errors"], whole["warnings"], whole["hints"], len(whole["findings"])) == (2, 3, 0, 5)
    assert json.loads(ended["clean, json"].out) == {"findings": [], "errors": 0, "warnings": 0, "hints": 0}
    [found] = [finding for finding in whole["findings"] if finding["code"] == "unknown-key"]
    assert found == {
        "file": "mixed/chatty/app.yml", "line": found["line"], "column": 7, "code": "unknown-key", "severity": "warning",
        "message": "the key 'preprocesor_hint' is unknown and is not read", "suggestion": "did you mean 'preprocessor_hint'?",
    }  # fmt: skip
    text = ended["mixed"].out.splitlines()
    assert [f"{item['file']}:{item['line']}:{item['column']}" for item in whole["findings"]] == [
        line.split(": ")[0] for line in text
    ]


def test_github_is_given_workflow_commands(ended: Mapping[str, Ended]) -> None:
    """One line each, errors as errors and warnings as warnings."""
    lines = ended["mixed, github"].out.splitlines()
    assert [line.split()[0] for line in lines].count("::error") == 2
    assert [line.split()[0] for line in lines].count("::warning") == 3
    [error] = [line for line in lines if "title=unknown-key" in line]
    place = error.split("line=")[1].split(",")[0]
    assert error == (
        f"::warning file=mixed/chatty/app.yml,line={place},col=7,title=unknown-key::"
        "the key 'preprocesor_hint' is unknown and is not read; did you mean 'preprocessor_hint'?"
    )


def test_marks_of_the_workflow_commands_are_spelled_out(ended: Mapping[str, Ended]) -> None:
    """In a file's name, or GitHub would take a part of it for another property."""
    [line] = ended["marks, github"].out.splitlines()
    assert line.startswith("::error file=marks/a%3Ab%2Cc%25/app.yml,line=1,col=1,title=app-id::the folder's name 'a:b,c%25' is")


@pytest.mark.parametrize("name", ["hostile", "hostile, github", "hostile, json"])
def test_nothing_that_is_printed_moves_a_cursor(ended: Mapping[str, Ended], name: str) -> None:
    """Whatever an author writes into keys and values, and no line is added by it."""
    out = ended[name].out
    assert out.replace("\n", "").isprintable()
    if name == "hostile, github":
        assert all(line.startswith("::") for line in out.splitlines())
        assert "un%25,:" in out
    if name == "hostile":
        assert all(line.startswith("hostile/mean/app.yml:") for line in out.splitlines())


def test_odd_names_of_folders_lose_no_finding(ended: Mapping[str, Ended]) -> None:
    """What is below a folder is found to be, however its name has to be spelled out."""
    lines = ended["an odd name"].out.splitlines()
    assert {line.split(":")[0] for line in lines} == {"b\\n\\x01\\udcff/plain/app.yml", "b\\n\\x01\\udcff/torn\\n/app.yml"}
    assert ended["an odd name"].code == 1
    assert ended["an odd app"].out.splitlines() == [line for line in lines if "torn" in line]


def test_findings_are_shown_from_an_odd_working_directory(folder: Path) -> None:
    """They are named from there, so that its own name is in none of them."""
    done = lint(folder / ODD, ".")
    assert done.returncode == 1
    assert b"plain/app.yml:1:9: error: 'skills' must be a list" in done.stdout


def test_a_working_directory_that_is_gone_is_one_line(folder: Path) -> None:
    """And a path that does not need it works."""
    inside = f"import os; os.mkdir('left'); os.chdir('left'); os.rmdir('../left'); os.execv({sys.executable!r}, "
    for arguments, code in ((["../mixed"], 2), ([str(folder / "mixed")], 1)):
        line = [sys.executable, "-m", "service", "lint", *arguments]
        done = subprocess.run(
            [sys.executable, "-c", f"{inside}{line!r})"], cwd=folder, env=make_environment(folder, {}), capture_output=True,
            text=True, check=False, timeout=60,
        )  # fmt: skip
        assert (done.returncode, len(done.stderr.splitlines())) == (code, 1), done.stderr


def test_what_apps_print_is_no_part_of_the_output(ended: Mapping[str, Ended]) -> None:
    """A program reads standard output; what a module prints when it is loaded is on standard error."""
    assert json.loads(ended["loud, json"].out)["findings"] == []
    assert ended["loud, json"].err == "imported\nmade\nerrors: 0, warnings: 0, hints: 0\n"


def test_a_thread_of_an_app_does_not_hold_up_the_end(folder: Path) -> None:
    """One that waits for ever, say for a connection: the verdict is there, and the process ends."""
    waiting = "import threading\nthreading.Thread(target=threading.Event().wait).start()\n" + ECHO_MODULE
    write_app(folder / "waiting", "waiting", {"name": "W", "skills": [skill_manifest("waiting", "say")]}, {"echo": waiting})
    done = lint(folder, "waiting")
    assert (done.returncode, done.stderr) == (0, b"errors: 0, warnings: 0, hints: 0\n")


def test_standard_files_may_be_closed(folder: Path) -> None:
    """As a supervisor starts it: no other file takes their place, so the event loop starts and nothing is written into one."""
    for command in (["lint", "mixed"], ["expand"]):
        line = [sys.executable, "-m", "service", *command]
        closing = f"import os; os.closerange(0, 3); os.execv({sys.executable!r}, {line!r})"
        done = subprocess.run(
            [sys.executable, "-c", closing], cwd=folder, env=make_environment(folder, {}), check=False, timeout=60
        )
        assert done.returncode == (1 if "lint" in command else 0)


def test_extras_are_shown_when_asked_for(ended: Mapping[str, Ended]) -> None:
    """What nobody here reads but others may: `--strict` lists it, and it is no fault."""
    assert ended["extras"].out == ""
    assert "pricing" in ended["extras, strict"].out
    assert ended["extras, strict"].err == "errors: 0, warnings: 0, hints: 0\n"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("no folder", "nowhere: there is no such folder"),
        ("one of two is missing", "nowhere: there is no such folder"),
        ("a file", "clean/calm/app.yml is a file"),
        ("a name that is too long", "File name too long"),
        ("no apps", "empty holds no apps"),
        ("no name of an app", "rename it"),
        ("no folder in the settings", "SHORTLIST_APPS_DIRS"),
        ("no format", "--format: one of text, json, github, not x\\x1bml"),
    ],
)
def test_a_wrong_call_is_one_line(ended: Mapping[str, Ended], name: str, told: str) -> None:
    """Exit code 2, and nothing on standard output."""
    assert (ended[name].code, ended[name].out) == (2, "")
    [line] = ended[name].err.splitlines()
    assert told in line


def lint(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """The command as a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "service", "lint", *arguments], cwd=folder, env=make_environment(folder, {}) | environment,
        capture_output=True, check=False, timeout=60,
    )  # fmt: skip


@pytest.mark.parametrize("output_format", ["text", "json"])
def test_the_same_bytes_come_out_of_any_process(folder: Path, output_format: str) -> None:
    """Under another hash seed, in another locale."""
    arguments = ("mixed", "hostile", "--format", output_format)
    first = lint(folder, *arguments, PYTHONHASHSEED="1")
    second = lint(folder, *arguments, PYTHONHASHSEED="2", LC_ALL="C", PYTHONIOENCODING="ascii")
    assert first.stdout
    assert (first.stdout, first.returncode) == (second.stdout, second.returncode)


@pytest.mark.parametrize("output_format", ["text", "json", "github"])
def test_a_reader_that_leaves_is_no_failure(folder: Path, output_format: str) -> None:
    """As `| head -1` does: the exit code is the verdict, and there is no traceback."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe:
        done = subprocess.run(
            [sys.executable, "-m", "service", "lint", "mixed", "--format", output_format], cwd=folder,
            env=make_environment(folder, {}), stdout=pipe, stderr=subprocess.PIPE, text=True, check=False, timeout=60,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (1, "errors: 2, warnings: 3, hints: 0\n")


def test_what_a_terminal_cannot_show_is_spelled_out(folder: Path) -> None:
    """A name in letters that its encoding lacks."""
    write_app(folder / "foreign", "gruss", "schlüssel: 1\nskills: []\n")
    done = lint(folder, "foreign", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert b"schl\\xfcssel" in done.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_told(folder: Path) -> None:
    """In one line, exit code 1."""
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "service", "lint", "mixed"], cwd=folder, env=make_environment(folder, {}),
            stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=60,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (1, "standard output: No space left on device\n")


def test_the_bundled_apps_are_clean() -> None:
    """Strictly."""
    done = lint(ROOT, "--strict")
    assert (done.returncode, done.stdout) == (0, b""), done.stdout.decode()
