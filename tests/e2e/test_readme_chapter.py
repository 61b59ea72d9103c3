"""The README's chapter "Write a skill in five minutes", followed word by word in a copy of the code."""

from __future__ import annotations

import asyncio
import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

import aiohttp
import pytest

from tests.e2e.process import Command, Ended, make_environment, run_all, serve
from tests.support.readme import ROOT, read_chapter, split_block

BLOCK = re.compile(r"(?P<before>(?:[^\n]+\n)*)\n```(?P<language>\w+)\n(?P<body>.*?)^```", re.DOTALL | re.MULTILINE)
FILE = re.compile(r"In `([\w/.]+)`")
SERVE = "shortlist serve --reload"
TARGETS = ("uv.stamp", "run.stamp", "dev.stamp")


@dataclass(slots=True)
class Followed:
    """What was done so far: the outcome of each command, the file that the text speaks of, and what has been shown."""

    folder: Path
    ended: dict[str, Ended] = field(default_factory=dict)
    file: Path | None = None
    shown: list[str] = field(default_factory=list)

    def read(self, before: str, language: str, body: str) -> None:
        """Do what one block says."""
        named = FILE.findall(before)
        self.file = self.folder / named[-1] if named else self.file
        match language:
            case "sh":
                self._run(split_block(body))
            case "diff":
                self._edit(body)
            case "text":
                self._compare(body)
            case "yaml" | "python":
                self._write(body)
            case "json":
                pass
            case _:
                raise AssertionError(f"this test does not know what to do with a block of {language}")

    def _run(self, commands: list[str]) -> None:
        lines = {
            line: Command(tuple(shlex.split(line)[1:])) for line in commands if line.startswith("shortlist ") and line != SERVE
        }
        self.ended |= run_all(self.folder, lines)
        for line in set(commands) - set(lines) - {SERVE}:
            self.ended[line] = self._make(line)

    def _make(self, line: str) -> Ended:
        """`make`, with this environment's tools in place of those that it would install."""
        fresh = [word for target in TARGETS for word in ("-o", f".venv/{target}")]
        command = ["make", *fresh, f"BIN={Path(sys.executable).parent}", *shlex.split(line)[1:]]
        environment = make_environment(self.folder, {}) | {"PYTEST_ADDOPTS": "-n0"}  # workers would each import everything
        done = subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False, timeout=100
        )  # fmt: skip
        return Ended(done.returncode, done.stdout, done.stderr)

    def _write(self, body: str) -> None:
        assert self.file is not None
        assert not self.file.exists()
        self.file.parent.mkdir(exist_ok=True)
        self.file.write_text(body)

    def _edit(self, body: str) -> None:
        assert self.file is not None
        old, new = ("".join(line[1:] for line in body.splitlines(keepends=True) if line[0] in {mark, " "}) for mark in "-+")
        text = self.file.read_text()
        assert text.count(old) == 1
        self.file.write_text(text.replace(old, new))

    def _compare(self, body: str) -> None:
        assert any(body in ended.out for ended in self.ended.values()), body
        self.shown.append(body)


def copy_code(folder: Path) -> None:
    """What `make` and the command need, without caches."""
    for name in ("apps", "executor", "preprocessor", "service"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)


def find_blocks() -> Iterator[tuple[str, str, str]]:
    """Each block of the chapter with the paragraph before it and its language."""
    chapter = read_chapter()
    found = list(BLOCK.finditer(chapter))
    assert len(found) * 2 == chapter.count("```")
    return ((block["before"], block["language"], block["body"]) for block in found)


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> Followed:
    """The whole chapter, from its first block to its last; what it starts to serve is started by the test for it."""
    folder = tmp_path_factory.mktemp("chapter")
    copy_code(folder)
    followed = Followed(folder)
    for block in find_blocks():
        followed.read(*block)
    return followed


def test_each_command_works(followed: Followed) -> None:
    """Exit code 0."""
    assert len(followed.ended) >= 7
    assert {line: ended.err for line, ended in followed.ended.items() if ended.code != 0} == {}


def test_what_is_shown_is_what_comes(followed: Followed) -> None:
    """Each block of output, to the letter; what the text says of the other commands is so."""
    assert len(followed.shown) == 3
    out = {shlex.split(line)[1]: ended.out for line, ended in followed.ended.items()}
    assert out["lint"] == ""
    assert "4 passed" in out["test"]
    assert "Hello, Ada!" in out["ask"]
    assert re.search(r"about \d+ tokens", out["preview"])
    assert followed.ended["shortlist new skill greetings goodbye"].out.startswith("changed apps/greetings/app.yml\n")


async def poll(read: Callable[[], Awaitable[str]], told: str) -> None:
    """Read until it tells this."""
    async with asyncio.timeout(30):
        while told not in await read():  # noqa: ASYNC110 - what changes is another process
            await asyncio.sleep(0.05)


async def test_what_is_edited_is_loaded_again(followed: Followed) -> None:
    """`serve --reload` serves both skills, one with a German name, goes on with the last good version, and takes the next one."""
    skill = followed.folder / "apps" / "greetings" / "skills" / "hello.py"
    code = skill.read_text()
    async with serve(followed.folder, *shlex.split(SERVE)[2:]) as server, aiohttp.ClientSession(server.url) as client:

        async def greet() -> str:
            body = {"name": "greetings-hello", "arguments": {"requests": [{"text": "Ada"}]}}
            async with client.post("/v1/execute", json=body) as response:
                return await response.text()

        async def list_apps() -> str:
            async with client.get("/v1/apps") as response:
                return await response.text()

        assert "greetings-goodbye" in await list_apps()
        async with client.get("/v1/skills?lang=de") as response:
            assert "Hallo" in [skill["title"] for skill in (await response.json())["skills"]]
        skill.write_text("nonsense\n")
        await poll(list_apps, "skill-import")
        assert "Hello, Ada!" in await greet()
        skill.write_text(code.replace("Hello, ", "Welcome, "))
        await poll(greet, "Welcome, Ada!")


def test_the_editor_is_told_where_the_schema_lies() -> None:
    """The path exists, and the pattern fits every bundled app.yml."""
    [(_, _, body)] = [block for block in find_blocks() if block[1] == "json"]
    [(schema, pattern)] = json.loads(body)["yaml.schemas"].items()
    assert json.loads((ROOT / schema).read_text())["$schema"].startswith("http://json-schema.org/draft-07/")
    manifests = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("apps/*/app.yml"))
    assert manifests
    assert sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob(pattern)) == manifests
    assert all(fnmatchcase(path, pattern) for path in manifests)
