"""The command line: what each command prints, its exit code, and what it does not import."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from service.cli import app
from tests.e2e.process import Command, Ended, make_environment, run_all
from tests.support.apps import ECHO_MODULE, skill_manifest, write_app, write_echo_app
from tests.support.readme import ROOT

PERCENT = "What is 17.5 % of 2,340?"
CALCULATE = '{"requests": [{"expression": "1/3 + 1/6"}]}'
CRASH = '{"requests": [{"query": "x"}]}'
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
    "call, a crash": Command(("call", "crashing-say", "--json", CRASH), {"apps_dirs": "crashing"}),
    "call, a crash at debug": Command(("call", "crashing-say", "--json", CRASH), {"apps_dirs": "crashing", "log_level": "debug"}),
    "call, a crash thrice": Command(("call", "flaky-say", "--json", CRASH), {"apps_dirs": "crashing"}),
    "ask in words": Command(("ask", "What", "is", "17.5", "%", "of", "2,340?")),
    "ask no words": Command(("ask",)),
    "expand": Command(("expand", "--intent", '{"disabled": ["math-*"]}')),
    "expand --json": Command(("expand", "--json", "--intent", '{"picks": ["time-now", "time-teleport"]}')),
    "expand, wrong key": Command(("expand", "--intent", '{"disable": ["math-*"]}')),
    "expand, no JSON": Command(("expand", "--intent", "{")),
    "expand, source": Command(("expand", "--source", "pigeon")),
    "lint": Command(("lint",)),
    "lint, broken": Command(("lint", "broken")),
    "lint, warning": Command(("lint", "warned")),
    "lint, nowhere": Command(("lint", "nowhere")),
    "preview": Command(("preview", "math")),
    "preview --json": Command(("preview", "time", "--json")),
    "preview, a folder": Command(("preview", "broken/cracked")),
    "preview, unknown": Command(("preview", "mth")),
    "preview, hostile": Command(("preview", "\x1b[31m")),
    "loud: preview": Command(("preview", "loud", "--json"), {"apps_dirs": "loud"}),
    "loud: expand": Command(("expand", "--json"), {"apps_dirs": "loud"}),
    "loud: ask": Command(("ask", "--json", "please say this"), {"apps_dirs": "loud"}),
    "loud: call": Command(("call", "loud-say", "--json", CRASH), {"apps_dirs": "loud"}),
    "doctor": Command(("doctor",)),
    "loud: doctor": Command(("doctor",), {"apps_dirs": "loud"}),
    "doctor, broken": Command(("doctor",), {"apps_dirs": "broken"}),
    "doctor, hostile": Command(("doctor",), {"apps_dirs": "mean"}),
    "doctor, too large to send": Command(("doctor",), {"apps_dirs": "vast", "schema_profile": "gemini"}),
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
    "no folder of the database": Command(("serve", "--port", "0"), {"database_url": "sqlite:///nowhere/x.db"}),
    "a database of nonsense": Command(("serve", "--port", "0"), {"database_url": "nonsense"}),
}  # fmt: skip


HELP = [
    (), ("serve",), ("ask",), ("call",), ("new",), ("new", "app"), ("new", "skill"), ("schema",), ("lint",), ("expand",),
    ("preview",), ("keys",), ("keys", "add"), ("keys", "list"), ("keys", "revoke"), ("doctor",),
]  # fmt: skip


def write_files(folder: Path) -> None:
    """What the commands above work on."""
    write_echo_app(folder / "broken", "cracked", "fine", "lost")
    manifest = folder / "broken" / "cracked" / "app.yml"
    head, mark, tail = manifest.read_text().rpartition("echo.EchoSkill")
    manifest.write_text(f"{head}{mark.replace('echo', 'gone')}{tail}")
    skill = {**skill_manifest("chatty", "say"), "preprocesor_hint": "A typing error."}
    write_app(folder / "warned", "chatty", {"name": "Chatty", "description": "Talks.", "skills": [skill]}, {"echo": ECHO_MODULE})
    raising = ECHO_MODULE.replace('return {"echo": request}', 'raise ValueError("the reason")')
    crashing = {"name": "Crashing", "skills": [skill_manifest("crashing", "say")]}
    write_app(folder / "crashing", "crashing", crashing, {"echo": raising})
    flaky = skill_manifest("flaky", "say", effect="read", idempotent=True)
    failing = "try: json.loads('{')\n        except ValueError as error: raise RuntimeError('the outcome') from error"
    flaky_module = "import json\n" + ECHO_MODULE.replace('return {"echo": request}', failing)
    write_app(folder / "crashing", "flaky", {"name": "Flaky", "skills": [flaky]}, {"echo": flaky_module})
    loud = "print('imported')\n" + ECHO_MODULE.replace("return", "print('executed'); return")
    loud += "    def __init__(self): print('made')\n    def available(self, secrets): print('asked'); return True\n"
    write_app(
        folder / "mean", "mean", 'skills:\n- {id: a, class_path: x.Y, tool_schema: {type: object, properties: {"\\e[31m": 5}}}\n'
    )
    sizes = {"type": "object", "properties": {"size": {"enum": [f"{'long ' * 40}{number}" for number in range(700)]}}}
    write_echo_app(folder / "vast", "vast", "say", tool_schema=sizes)
    write_app(folder / "loud", "loud", {"name": "Loud", "skills": [skill_manifest("loud", "say")]}, {"echo": loud})
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
    helps = {f"help: {' '.join(line)}": Command((*line, "--help")) for line in HELP}
    return run_all(folder, {**COMMANDS, "a port that is taken": taken, **helps})


@pytest.mark.parametrize("name", ["ask", "ask in words", "ask --trace", "ask --json", "ask --json --trace"])
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


@pytest.mark.parametrize("name", ["loud: preview", "loud: expand", "loud: ask", "loud: call", "loud: doctor"])
def test_what_apps_print_is_no_part_of_the_output(ended: dict[str, Ended], name: str) -> None:
    """When they are imported, made, asked and executed: it goes to standard error."""
    assert not {"imported", "made", "asked", "executed"} & set(ended[name].out.splitlines())
    assert "imported" in ended[name].err or "made" in ended[name].err
    if name == "loud: call":
        assert "executed" in ended[name].err
    elif name != "loud: doctor":
        assert json.loads(ended[name].out)


def test_call_prints_what_a_model_would_be_given(ended: dict[str, Ended]) -> None:
    """TOON on standard output; exit code 1 when the outcome is an error."""
    assert ended["call"].code == ended["call, repaired"].code == 0
    assert "0.5" in ended["call"].out
    assert "was read as math-calculate" in ended["call, repaired"].out
    for name in ("call, an error", "call, invalid"):
        assert ended[name].code == 1
        assert "outcome: error" in ended[name].out


def test_call_shows_its_author_what_a_skill_raised(ended: dict[str, Ended]) -> None:
    """Once, on standard error, with the lines of the app; the model's copy is clean. At debug the log comes as well."""
    plain, logged = ended["call, a crash"], ended["call, a crash at debug"]
    assert plain.code == logged.code == 1
    head, _, frame, line, reason = plain.err.splitlines()
    assert head == "crashing-say raised this:"
    assert re.search(r"crashing/skills/echo\.py.*, line \d+, in execute", frame)
    assert (line.strip(), reason) == ('raise ValueError("the reason")', "ValueError: the reason")
    assert "skill_crashed" in plain.out
    assert "skill_failed" in logged.err
    assert plain.err in logged.err
    assert "the reason" not in plain.out + logged.out


