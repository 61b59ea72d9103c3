"""Tasks that outlive the handler that began them, and their one owner."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from types import TracebackType
from typing import Any, Self, TypeVar

import structlog

T = TypeVar("T")


class OwnedTasks:
    """Keeps tasks until they end. On exit those begun with `start` have `grace` seconds, then all are cancelled.

    The grace runs from `begin_grace`, so that it is shared with whatever else ends meanwhile; without it from the exit.
    """

    def __init__(self, grace: float) -> None:
        self._grace = grace
        self._deadline: float | None = None
        self._tasks: set[asyncio.Task[Any]] = set()
        self._forever: set[asyncio.Task[Any]] = set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for task in self._forever:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=max(0.0, self.begin_grace() - time.monotonic()))
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, *self._forever, return_exceptions=True)

    def begin_grace(self) -> float:
        """Let the time to end run, unless it does already; when it is over, in seconds of `time.monotonic()`."""
        if self._deadline is None:
            self._deadline = time.monotonic() + self._grace
        return self._deadline

    @property
    def running(self) -> int:
        """How many that were begun with `start` have not ended."""
        return len(self._tasks)

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Begin work that ends by itself; its failure is the awaiter's to handle, and is logged when nobody awaits it."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def keep(self, work: Coroutine[Any, Any, None]) -> None:
        """Begin work that runs until the service ends; its failure is logged."""
        task = asyncio.create_task(work)
        self._forever.add(task)
        task.add_done_callback(self._log_failure)

    def _log_failure(self, task: asyncio.Task[Any]) -> None:
        self._forever.discard(task)
        if not task.cancelled() and (error := task.exception()):
            structlog.get_logger(__name__).error("background_task_failed", exc_info=error)
