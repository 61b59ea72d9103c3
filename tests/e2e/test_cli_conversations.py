"""`shortlist ask --conversation`, `shortlist conversations` and `shortlist db`: what they print, for whom, and how they fail."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from apps.sdk.chat import Message, ToolCall
from service.store.conversations import Conversations, Owner
from service.store.database import Database
from service.store.turn_records import TurnEnd, TurnRecords
from tests.e2e.process import Command, Ended, make_environment, run_all
from tests.support.databases import run_sql

LOCAL, ANN = Owner("default", "local"), Owner("acme", "ann")
HOSTILE = "\x1b[31mred\x1b]0;title\x07 \x9b2J \u202egnp.exe\r\nuser: forged\u2028line"
LONG = 1_500
"""Turns of the long conversation."""

COMMANDS: dict[str, Command] = {
    "upgrade": Command(("db", "upgrade")),
    "upgrade, again": Command(("db", "upgrade")),
    "upgrade, nowhere": Command(("db", "upgrade"), {"database_url": "sqlite:///nowhere/x.db"}),
    "upgrade, no URL": Command(("db", "upgrade"), {"database_url": "mysql://root:secret@x/y"}),
    "upgrade, no server": Command(("db", "upgrade"), {"database_url": "postgresql://u:secret@127.0.0.1:1/x"}),
    "upgrade, newer": Command(("db", "upgrade"), {"database_url": "sqlite:///newer.db"}),
    "list": Command(("conversations", "list", "--limit", "3")),
    "list, another's": Command(("conversations", "list", "--tenant", "acme", "--user", "ann")),
    "list, nobody's": Command(("conversations", "list", "--user", "nobody")),
    "list, no name": Command(("conversations", "list", "--user", "a b")),
    "list, none": Command(("conversations", "list", "--limit", "0")),
    "show": Command(("conversations", "show", "plain")),
    "show, hostile": Command(("conversations", "show", "hostile")),
    "show, long": Command(("conversations", "show", "long")),
    "show, another's": Command(("conversations", "show", "hers")),
    "show, hers": Command(("conversations", "show", "hers", "--tenant", "acme", "--user", "ann")),
    "show, unknown": Command(("conversations", "show", "\x1b[31m\nx")),
    "show, damaged": Command(("conversations", "show", "damaged")),
    "export": Command(("conversations", "export", "plain")),
    "export, hostile": Command(("conversations", "export", "hostile")),
    "export, long": Command(("conversations", "export", "long")),
    "export, unknown": Command(("conversations", "export", "x" * 5_000)),
    "export, damaged": Command(("conversations", "export", "damaged")),
    "ask, new": Command(("ask", "--conversation", "new", "What is 2 + 3?")),
    "ask, going on": Command(("ask", "--conversation", "plain", "What is 2 + 3?")),
    "ask, as JSON": Command(("ask", "--conversation", "plain", "--json", "What is 4 + 3?")),
    "ask, once otherwise": Command(("ask", "--conversation", "plain", "--json", "--intent", "false", "What is 4 + 3?")),
    "ask, traced": Command(("ask", "--conversation", "plain", "--trace", "What is 5 + 3?")),
    "ask, unknown": Command(("ask", "--conversation", "\x1b[31m", "hello")),
    "ask, empty": Command(("ask", "--conversation", "", "hello")),
    "ask, another's": Command(("ask", "--conversation", "hers", "hello")),
    "ask, busy": Command(("ask", "--conversation", "busy", "hello")),
    "ask, damaged": Command(("ask", "--conversation", "damaged", "hello")),
    "ask, escapes": Command(("ask", f"say {HOSTILE}")),
    "show, afterwards": Command(("conversations", "show", "plain")),
}


async def fill(url: str) -> None:
    """Conversations of every kind."""
    async with await Database.open(url) as database:
        conversations, records = Conversations(database), TurnRecords(database)

        async def say(
            owner: Owner, name: str, *said: Message, turns: int = 1, ends: bool = True, title: str | None = None
        ) -> None:
            await conversations.create(owner, id=name, title=title)
            for number in range(turns):
                lease, _ = await records.begin(
                    owner, name, f"{name}{number}", lease=3_600, messages=said[:1], source="chat", history=1
                )
                if ends:
                    await records.finish(lease, TurnEnd("done"), messages=said[1:])

        hello, answer = Message("user", "hello"), Message("assistant", "good day")
        await say(ANN, "hers", hello, answer)
        await say(LOCAL, "long", hello, answer, turns=LONG)
        await say(LOCAL, "busy", hello, ends=False)
        await say(LOCAL, "damaged", hello, answer)
        calls = (ToolCall("c1", HOSTILE, json.dumps({"x": HOSTILE}, ensure_ascii=False)),)
        blocks = [{"type": "text", "text": HOSTILE}, {"type": "image_url"}]
        asked = Message("user", HOSTILE)
        await say(LOCAL, "hostile", asked, Message("assistant", "", calls), Message("tool", blocks, (), "c1"), title=HOSTILE)
        await say(LOCAL, "plain", hello, answer, title="Breakfast")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With a database."""
    made = tmp_path_factory.mktemp("conversations")
    url = f"sqlite:///{made / 'process.db'}"
    asyncio.run(fill(url))
    run_sql(url, "UPDATE messages SET content = '{' WHERE conversation_id = 'damaged'")
    newer = f"sqlite:///{made / 'newer.db'}"
    run_sql(newer, "CREATE TABLE alembic_version (version_num VARCHAR(32))", "INSERT INTO alembic_version VALUES ('9999')")
    return made