def test_call_says_how_often_a_skill_was_tried(ended: dict[str, Ended]) -> None:
    """An idempotent one is tried again; the exception is shown once, and what caused it."""
    told = ended["call, a crash thrice"]
    assert told.err.startswith("flaky-say raised this at 3 attempts:\n")
    assert told.err.count("JSONDecodeError: ") == told.err.count("RuntimeError: the outcome") == 1
    assert "decoder.py" not in told.err
    assert "skill_crashed" in told.out


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
    for part in ("settings", "base instructions", "store", "keys", "apps", "models", "retrieval"):
        assert f"ok   {part}" in ended["doctor"].out
    assert ended["doctor, hostile"].out.replace("\n", "").isprintable()
    assert "properties/\\x1b[31m" in ended["doctor, hostile"].out
    assert (
        "MEND apps: vast-say cannot be sent to the models (schemas: gemini): it takes " in ended["doctor, too large to send"].out
    )
    assert ended["doctor, too large to send"].code == 1
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


def test_preview_shows_what_models_read_and_what_it_costs(ended: dict[str, Ended]) -> None:
    """The shortlisting model's lines, the tools as they are sent, an output as TOON, the examples with their verdicts."""
    done = ended["preview"]
    lines = done.out.splitlines()
    assert done.code == 0
    assert lines[0] == "math: Math; findings: none"
    assert any(line.lstrip("0123456789 ").startswith("- math-calculate: Arithmetic") for line in lines)
    assert any(line.strip().startswith('{"type":"function","function":{"name":"math-calculate"') for line in lines)
    assert any("as TOON" in line and "as compact JSON" in line for line in lines)
    assert any("to an index without it" in line for line in lines)
    assert re.fullmatch(r"examples: \d+ of 21 rank their skill first, \d+ of 21 are above the floor", lines[-1])


