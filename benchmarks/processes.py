"""Processes of their own: the service, the scripted model, a bare server, commands."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measuring import BenchmarkError

ROOT = Path(__file__).resolve().parent.parent
SHORTLIST = Path(sys.executable).with_name("shortlist")
START_LIMIT = 60.0
COMMAND_LIMIT = 120.0
STOP_LIMIT = 30.0


@dataclass(frozen=True, slots=True)
class Started:
    """A server that listens at `url`; `seconds` is how long that took from its start."""

    pid: int
    url: str
    begun: float
    seconds: float
    log: Path

    @property
    def resident(self) -> float | None:
        """Resident memory in bytes now; None where there is no /proc."""
        return read_resident(self.pid)

    @property
    def processor_seconds(self) -> float | None:
        """What all its threads have used until now; None where there is no /proc."""
        return read_processor_seconds(self.pid)


@dataclass(frozen=True, slots=True)
class Finished:
    """A command that ended well: wall time in seconds, peak memory in bytes."""

    seconds: float
    peak: float


def make_environment(settings: Mapping[str, str] | None = None) -> dict[str, str]:
    """This process' environment with these settings of the service and no others; bytecode is kept, as it is by default."""
    left_out = ("SHORTLIST_", "PYTHONDONTWRITEBYTECODE")
    own = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
    return own | {f"SHORTLIST_{name.upper()}": value for name, value in (settings or {}).items()}


@asynccontextmanager
async def start_shortlist(folder: Path, name: str, settings: Mapping[str, str]) -> AsyncIterator[Started]:
    """The service on a free port, with a store of its own in `folder`, until the block ends."""
    given = {"database_url": f"sqlite:///{folder / name}.db", "log_json": "true", "shutdown_grace": "2", **settings}
    command = (str(SHORTLIST), "serve", "--port", "0")
    async with _start(command, folder, folder / f"{name}.log", make_environment(given)) as started:
        yield started


@asynccontextmanager
async def start_module(module: str, *arguments: str, folder: Path) -> AsyncIterator[Started]:
    """A module that serves and prints its URL in its first line of output, until the block ends."""
    command = (sys.executable, "-m", module, *arguments)
    async with _start(command, ROOT, folder / f"{module}.log", make_environment()) as started:
        yield started


@asynccontextmanager
async def _start(command: Sequence[str], folder: Path, log: Path, environment: Mapping[str, str]) -> AsyncIterator[Started]:
    begun = time.perf_counter()
    with log.open("wb") as output:
        process = await asyncio.create_subprocess_exec(*command, cwd=folder, env=environment, stdout=output, stderr=output)
    try:
        url = await _wait_for_url(process, log)
        yield Started(process.pid, url, begun, time.perf_counter() - begun, log)
    finally:
        await _stop(process)


async def _wait_for_url(process: asyncio.subprocess.Process, log: Path) -> str:
    end = time.perf_counter() + START_LIMIT
    while time.perf_counter() < end and process.returncode is None:
        url = find_url(_read(log))
        if url is not None:
            return url
        await asyncio.sleep(0.002)
    raise BenchmarkError(f"a server did not start: {_read(log)[-2000:]}")


def _read(log: Path) -> str:
    return log.read_text(encoding="utf-8", errors="replace")


def find_url(log: str) -> str | None:
    """The URL of the service's line "listening", or a first line that is a URL."""
    for line in log.splitlines(keepends=True):
        if not line.endswith("\n"):
            continue
        if line.startswith("http"):
            return line.strip()
        if '"listening"' in line:
            return str(json.loads(line)["url"])
    return None


async def _stop(process: asyncio.subprocess.Process) -> None:
    if process.returncode is not None:
        return
    process.terminate()
    try:
        await asyncio.wait_for(process.wait(), STOP_LIMIT)
    except TimeoutError:
        process.kill()
        await process.wait()


async def run_command(command: Sequence[str], folder: Path, settings: Mapping[str, str] | None = None) -> Finished:
    """Run a command to its end, its output thrown away. Raises `BenchmarkError` when it fails."""
    child = (sys.executable, "-I", "-S", str(ROOT / "benchmarks" / "child.py"), *command)
    told = json.loads(await read_output(child, folder, settings))
    if told["code"] != 0:
        raise BenchmarkError(f"exit code {told['code']}: {' '.join(command)}")
    return Finished(told["seconds"], told["peak"])


async def read_output(command: Sequence[str], folder: Path, settings: Mapping[str, str] | None = None) -> bytes:
    """What a command prints. Raises `BenchmarkError` when it fails or takes too long."""
    pipe = asyncio.subprocess.PIPE
    environment = make_environment(settings)
    process = await asyncio.create_subprocess_exec(*command, cwd=folder, env=environment, stdout=pipe, stderr=pipe)
    try:
        output, errors = await asyncio.wait_for(process.communicate(), COMMAND_LIMIT)
    except TimeoutError:
        raise BenchmarkError(f"no end after {COMMAND_LIMIT:.0f} s: {' '.join(command)}") from None
    finally:
        await _stop(process)
    if process.returncode != 0:
        raise BenchmarkError(f"exit code {process.returncode}: {errors.decode(errors='replace')[-2000:]}")
    return output


def read_resident(pid: int) -> float | None:
    """Resident memory of a process in bytes; None where there is no /proc."""
    file = Path(f"/proc/{pid}/statm")
    return int(file.read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE") if file.exists() else None


def read_processor_seconds(pid: int) -> float | None:
    """User and system time of all threads of a process, in steps of 10 ms; None where there is no /proc."""
    file = Path(f"/proc/{pid}/stat")
    if not file.exists():
        return None
    fields = file.read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
