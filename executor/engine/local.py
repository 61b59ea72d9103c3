"""Skills in this process: coroutines on the event loop, plain functions in threads of their own."""

from __future__ import annotations

import functools
import inspect
from collections import Counter
from collections.abc import Callable

from apps.sdk.catalog import SkillSpec
from apps.sdk.invocation import RequestReader
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
        self._requests = RequestReader()

    def takes_batches(self, skill: SkillSpec) -> bool:
        return isinstance(skill.implementation, BatchSkill)

    async def execute(self, skill: SkillSpec, request: JsonObject, context: SkillContext) -> Json:
        method = skill.implementation.execute
        return await self._call(skill.tool_name, method, self._requests.read(method, request), context)

    async def execute_batch(self, skill: SkillSpec, requests: list[JsonObject], context: SkillContext) -> list[Json]:
        assert isinstance(skill.implementation, BatchSkill)
        method = skill.implementation.execute_batch

        async def call(typed: list[Json]) -> Json:
            return await self._call(skill.tool_name, method, typed, context)

        return await self._requests.call_together(method, requests, call)

    async def _call(self, tool_name: str, method: Callable[..., Json], request: Json, context: SkillContext) -> Json:
        if inspect.iscoroutinefunction(method):
            return await method(request, context)
        result = await self._call_in_thread(tool_name, method, request, context)
        return await result if inspect.isawaitable(result) else result

    async def _call_in_thread(self, tool_name: str, method: Callable[..., Json], request: Json, context: SkillContext) -> Json:
        if self._threads_left <= 0 or self._busy[tool_name] >= self._threads_per_skill:
            raise EngineOverloaded
        self._threads_left -= 1
        self._busy[tool_name] += 1

        def give_back() -> None:
            self._threads_left += 1
            self._busy[tool_name] -= 1
            if not self._busy[tool_name]:
                del self._busy[tool_name]

        work = functools.partial(method, request, context)
        return await run_in_thread(work, f"skill {context.call_id}", give_back)
