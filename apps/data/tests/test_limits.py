"""Queries that would take all memory or all time: they end with a reason, and nothing of them is left."""

from __future__ import annotations

import asyncio
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from apps.data.engine.jobs import TimedJob
from apps.data.skills.describe import DescribeSkill
from apps.data.skills.process import MAX_EACH, MAX_PROCESSES, run_job
from apps.data.skills.query import QueryRequest, QuerySkill
from apps.data.skills.tables import TableRequest
from apps.data.tests.children import list_children
from apps.sdk.skill import SkillFailed, SkillRetry
from apps.sdk.testing import RecordingLogger, make_context

MEMORY = [
    "SELECT repeat('x', 4000000000)",
    "SELECT length(repeat('x', 4000000000))",
    "SELECT list_sort(range(100000000))",
    "SELECT printf('%2000000000d', 1)",
    "SELECT string_agg(repeat('x', 1000000), '') FROM range(2000)",
    "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t, range(2)) SELECT count(*) FROM t",
]
TIME = [
    "SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b",
    "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT max(n) FROM t",
    "SELECT sleep_ms(20000)",
]


async def run(sql: str, timeout: float) -> None:  # noqa: ASYNC109 - the context's
    async with make_context(timeout=timeout) as context:
        await QuerySkill().execute(QueryRequest(sql=sql), context)


