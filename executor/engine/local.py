"""Skills in this process: coroutines on the event loop, plain functions in threads of their own."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable

from apps.sdk.catalog import SkillSpec
from apps.sdk.invocation import invoke
from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.skill import BatchSkill, SkillContext
from apps.sdk.threads import run_in_thread
from executor.engine.base import EngineOverloaded
from executor.policy import THREADS, THREADS_PER_SKILL


class LocalEngine:
    """The default engine. `threads` bounds the threads that run plain `def execute` at one time, `threads_per_skill` those of
    one skill, so that one that hangs leaves the others their places.

    A thread cannot be stopped: one that hangs keeps its place until it ends, never blocks the process's exit, and finds
    `context.cancellation.cancelled` set.
    """

    def __init__(self, *, threads: int = THREADS, threads_per_skill: int = THREADS_PER_SKILL) -> None:
        self._threads_left = threads
        self._threads_per_skill = threads_per_skill
        self._busy: Counter[str] = Counter()

    def takes_batches(self, skill: SkillSpec) -> bool:
        return isinstance(skill.implementation, BatchSkill)

    async def execute(self, skill: SkillSpec, requests: list[JsonObject], context: SkillContext) -> list[Json]:
        return await invoke(skill.implementation, requests, context, functools.partial(self._run_counted, skill.tool_name))

    async def _run_counted(self, tool_name: str, work: Callable[[], Json], name: str) -> Json:
        if self._threads_left <= 0 or self._busy[tool_name] >= self._threads_per_skill:
            raise EngineOverloaded
        self._threads_left -= 1
        self._busy[tool_name] += 1

        def give_back() -> None:
            self._threads_left += 1
            self._busy[tool_name] -= 1
            if not self._busy[tool_name]:
                del self._busy[tool_name]

        return await run_in_thread(work, name, give_back)
