"""The command `shortlist` as a process of its own, in an environment that names nothing of ours."""

from __future__ import annotations

import asyncio
import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.readme import ROOT


def make_environment(folder: Path, settings: Mapping[str, object]) -> dict[str, str]:
    """Ours without settings and keys, with these settings and a database in `folder`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SHORTLIST_", "OPENAI_", "PYTEST_"))}
    own = {"database_url": f"sqlite:///{folder / 'process.db'}", **settings}
    return {**kept, "PYTHONPATH": str(ROOT), **{f"SHORTLIST_{name.upper()}": str(value) for name, value in own.items()}}


async def start(folder: Path, *arguments: str, **settings: object) -> asyncio.subprocess.Process:
    """Start it in `folder`, where no `.env` lies."""
    pipe = asyncio.subprocess.PIPE
    command = (sys.executable, "-m", "service", *arguments)
    return await asyncio.create_subprocess_exec(
        *command, cwd=folder, env=make_environment(folder, settings), stdout=pipe, stderr=pipe
    )


@dataclass(frozen=True, slots=True)
class Command:
    """A command line and its settings."""

    line: tuple[str, ...]
    settings: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ended:
    """What a command left."""

    code: int
    out: str
    err: str


def run_all(folder: Path, commands: Mapping[str, Command]) -> dict[str, Ended]:
    """Run the commands one after the other in one process, which imports everything once."""
    given = [{"line": command.line, "environment": make_environment(folder, command.settings)} for command in commands.values()]
    done = subprocess.run(
        [sys.executable, "-m", "tests.e2e.process"], cwd=folder, env=make_environment(folder, {}), input=json.dumps(given),
        capture_output=True, text=True, check=True, timeout=100,
    )  # fmt: skip
    return {name: Ended(**ended) for name, ended in zip(commands, json.loads(done.stdout), strict=True)}


@dataclass(slots=True)
class Server:
    """A running `shortlist serve`; `err` is everything that it wrote to standard error, once it has ended.

    It is read all the while: a pipe that nobody empties would stop the server.
    """

    process: asyncio.subprocess.Process
    url: str
    err: str
    reading: asyncio.Task[bytes]
    code: int | None = field(default=None)

    def terminate(self) -> None:
        """Ask it to end, as an orchestrator does."""
        self.process.send_signal(signal.SIGTERM)

    async def end(self) -> int:
        """Wait for its end; the exit code."""
        code = await asyncio.wait_for(self.process.wait(), 60)
        self.err += (await self.reading).decode()
        return code


@asynccontextmanager
async def serve(folder: Path, *options: str, **settings: object) -> AsyncIterator[Server]:
    """A real server on a free port, from the moment on that it listens; killed when the block leaves it running."""
    process = await start(folder, "serve", "--port", "0", *options, log_json="true", **settings)
    reading: list[asyncio.Task[bytes]] = []
    try:
        server = await asyncio.wait_for(_wait_until_it_listens(process), 60)
        reading.append(server.reading)
        yield server
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        await asyncio.gather(*reading)


async def _wait_until_it_listens(process: asyncio.subprocess.Process) -> Server:
    assert process.stderr is not None
    seen = ""
    async for line in process.stderr:
        seen += line.decode()
        if b'"listening"' in line:
            return Server(process, json.loads(line)["url"], seen, asyncio.create_task(process.stderr.read()))
    raise AssertionError(f"it never listened: {seen}")


def main() -> None:
    """The inner side of `run_all`."""
    from service.cli import app

    ended = []
    for command in json.load(sys.stdin):
        out, err = io.StringIO(), io.StringIO()
        os.environ.clear()
        os.environ.update(command["environment"])
        try:
            with redirect_stdout(out), redirect_stderr(err):
                app(command["line"])
        except SystemExit as leaving:
            ended.append({"code": leaving.code, "out": out.getvalue(), "err": err.getvalue()})
    json.dump(ended, sys.stdout)


if __name__ == "__main__":
    main()