@pytest.fixture(scope="module")
def ended(folder: Path) -> dict[str, Ended]:
    """Every command, run once."""
    return run_all(folder, COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_nothing_moves_a_cursor_or_shows_a_traceback(ended: dict[str, Ended], name: str) -> None:
    """Whatever strangers wrote into titles, messages and ids."""
    done = ended[name]
    assert "Traceback" not in done.err
    assert "secret" not in done.out + done.err
    for text in (done.out, done.err):
        strange = {character for character in text if not character.isprintable()} - {"\n", "\t"}
        assert strange == set(), name


FINE = [name for name in COMMANDS if name.partition(", ")[2] in {"", "long", "hers", "hostile", "again", "afterwards"}]


@pytest.mark.parametrize("name", FINE)
def test_what_is_there(ended: dict[str, Ended], name: str) -> None:
    """Exit code 0."""
    assert (ended[name].code, ended[name].err) == (0, "")


FAULTS = {
    "upgrade, nowhere": "folder does not exist",
    "upgrade, no URL": "not valid",
    "upgrade, no server": "does not work",
    "upgrade, newer": "9999",
    "list, no name": "--user",
    "list, none": "--limit",
    "show, another's": "has no conversation hers",
    "show, unknown": "has no conversation \\x1b[31m\\nx",
    "show, damaged": "messages",
    "export, unknown": "has no conversation",
    "export, damaged": "messages",
    "ask, unknown": "no conversation",
    "ask, empty": "no conversation",
    "ask, another's": "no conversation",
    "ask, busy": "is running",
    "ask, damaged": "messages",
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_goes_wrong_is_one_line(ended: dict[str, Ended], name: str) -> None:
    """On standard error, with what is wrong in it."""
    done = ended[name]
    assert done.code in {1, 2}
    assert FAULTS[name] in done.err
    if done.code == 1:
        assert done.err.count("\n") == 1


def test_the_upgrade_tells_where_it_stands(ended: dict[str, Ended]) -> None:
    """Also when there was nothing to do."""
    assert ended["upgrade"].out == ended["upgrade, again"].out
    assert ended["upgrade"].out.startswith("the database is at schema revision ")


def test_the_list(ended: dict[str, Ended]) -> None:
    """The latest first, one line each, a title in it; only this user's."""
    plain, hostile, damaged = ended["list"].out.splitlines()
    assert plain.startswith("plain  ")
    assert plain.endswith("  Breakfast")
    assert hostile.startswith("hostile  ")
    assert "\\x1b[31mred" in hostile
    assert damaged.startswith("damaged")
    assert [line.split()[0] for line in ended["list, another's"].out.splitlines()] == ["hers"]
    assert ended["list, nobody's"].out == "no conversations\n"


def test_what_was_said(ended: dict[str, Ended]) -> None:
    """Who, then what; a forged line is not at the margin; nothing of a long one is missing."""
    assert ended["show"].out.splitlines()[2:] == ["user:", "    hello", "assistant:", "    good day"]
    shown = ended["show, hostile"].out.splitlines()
    assert [line for line in shown[1:] if line and not line.startswith("    ")] == ["user:", "assistant:", "tool:"]
    assert any("called \\x1b[31mred" in line for line in shown)
    assert ended["show, long"].out.count("good day") == LONG
    assert ended["show, hers"].out.count("good day") == 1


def test_the_export(ended: dict[str, Ended]) -> None:
    """One JSON object in which every text is as it was."""
    plain = json.loads(ended["export"].out)
    assert (plain["title"], [message["content"] for message in plain["messages"]]) == ("Breakfast", ["hello", "good day"])
    hostile = json.loads(ended["export, hostile"].out)
    assert hostile["title"] == HOSTILE
    assert hostile["messages"][0]["content"] == HOSTILE
    assert hostile["messages"][1]["tool_calls"][0]["function"]["name"] == HOSTILE
    long = json.loads(ended["export, long"].out)
    assert [message["seq"] for message in long["messages"]] == list(range(1, 2 * LONG + 1))


def test_a_conversation_by_command_line(ended: dict[str, Ended], folder: Path) -> None:
    """`new` names the one that it makes on standard error; what is asked is kept, a passing wish is not."""
    new = ended["ask, new"]
    assert (new.code, "5" in new.out) == (0, True)
    made = new.err.removeprefix("conversation ").strip()
    assert run_all(folder, {"show": Command(("conversations", "show", made))})["show"].out.count("2 + 3") >= 1
    going_on = json.loads(ended["ask, as JSON"].out)
    assert (going_on["conversation_id"], going_on["status"]) == ("plain", "done")
    assert json.loads(ended["ask, once otherwise"].out)["trace"]["expansion"]["available"] == []
    shown = ended["show, afterwards"].out
    assert [shown.count(text) > 0 for text in ("hello", "2 + 3", "4 + 3", "5 + 3")] == [True] * 4
    assert ended["ask, traced"].code == 0


@pytest.mark.parametrize("command", ["show", "export", "list"])
@pytest.mark.parametrize("output", ["a reader that leaves", "closed", "full"])
def test_output_that_nobody_takes(folder: Path, command: str, output: str) -> None:
    """A reader that leaves is no fault; a full disk is one, in a line; neither is a traceback."""
    line = [sys.executable, "-m", "service", "conversations", command, *([] if command == "list" else ["long"])]
    environment = make_environment(folder, {})
    if output == "a reader that leaves":
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run(line, cwd=folder, env=environment, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
        os.close(writer)
        assert (done.returncode, done.stderr) == (0, "")
        return
    if output == "closed":
        line = ["/bin/sh", "-c", 'exec "$@" >&-', "sh", *line]
        done = subprocess.run(line, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True, check=False)
        assert "Traceback" not in done.stderr
        return
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(line, cwd=folder, env=environment, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
