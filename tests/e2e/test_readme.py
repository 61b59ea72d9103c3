"""The README, word for word: each command is run, each thing that it names is there."""

from __future__ import annotations

import asyncio
import json
import re
import shlex
from pathlib import Path
from typing import get_args
from urllib.parse import urlsplit

import pytest

from apps.sdk.loader import load_catalog
from apps.sdk.names import fold_name
from service.http.openapi import describe_service
from service.http.routes import ROUTES
from service.settings import Settings
from service.turns.events import EventName
from tests.e2e.process import Command, Ended, run_all
from tests.support.readme import ROOT, read_commands
from tests.support.running import Running, make_settings, run_shortlist

README = (ROOT / "README.md").read_text()
COMMANDS = read_commands()
SHORTLIST = [command for command in COMMANDS if command.startswith("shortlist ")]
CURL = [command for command in COMMANDS if command.startswith("curl ")]
KEPT = [command for command in CURL if "conversation" in command]
"""Those of one conversation, in their order."""


def test_each_command_is_one_that_is_tried_here() -> None:
    """No command of the README escapes these tests."""
    others = [command for command in COMMANDS if command not in SHORTLIST and command not in CURL]
    assert SHORTLIST
    assert CURL
    assert {command.split()[0] for command in others} == {"make", "export"}


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ended]:
    """The `shortlist` commands, run."""
    lines = {command: Command(tuple(shlex.split(command)[1:])) for command in SHORTLIST}
    return run_all(tmp_path_factory.mktemp("readme"), lines)


@pytest.mark.parametrize("command", SHORTLIST)
def test_a_shortlist_command_does_what_is_said(ended: dict[str, Ended], command: str) -> None:
    """Exit code 0 and something on standard output, or nothing to say."""
    assert ended[command].code == 0, ended[command].err
    assert ended[command].out or command == "shortlist lint"


async def send(running: Running, command: str) -> tuple[int, str]:
    """What curl would send, to the running service."""
    words = iter(shlex.split(command)[1:])
    url, method, body, headers = "", None, None, {}
    for word in words:
        match word:
            case "-s" | "-N":
                continue
            case "-H":
                name, _, value = next(words).partition(": ")
                headers[name] = value
            case "-d":
                body = next(words)
            case "-X":
                method = next(words)
            case _:
                assert word.startswith("http"), f"this test does not know curl's option {word}"
                url = word
    here = running.url + urlsplit(url).path
    method = method or ("GET" if body is None else "POST")
    async with running.client.request(method, here, data=body, headers=headers) as response:
        return response.status, await response.text()


SAID = {"/v1/turns": "42.1648128", "/v1/expand": "the intent disables it", "/v1/execute": "409.5"}
"""What the answer to each path's command must hold."""


@pytest.mark.parametrize("command", [command for command in CURL if command not in KEPT])
async def test_a_curl_command_does_what_is_said(tmp_path: Path, command: str) -> None:
    """Against a running service with the bundled apps; its address is that of the settings' defaults."""
    defaults = Settings.model_fields
    assert f"http://{defaults['host'].default}:{defaults['port'].default}/" in command
    async with run_shortlist(make_settings(tmp_path)) as running:
        status, text = await send(running, command)
    assert status == 200, text
    (said,) = (text for path, text in SAID.items() if path in command)
    assert said in text


async def test_the_conversation_goes_as_it_is_said(tmp_path: Path) -> None:
    """Made, spoken in, changed, read: each with the id that the first one gave."""
    async with run_shortlist(make_settings(tmp_path)) as running:
        status, made = await send(running, KEPT[0])
        assert status == 201
        answers = [await send(running, command.replace("$id", json.loads(made)["id"])) for command in KEPT[1:]]
    assert [status for status, _ in answers] == [200] * 3
    spoken, changed, read = [json.loads(text) for _, text in answers]
    assert "42.1648128" in spoken["answer"]["content"]
    assert changed["intent"] == {"enabled": False, "disabled": ["notes-*"]}
    assert [message["role"] for message in read["messages"]] == ["user", "assistant", "tool", "assistant"]


@pytest.mark.parametrize("command", [command for command in COMMANDS if command.startswith("make ")])
def test_a_make_target_is_there(command: str) -> None:
    """They set up the environment that runs these tests: here it is enough that they exist."""
    target = next(word for word in shlex.split(command)[1:] if "=" not in word)
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)


def test_each_setting_is_there() -> None:
    """Every SHORTLIST_ name of the README is a field of the settings."""
    named = set(re.findall(r"SHORTLIST_([A-Z_]+)", README))
    assert named
    assert {name.split("__")[0] for name in named} <= {name.upper() for name in Settings.model_fields}


def test_each_credential_is_that_of_a_provider() -> None:
    """Every SHORTLIST_SECRETS__ name of the README is asked for by a bundled skill, and the table names every bundled skill."""
    skills = load_catalog((ROOT / "apps",)).skills.values()
    named = set(re.findall(r"SHORTLIST_SECRETS__([A-Z_]+)", README))
    assert {fold_name(name) for name in named} == {fold_name(item.name) for skill in skills for item in skill.providers}
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \|", README.partition("## The bundled apps")[2].partition("##")[0], re.MULTILINE)
    assert {f"{app}-{name}" for app, text in rows for name in re.findall(r"`(\w+)`", text.split(";")[0])} == {
        skill.tool_name for skill in skills
    }


def test_each_header_is_there() -> None:
    """What the table names is described, as a parameter or as a way to come in, or is an id that every response carries."""
    table = README[README.index("| header |") :].split("\n\n")[0]
    described = {
        item["name"]
        for path in describe_service(ROUTES)["paths"].values()
        for op in path.values()
        for item in op["parameters"]
        if item["in"] == "header"
    }
    assert set(re.findall(r"`([A-Za-z-]+)`", table)) == described | {"Authorization", "X-Request-ID", "traceparent"}


def test_each_event_is_there() -> None:
    """The stream's events, all of them."""
    assert set(re.findall(r"`((?:turn|tool|text)\.\w+|preselection|usage|error)`", README)) == set(get_args(EventName))


def test_each_endpoint_is_there() -> None:
    """Every path that the README names is a route."""
    paths = {route.path for route in ROUTES}
    named = set(re.findall(r"(?<![\w.:/])(/(?:v1|health|docs|metrics|openapi)[\w./{}-]*)", README))
    assert named
    assert {name.rstrip(".") for name in named} <= paths


async def test_each_intent_does_what_is_said(tmp_path: Path) -> None:
    """None, not these, only these, a preset."""
    intents = [json.loads(text) for text in re.findall(r"`(\{\"(?:enabled|disabled|picks|toolset)\".*?\})`", README)]
    async with run_shortlist(make_settings(tmp_path)) as running:
        answers = await asyncio.gather(*(running.post("/v1/expand", {"intent": intent}) for intent in intents))
    none, without, only, preset = [answer["available"] for _, answer in answers]
    assert none == []
    assert without
    assert not any(name.startswith("math-") for name in without)
    assert only == ["time-now"]
    assert {name.partition("-")[0] for name in preset} == {"web", "weather"}
