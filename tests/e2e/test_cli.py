"""The command line: what each command prints, its exit code, and what it does not import."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.cli import app
from tests.e2e.process import Command, Ended, make_environment, run_all
from tests.support.apps import ECHO_MODULE, skill_manifest, write_app, write_echo_app
from tests.support.readme import ROOT

PERCENT = "What is 17.5 % of 2,340?"
CALCULATE = '{"requests": [{"expression": "1/3 + 1/6"}]}'
NOT_THERE = {"apps_dirs": "nowhere"}
UNREACHABLE = {"main_models": "openai/main", "model_api_base": "http://127.0.0.1:1", "model_attempts": 1}

COMMANDS: dict[str, Command] = {
    "ask": Command(("ask", PERCENT)),
    "ask --trace": Command(("ask", "--trace", "Is [bold]17.5 % of 2,340[/bold] much? What is 17.5 % of 2,340?")),
    "ask --json": Command(("ask", "--json", PERCENT)),
    "ask --json --trace": Command(("ask", "--json", "--trace", PERCENT)),
    "ask without tools": Command(("ask", "--json", "--intent", "false", PERCENT)),
    "ask nothing": Command(("ask", " ")),
    "call": Command(("call", "math-calculate", "--json", CALCULATE)),
    "call, repaired": Command(("call", "math.calculate", "--json", CALCULATE)),
    "call, an error": Command(("call", "math-calculate", "--json", '{"requests": [{"expression": "1/0"}]}')),
    "call, invalid": Command(("call", "math-calculate", "--json", "{}")),
    "call, no JSON": Command(("call", "math-calculate", "--json", "{expression")),
    "call, a list": Command(("call", "math-calculate", "--json", "[]")),
    "call, unknown": Command(("call", "math-calculat", "--json", "{}")),
    "expand": Command(("expand", "--intent", '{"disabled": ["math-*"]}')),
    "expand --json": Command(("expand", "--json", "--intent", '{"picks": ["time-now", "time-teleport"]}')),
    "expand, wrong key": Command(("expand", "--intent", '{"disable": ["math-*"]}')),
    "expand, no JSON": Command(("expand", "--intent", "{")),
    "expand, source": Command(("expand", "--source", "pigeon")),
    "lint": Command(("lint",)),
    "lint, broken": Command(("lint", "broken")),
    "lint, warning": Command(("lint", "warned")),
    "lint, nowhere": Command(("lint", "nowhere")),
    "doctor": Command(("doctor",)),
    "doctor, broken": Command(("doctor",), {"apps_dirs": "broken"}),
    "doctor, everything wrong": Command(("doctor",), {**NOT_THERE, "main_models": "openai/gpt-5,gpt5x"}),
    "no apps: ask": Command(("ask", PERCENT), NOT_THERE),
    "no apps: call": Command(("call", "math-calculate"), NOT_THERE),
    "no apps: expand": Command(("expand",), NOT_THERE),
    "no apps: serve": Command(("serve", "--port", "0"), NOT_THERE),
    "no model": Command(("ask", PERCENT), UNREACHABLE),
    "a port in words": Command(("serve",), {"port": "http"}),
    "an unknown level": Command(("serve",), {"log_level": "loud"}),
    "secrets that are no JSON": Command(("serve", "--port", "0"), {"secrets": "{brave"}),
    "a time below zero": Command(("doctor",), {"skill_timeout": "-1"}),
    "no instructions": Command(("serve", "--port", "0"), {"base_instructions": "nowhere.yml"}),
    "a placeholder": Command(("serve", "--port", "0"), {"base_instructions": "placeholder.yml"}),
    "an unknown text": Command(("serve", "--port", "0"), {"base_instructions": "unknown.yml"}),
    "no folder of the database": Command(("serve", "--port", "0"), {"database_url": "sqlite+aiosqlite:///nowhere/x.db"}),
    "a database of nonsense": Command(("serve", "--port", "0"), {"database_url": "nonsense"}),
}  # fmt: skip


def write_files(folder: Path) -> None:
    """What the commands above work on."""
    write_echo_app(folder / "broken", "cracked", "fine", "lost")
    manifest = folder / "broken" / "cracked" / "app.yml"
    head, mark, tail = manifest.read_text().rpartition("echo.EchoSkill")
    manifest.write_text(f"{head}{mark.replace('echo', 'gone')}{tail}")
    skill = {**skill_manifest("chatty", "say"), "preprocesor_hint": "A typing error."}
    write_app(folder / "warned", "chatty", {"name": "Chatty", "description": "Talks.", "skills": [skill]}, {"echo": ECHO_MODULE})
    texts, mark = (ROOT / "service" / "base_instructions.yml").read_text(), "You are a helpful assistant with tools."
    (folder / "placeholder.yml").write_text(texts.replace(mark, mark + " Serve {{user}}."))
    (folder / "unknown.yml").write_text(texts + "\ngreeting: hello\n")


@pytest.fixture(scope="module")
def taken_port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        yield taken.getsockname()[1]


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory, taken_port: int) -> dict[str, Ended]:
    """All commands, run in one process."""
    folder = tmp_path_factory.mktemp("cli")
    write_files(folder)
    taken = Command(("serve", "--port", str(taken_port)), {"apps_dirs": "warned"})
    return run_all(folder, {**COMMANDS, "a port that is taken": taken})


@pytest.mark.parametrize("name", ["ask", "ask --trace", "ask --json", "ask --json --trace"])
def test_ask_answers_keyless(ended: dict[str, Ended], name: str) -> None:
    """By a stand-in that names itself."""
    done = ended[name]
    assert done.code == 0
    assert "409.5" in done.out
    assert "offline stand-in" in done.out


def test_ask_shows_each_stage(ended: dict[str, Ended]) -> None:
    """Considered, shortlisted, sent with tokens, called, returned as TOON, answered; texts are never read as markup."""
    out = ended["ask --trace"].out
    stages = (
        "message",
        "considered",
        "shortlisted by",
        "sent with about",
        "called math-calculate",
        "returned as TOON",
        "answered by",
    )
    places = [out.index(stage) for stage in stages]
    assert places == sorted(places)
    assert "[bold]17.5 % of 2,340[/bold]" in out


@pytest.mark.parametrize("name", ["ask --json", "ask --json --trace", "ask without tools"])
def test_json_is_json_alone(ended: dict[str, Ended], name: str) -> None:
    """The same object as over HTTP; with --trace the stages go to standard error."""
    answer = json.loads(ended[name].out)
    assert answer["status"] == "done"
    assert answer["trace"]["rounds"]
    assert ("returned as TOON" in ended[name].err) == ("--trace" in name)
    assert (answer["trace"]["expansion"]["available"] == []) == (name == "ask without tools")


def test_call_prints_what_a_model_would_be_given(ended: dict[str, Ended]) -> None:
    """TOON on standard output; exit code 1 when the outcome is an error."""
    assert ended["call"].code == ended["call, repaired"].code == 0
    assert "0.5" in ended["call"].out
    assert "was read as math-calculate" in ended["call, repaired"].out
    for name in ("call, an error", "call, invalid"):
        assert ended[name].code == 1
        assert "outcome: error" in ended[name].out


def test_expand_tells_what_is_available_and_why_not(ended: dict[str, Ended]) -> None:
    out = ended["expand"].out
    assert "time-now\n" in out
    assert "- math-calculate: the intent disables it" in out
    expansion = json.loads(ended["expand --json"].out)
    assert (expansion["available"], expansion["unknown"]) == (["time-now"], ["time-teleport"])


def test_lint_tells_place_and_verdict(ended: dict[str, Ended]) -> None:
    """Exit code 0 without errors, warnings or not, 1 with one, 2 when there is nothing to look at (cases 1 and 7)."""
    assert [ended[f"lint{case}"].code for case in ("", ", warning", ", broken", ", nowhere")] == [0, 0, 1, 2]
    assert "errors: 0" in ended["lint"].err
    assert "preprocessor_hint" in ended["lint, warning"].out
    [line] = [line for line in ended["lint, broken"].out.splitlines() if " error: " in line]
    assert "cracked/app.yml:" in line
    assert "gone" in line


def test_doctor_goes_on_after_what_is_broken(ended: dict[str, Ended]) -> None:
    """Missing apps hide neither a model without a provider nor one without a key."""
    told = ended["doctor, everything wrong"]
    assert told.code == 1
    assert "MEND the apps directory" in told.out
    assert "MEND models: gpt5x says no provider" in told.out
    assert "MEND models: openai/gpt-5 has no key" in told.out


def test_doctor_looks_at_every_part(ended: dict[str, Ended]) -> None:
    """A line each; exit code 1 when something must be mended."""
    assert (ended["doctor"].code, ended["doctor, broken"].code) == (0, 1)
    for part in ("settings", "base instructions", "store", "apps", "models", "retrieval"):
        assert f"ok   {part}" in ended["doctor"].out
    assert "MEND" in ended["doctor, broken"].out
    assert "cracked/app.yml:" in ended["doctor, broken"].out


MISTAKES: dict[str, tuple[int, str]] = {
    "ask nothing": (2, "empty"),
    "call, no JSON": (2, "--json"),
    "call, a list": (2, "--json"),
    "call, unknown": (2, "math-calculate"),
    "expand, wrong key": (2, "disable"),
    "expand, no JSON": (2, "--intent"),
    "expand, source": (2, "--source"),
    "lint, nowhere": (2, "nowhere"),
    "a port in words": (2, "SHORTLIST_PORT"),
    "an unknown level": (2, "SHORTLIST_LOG_LEVEL"),
    "secrets that are no JSON": (2, "SHORTLIST_SECRETS"),
    "a time below zero": (2, "SHORTLIST_SKILL_TIMEOUT"),
    **{f"no apps: {command}": (1, "nowhere") for command in ("ask", "call", "expand", "serve")},
    "no model": (1, "openai/main"),
    "no instructions": (1, "nowhere.yml"),
    "a placeholder": (1, "placeholder.yml:"),
    "an unknown text": (1, "unknown.yml:"),
    "no folder of the database": (1, "nowhere"),
    "a database of nonsense": (1, "database"),
    "a port that is taken": (1, "in use"),
}


@pytest.mark.parametrize(("name", "told"), MISTAKES.items(), ids=list(MISTAKES))
def test_a_mistake_is_one_line(ended: dict[str, Ended], name: str, told: tuple[int, str]) -> None:
    """Exit code 2 for what was typed or set, 1 for what somebody has to mend; it is named; no traceback (case 19)."""
    code, named = told
    assert ended[name].code == code
    assert not ended[name].out
    lines = [line for line in ended[name].err.splitlines() if "model_attempt_failed" not in line]
    assert len(lines) == 1
    assert named in lines[0]


LIGHT: dict[str, tuple[list[str], set[str]]] = {
    "--help": (["--help"], {"litellm", "sqlalchemy", "aiohttp", "pydantic"}),
    "lint": (["lint"], {"litellm", "sqlalchemy", "aiohttp"}),
    "expand": (["expand"], {"litellm", "sqlalchemy", "aiohttp"}),
    "call": (["call", "math-calculate", "--json", CALCULATE], {"litellm", "sqlalchemy", "aiohttp"}),
    "ask": (["ask", PERCENT], {"litellm"}),
    "doctor": (["doctor"], {"litellm"}),
}
LISTING = """
import sys
from service.cli import app
try:
    app(sys.argv[1:])
except SystemExit:
    print("\\n" + " ".join(sys.modules))
"""


@pytest.mark.parametrize(("line", "absent"), LIGHT.values(), ids=list(LIGHT))
def test_a_command_imports_no_more_than_it_needs(tmp_path: Path, line: list[str], absent: set[str]) -> None:
    """Without a model no litellm; without the store no SQLAlchemy."""
    done = subprocess.run(
        [sys.executable, "-c", LISTING, *line], cwd=tmp_path, env=make_environment(tmp_path, {}),
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    imported = set(done.stdout.splitlines()[-1].split())
    assert "typer" in imported
    assert imported.isdisjoint(absent)


def test_the_readme_shows_every_command() -> None:
    """Each verb of the command line, in a shell block."""
    readme = (ROOT / "README.md").read_text()
    names = [command.name or command.callback.__name__ for command in app.registered_commands if command.callback]
    assert set(names) == {"serve", "ask", "call", "lint", "expand", "doctor"}
    for name in names:
        assert f"shortlist {name}" in readme or name == "serve"
    assert "make serve" in readme