@pytest.mark.parametrize("sql", MEMORY)
async def test_memory_bombs_end_with_a_reason(sql: str) -> None:
    """The limit is named, and this process has not grown by what the query wanted."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(SkillRetry, match="limit memory"):
        await run(sql, timeout=20)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000
    assert list_children() == []


async def test_time_bombs_end_with_a_reason() -> None:
    """All at once: the limit is named, and their processes are gone."""
    ended = await asyncio.gather(*(run(sql, timeout=1.3) for sql in TIME), return_exceptions=True)
    assert [type(error) for error in ended] == [SkillRetry] * len(TIME)
    assert all(re.search(r"stopped after 0\.\d+ s \(limit timeout\)", str(error)) for error in ended)
    assert list_children() == []


async def test_a_cancelled_query_leaves_nothing_running() -> None:
    """The process is killed and waited for before the cancellation is over."""
    task = asyncio.create_task(run(TIME[0], timeout=20))
    while not list_children():  # noqa: ASYNC110 - a process starts without an event
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert list_children() == []


def read_limits(process_id: int) -> dict[str, str]:
    """What the system holds a process to, by the names of /proc."""
    lines = Path(f"/proc/{process_id}/limits").read_text().splitlines()[1:]
    return {line[:26].strip(): line[26:].split()[0] for line in lines}


async def test_the_system_holds_a_query_to_its_limits() -> None:
    """While it runs: no file is opened or written, and memory and time are bounded whatever DuckDB does."""
    task = asyncio.create_task(run("SELECT sleep_ms(20000)", timeout=20))
    ends = time.monotonic() + 15
    limits: dict[str, str] = {}
    while limits.get("Max open files") != "0" and time.monotonic() < ends:
        await asyncio.sleep(0.02)
        limits = read_limits(children[0]) if (children := list_children()) else {}
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert (limits["Max open files"], limits["Max file size"], limits["Max core file size"]) == ("0", "0", "0")
    assert int(limits["Max address space"]) < 4_000_000_000
    assert int(limits["Max cpu time"]) <= 22


async def test_a_process_that_is_killed_is_explained() -> None:
    """As by the system when memory is short: the model hears that it may ask for less, the log by which signal."""
    logger = RecordingLogger()
    async with make_context(logger=logger) as context:
        task = asyncio.create_task(QuerySkill().execute(QueryRequest(sql=TIME[0]), context))
        while not (children := list_children()):  # noqa: ASYNC110 - a process starts without an event
            await asyncio.sleep(0.01)
        os.kill(children[0], signal.SIGKILL)
        with pytest.raises(SkillRetry, match="ended the database"):
            await task
    assert [entry.fields for entry in logger.entries] == [{"code": -9}]
    assert list_children() == []


async def test_requests_over_the_places_wait_and_give_up_in_time() -> None:
    """Places are taken in turn; who gets none until its deadline is told so, and the places are free afterwards."""
    skill = QuerySkill()
    async with make_context(timeout=1.0) as context:
        requests = [QueryRequest(sql="SELECT sleep_ms(20000)") for _ in range(6)]
        ended = await asyncio.gather(*(skill.execute(request, context) for request in requests), return_exceptions=True)
    assert {type(error) for error in ended} == {SkillRetry}
    async with make_context() as context:
        assert (await skill.execute(QueryRequest(sql="SELECT 1 AS a"), context)).data["rows"] == [{"a": 1}]


async def test_one_user_cannot_take_every_place() -> None:
    """While that user's queries run and wait, another's is answered; no more processes run than there are places."""
    skill = QuerySkill()
    async with make_context(user="eve", timeout=5.0) as eve, make_context(user="ada") as ada:
        slow = [asyncio.create_task(skill.execute(QueryRequest(sql="SELECT sleep_ms(20000)"), eve)) for _ in range(8)]
        await asyncio.sleep(0.01)
        assert (await skill.execute(QueryRequest(sql="SELECT 1 AS a"), ada)).data["rows"] == [{"a": 1}]
        assert not any(task.done() for task in slow)
        assert len(list_children()) == MAX_EACH
        for task in slow:
            task.cancel()
        await asyncio.gather(*slow, return_exceptions=True)


async def test_both_skills_share_the_places() -> None:
    """Queries of several users that take all places hold up a description, whose time runs out while it waits."""
    async with make_context(timeout=0.7) as waiting, AsyncExitStack() as stack:
        users = [await stack.enter_async_context(make_context(user=f"u{at}", timeout=20)) for at in range(MAX_PROCESSES)]
        slow = [asyncio.create_task(QuerySkill().execute(QueryRequest(sql=TIME[0]), user)) for user in users]
        await asyncio.sleep(0.01)
        with pytest.raises(SkillRetry, match="limit timeout"):
            await DescribeSkill().execute(TableRequest(name="t", content="a\n1"), waiting)
        assert len(list_children()) == MAX_PROCESSES
        for task in slow:
            task.cancel()
        await asyncio.gather(*slow, return_exceptions=True)


ENGINE = "import sys; sys.path.insert(0, sys.argv[1]); from engine.main import main; main()"


def start(given: bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-I", "-c", ENGINE, str(Path(__file__).parents[1])],
        input=given, capture_output=True, env={}, cwd="/", timeout=20, check=False,
    )  # fmt: skip


def test_a_process_that_nobody_ends_ends_itself() -> None:
    """Its own clock kills it a second after its time, as when the service was killed."""
    job = TimedJob(kind="query", ends=time.monotonic() + 0.1, directory=None, tables=[], sql="SELECT sleep_ms(20000)", limit=1)
    began = time.monotonic()
    done = start(json.dumps(job).encode())
    assert (done.returncode, done.stdout) == (-14, b"")
    assert time.monotonic() - began < 15


def test_nonsense_on_the_pipe_is_a_defect_and_named() -> None:
    """What cannot be read is answered with the kind of the error alone."""
    assert json.loads(start(b"\xff{").stdout)["crash"].startswith("UnicodeDecodeError")


async def test_a_defect_of_the_process_is_a_failure() -> None:
    """A job that lacks its parts: the model hears that it failed, the log why."""
    logger = RecordingLogger()
    async with make_context(logger=logger) as context:
        with pytest.raises(SkillFailed, match="process failed"):
            await run_job({}, context)  # type: ignore[typeddict-item]
    assert [entry.event for entry in logger.entries] == ["query_process_failed"]
