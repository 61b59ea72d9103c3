"""`shortlist new`: what it makes is as good as what a person would have to hand in."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from apps.sdk.chat import Message
from apps.sdk.loader import load_catalog
from preprocessor.ranking import rank_message
from preprocessor.retrieval.lexical import LexicalIndex
from preprocessor.settings import PreprocessSettings
from tests.e2e.process import Command, Ended, make_environment, run_all
from tests.support.readme import ROOT

MADE = [
    ("greetings", "hello"),
    ("2fa", "2fa"),
    ("calendar", "class"),
    ("email", "my-skill"),
    ("import", "test_me"),
    ("calendar", "no"),
]
"""Plain ids, and ids that are keywords, numbers, words of YAML, names of the standard library and of pytest's files."""
OWN = {"apps_dirs": f"{ROOT / 'apps'},own"}
INTO = ("--directory", "own")

REFUSED: dict[str, tuple[tuple[str, ...], int, str]] = {
    "an illegal id": (("app", "My App"), 2, "my_app"),
    "a reserved id": (("app", "tool_search"), 2, "reserved"),
    "a folder that is no app": (("app", "sdk"), 2, "reserved"),
    "an app that is there": (("app", "greetings", *INTO), 2, "already"),
    "a bundled app": (("app", "math", *INTO), 2, "already"),
    "an id of control characters": (("app", "a\x1b[31m\n"), 2, "a_31m"),
    "a name that is too long": (("app", "a" * 60), 2, "66 characters"),
    "a name of control characters": (("app", "red", "--name", "\x1b[31m", *INTO), 2, "name"),
    "no such folder": (("app", "red", "--directory", "nowhere"), 2, "nowhere"),
    "a folder that takes nothing": (("app", "red", "--directory", "/proc"), 1, "/proc/red"),
    "an illegal skill": (("skill", "greetings", "Hello"), 2, "hello"),
    "a skill that is there": (("skill", "greetings", "hello"), 2, "already"),
    "a skill with the same module": (("skill", "email", "my_skill"), 2, "my-skill"),
    "no such app": (("skill", "greeting", "hello"), 2, "did you mean 'greetings'?"),
    "an app.yml with errors": (("skill", "broken", "hello"), 1, "broken/app.yml:"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Outside the repository, with a folder of apps `own`."""
    folder = tmp_path_factory.mktemp("new")
    for app_id, text in {"broken": "a: [\n", "flowing": "skills: [{ id: a }]\n"}.items():
        (folder / "own" / app_id).mkdir(parents=True)
        (folder / "own" / app_id / "app.yml").write_text(text)
    return folder


@pytest.fixture(scope="module")
def ended(folder: Path) -> Mapping[str, Ended]:
    """Everything is made, then the rest is tried."""
    seen: set[str] = set()
    commands: dict[str, Command] = {}
    for app_id, skill_id in MADE:
        line = ("skill", app_id, skill_id) if app_id in seen else ("app", app_id, "--skill", skill_id, *INTO)
        commands[f"{app_id}-{skill_id}"] = Command(("new", *line), OWN)
        seen.add(app_id)
    commands |= {name: Command(("new", *line), OWN) for name, (line, _, _) in REFUSED.items()}
    commands["flowing"] = Command(("new", "skill", "flowing", "hello"), OWN)
    commands["elsewhere"] = Command(("new", "app", "elsewhere", "--directory", "."))
    commands |= {f"lint {app_id}": Command(("lint", "--strict", f"own/{app_id}")) for app_id in seen}
    return run_all(folder, commands)


def test_it_tells_what_it_made(ended: Mapping[str, Ended]) -> None:
    """A line each."""
    assert ended["greetings-hello"].out.split("\n") == [
        "created own/greetings/app.yml",
        "created own/greetings/skills/hello.py",
        "created own/greetings/tests/test_greetings_hello.py",
        "",
    ]
    assert ended["calendar-no"].out.startswith("changed own/calendar/app.yml\ncreated ")
    assert [ended[f"{app_id}-{skill_id}"].code for app_id, skill_id in MADE] == [0] * len(MADE)


def test_it_tells_how_a_folder_elsewhere_is_used(ended: Mapping[str, Ended]) -> None:
    """Since nothing loads it yet; a folder of the settings needs nothing."""
    assert "export SHORTLIST_APPS_DIRS=" in ended["elsewhere"].err
    assert ended["greetings-hello"].err == ""


@pytest.mark.parametrize(("name", "told"), [(name, case[1:]) for name, case in REFUSED.items()], ids=list(REFUSED))
def test_what_cannot_be_is_refused_in_one_line(ended: Mapping[str, Ended], name: str, told: tuple[int, str]) -> None:
    """Exit code 2 for what was typed, 1 for what somebody has to mend; the line holds nothing that a terminal would obey."""
    code, named = told
    assert (ended[name].code, ended[name].out) == (code, "")
    [line] = ended[name].err.splitlines()
    assert named in line
    assert line.isprintable()


def test_what_was_refused_left_nothing(ended: Mapping[str, Ended], folder: Path) -> None:
    """Neither half an app nor a hidden folder."""
    assert ended
    assert {path.name for path in (folder / "own").iterdir()} == {app_id for app_id, _ in MADE} | {"broken", "flowing"}
    assert {path.name for path in folder.iterdir()} <= {"own", "ours", "elsewhere", "process.db"}


def test_where_a_person_must_help_the_text_is_given(ended: Mapping[str, Ended], folder: Path) -> None:
    """As YAML on standard output, the reason beside it; exit code 1."""
    assert ended["flowing"].code == 1
    assert "by hand" in ended["flowing"].err
    [skill] = yaml.safe_load(ended["flowing"].out)
    assert skill["class_path"] == "apps.flowing.skills.hello.HelloSkill"
    assert [path.name for path in (folder / "own" / "flowing").rglob("*")] == ["app.yml"]


def test_lint_has_nothing_to_say(ended: Mapping[str, Ended]) -> None:
    """Not even strictly, hints included."""
    for app_id, _ in MADE:
        assert (ended[f"lint {app_id}"].code, ended[f"lint {app_id}"].out) == (0, "")


def test_each_example_finds_its_skill(ended: Mapping[str, Ended], folder: Path) -> None:
    """First and above the floor, among the bundled apps and all that were made; and the stand-in can answer it."""
    assert ended
    catalog = load_catalog([ROOT / "apps", folder / "own"])
    index = LexicalIndex(catalog)
    for app_id, skill_id in MADE:
        skill = catalog.skills[f"{app_id}-{skill_id}"]
        assert len(skill.examples) == 3
        for example in skill.examples:
            best, score = next(iter(rank_message(index, [Message("user", example)], catalog.skills, 12).items()))
            assert best == skill.tool_name, example
            assert score > PreprocessSettings().floor
            assert skill.implementation.from_message(example)


def run_tool(folder: Path, *line: str) -> str:
    """What a tool of this environment prints, when it finds nothing wrong."""
    done = subprocess.run(
        [sys.executable, "-m", *line], cwd=folder, env=make_environment(folder, {}), capture_output=True, text=True, check=False,
        timeout=100,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_its_own_tests_pass_outside_the_repository(ended: Mapping[str, Ended], folder: Path) -> None:
    """With plain pytest, no settings of ours; two apps and their tests do not get into each other's way."""
    assert ended
    out = run_tool(folder, "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-W", "ignore", "own")
    assert f"{2 * len(MADE)} passed" in out


def test_it_is_written_as_we_write(ended: Mapping[str, Ended], folder: Path) -> None:
    """ruff's rules and format, with our settings, in a folder `apps` as ours is."""
    assert ended
    ours = folder / "ours"
    shutil.copytree(folder / "own", ours / "apps")
    shutil.copy(ROOT / "pyproject.toml", ours)
    run_tool(ours, "ruff", "check", "--no-cache", "--config", 'lint.isort.known-first-party = ["apps"]', ".")
    run_tool(ours, "ruff", "format", "--no-cache", "--check", ".")


def test_its_types_are_right(ended: Mapping[str, Ended], folder: Path) -> None:
    """For mypy with our settings, which are strict."""
    assert ended
    files = [str(path) for app_id, _ in MADE for path in (folder / "own" / app_id).rglob("*.py")]
    run_tool(ROOT, "mypy", "--strict", *sorted(set(files)))
