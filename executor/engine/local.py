"""Skills in this process: coroutines on the event loop, plain functions in threads of their own."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections import Counter
from collections.abc import Callable
from typing import get_args, get_origin, get_type_hints
from weakref import WeakKeyDictionary

from pydantic import BaseModel, TypeAdapter, ValidationError

from apps.sdk.catalog import SkillSpec
from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.skill import BatchSkill, SkillContext
from apps.sdk.texts import shorten
from executor.engine.base import BadRequest, EngineOverloaded
from executor.policy import THREADS, THREADS_PER_SKILL
from executor.threads import run_in_thread

_MAX_FAULTS = 5


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
        self._adapters: WeakKeyDictionary[Callable[..., Json], TypeAdapter[Json] | None] = WeakKeyDictionary()

    def takes_batches(self, skill: SkillSpec) -> bool:
        return isinstance(skill.implementation, BatchSkill)

    async def execute(self, skill: SkillSpec, request: JsonObject, context: SkillContext) -> Json:
        method = skill.implementation.execute
        return await self._call(skill.tool_name, method, self._read_request(method, request), context)

    async def execute_batch(self, skill: SkillSpec, requests: list[JsonObject], context: SkillContext) -> list[Json]:
        assert isinstance(skill.implementation, BatchSkill)
        method = skill.implementation.execute_batch
        typed = [self._read_or_refuse(method, request) for request in requests]
        accepted = [request for request in typed if not isinstance(request, BadRequest)]
        results: Json = await self._call(skill.tool_name, method, accepted, context) if accepted else []
        if not isinstance(results, list) or len(results) != len(accepted):
            raise TypeError(f"execute_batch must return a list of {len(accepted)} results")
        answers = iter(results)
        return [request if isinstance(request, BadRequest) else next(answers) for request in typed]

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

    def _read_request(self, method: Callable[..., Json], request: JsonObject) -> Json:
        """The request as the model or dataclass that the annotation names, else as it is."""
        function: Callable[..., Json] = getattr(method, "__func__", method)
        if function not in self._adapters:
            self._adapters[function] = _find_adapter(method)
        adapter = self._adapters[function]
        if adapter is None:
            return request
        try:
            return adapter.validate_python(request)
        except ValidationError as error:
            raise BadRequest(_explain(error)) from None

    def _read_or_refuse(self, method: Callable[..., Json], request: JsonObject) -> Json:
        try:
            return self._read_request(method, request)
        except BadRequest as refused:
            return refused


def _find_adapter(method: Callable[..., Json]) -> TypeAdapter[Json] | None:
    function = inspect.unwrap(getattr(method, "__func__", method))
    parameters = list(inspect.signature(method).parameters)
    annotation = getattr(function, "__annotations__", {}).get(parameters[0]) if parameters else None
    kind: Json = _evaluate(annotation, getattr(function, "__globals__", {}))
    origin: Json = get_origin(kind)
    if origin is list:
        (kind,) = get_args(kind)
    if isinstance(kind, type) and (issubclass(kind, BaseModel) or dataclasses.is_dataclass(kind)):
        return TypeAdapter(kind)
    return None


def _evaluate(annotation: Json, names: dict[str, Json]) -> Json:
    """Only the request's annotation: the others may name what is imported for type checkers alone."""

    def holder() -> None: ...

    holder.__annotations__ = {"request": annotation}
    try:
        return get_type_hints(holder, globalns=names).get("request")
    except (NameError, TypeError, AttributeError, SyntaxError):
        return None


def _explain(error: ValidationError) -> str:
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    lines = [
        f"{'.'.join(map(str, fault['loc'])) or 'the request'}: {shorten(fault['msg'], 120)}" for fault in faults[:_MAX_FAULTS]
    ]
    return "; ".join(lines)
