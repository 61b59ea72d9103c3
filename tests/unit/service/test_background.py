"""Tasks that outlive their handler have an owner."""

from __future__ import annotations

import asyncio

import pytest
from structlog.testing import capture_logs

from service.background import OwnedTasks


async def test_it_waits_for_what_was_begun() -> None:
    done: list[int] = []

    async def work() -> None:
        await asyncio.sleep(0.01)
        done.append(1)

    async with OwnedTasks(grace=5) as tasks:
        tasks.start(work())
        assert tasks.running == 1
    assert done == [1]
    assert tasks.running == 0


async def test_what_outlives_the_grace_is_cancelled() -> None:
    async with OwnedTasks(grace=0.01) as tasks:
        task = tasks.start(asyncio.sleep(60))
    assert task.cancelled()


async def test_what_runs_forever_is_cancelled_at_once() -> None:
    """It is not waited for."""
    ended = asyncio.Event()

    async def forever() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async with OwnedTasks(grace=60) as tasks:
        tasks.keep(forever())
        await asyncio.sleep(0)
    assert ended.is_set()


async def test_a_failure_in_the_background_is_logged() -> None:
    async def fail() -> None:
        raise RuntimeError("broken")

    with capture_logs() as logs:
        async with OwnedTasks(grace=1) as tasks:
            tasks.keep(fail())
            await asyncio.sleep(0.01)
    assert [entry["event"] for entry in logs] == ["background_task_failed"]


async def test_a_failure_that_somebody_awaits_is_theirs() -> None:
    async def fail() -> None:
        raise RuntimeError("broken")

    async with OwnedTasks(grace=1) as tasks:
        with pytest.raises(RuntimeError, match="broken"):
            await tasks.start(fail())
