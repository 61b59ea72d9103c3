"""Work is awaited to its end, whoever is cancelled meanwhile."""

from __future__ import annotations

import asyncio

import pytest

from service.completion import complete


async def test_its_result_and_its_error_are_the_callers() -> None:
    """As if it was awaited plainly."""

    async def give() -> int:
        return 7

    async def fail() -> None:
        raise ValueError("no")

    assert await complete(give()) == 7
    with pytest.raises(ValueError, match="no"):
        await complete(fail())


@pytest.mark.parametrize("fails", [False, True])
async def test_a_cancelled_caller_waits(fails: bool) -> None:
    """However often it is cancelled; then it is cancelled, whatever came of the work, and nothing is logged as unseen."""
    door, ended = asyncio.Event(), []
    unseen: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: unseen.append(context))

    async def work() -> None:
        await door.wait()
        ended.append(True)
        if fails:
            raise ValueError("no")

    caller = asyncio.create_task(complete(work()))
    for _ in range(3):
        await asyncio.sleep(0)
        caller.cancel()
    await asyncio.sleep(0.01)
    assert not caller.done()
    door.set()
    with pytest.raises(asyncio.CancelledError):
        await caller
    del caller
    assert (ended, unseen) == ([True], [])


async def test_work_that_is_cancelled_itself() -> None:
    """At the end of a loop everything is."""

    async def work() -> None:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(1)

    with pytest.raises(asyncio.CancelledError):
        await complete(work())