def test_preview_as_json_is_the_same(ended: dict[str, Ended]) -> None:
    """One object; each example with its score and who is ahead."""
    preview = json.loads(ended["preview --json"].out)
    assert [tool["name"] for tool in preview["tools"]] == ["time-now", "time-convert", "time-difference", "time-add"]
    ranks = preview["examples"]["ranks"]
    assert preview["examples"]["first"] == sum(rank["ahead"] is None and rank["score"] > 0 for rank in ranks)
    assert all(rank["ahead_by"] > 0 for rank in ranks if rank["ahead"])


def test_preview_takes_a_folder_that_the_settings_do_not_name(ended: dict[str, Ended]) -> None:
    """With what is set aside, and ranked among the settings' skills."""
    done = ended["preview, a folder"]
    assert done.code == 0
    assert "set aside: cracked-lost" in done.out
    assert "cracked-fine: please fine this" in done.out


@pytest.mark.parametrize(("name", "words"), [("preview, unknown", "close: math"), ("preview, hostile", r"\x1b[31m")])
def test_preview_of_no_app(ended: dict[str, Ended], name: str, words: str) -> None:
    """One line with close names, exit code 2, nothing that colours a terminal."""
    done = ended[name]
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert "\x1b" not in done.err


QUICK = {"litellm", "sqlalchemy", "aiohttp", "structlog", "rich", "pint"}
LIGHT: dict[str, tuple[list[str], set[str]]] = {
    "--help": (["--help"], {"litellm", "sqlalchemy", "aiohttp", "pydantic"}),
    "lint": (["lint"], QUICK),
    "new": (["new", "skill", "math", "calculate"], QUICK),
    "schema": (["schema"], QUICK),
    "expand": (["expand"], QUICK),
    "call": (["call", "math-calculate", "--json", CALCULATE], QUICK),
    "preview": (["preview", "math"], QUICK),
    "ask": (["ask", PERCENT], {"litellm"}),
    "doctor": (["doctor"], QUICK),
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
    """Without a model no litellm; without the store no SQLAlchemy; structlog in the service only."""
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
    for group in app.registered_groups:
        assert group.typer_instance
        names += [f"{group.name} {command.name}" for command in group.typer_instance.registered_commands]
    assert set(names) == {
        "serve", "ask", "call", "new app", "new skill", "schema", "lint", "expand", "preview", "keys add", "keys list",
        "keys revoke", "doctor", "conversations list", "conversations show", "conversations export", "db upgrade",
    }  # fmt: skip
    for name in names:
        assert f"shortlist {name}" in readme
    assert "make serve" in readme


@pytest.mark.parametrize("line", HELP, ids=" ".join)
def test_help_explains_every_option(ended: dict[str, Ended], line: tuple[str, ...]) -> None:
    """Each command says what it does, each argument and option what it is for."""
    told = ended[f"help: {' '.join(line)}"]
    assert told.code == 0
    command = get_command(app)
    for name in line:
        assert isinstance(command, TyperGroup)
        command = command.commands[name]
    assert command.help
    assert not [parameter.name for parameter in command.params if not getattr(parameter, "help", None)]
    assert "..." not in told.out.partition("Commands:")[2], "a description is cut off"
