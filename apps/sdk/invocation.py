"""The one way to call a skill: requests read into what its method is annotated with, batch or single, coroutine or thread."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import inspect
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias, get_args, get_origin, get_type_hints

from pydantic import BaseModel, TypeAdapter, ValidationError

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.results.conversion import to_note
from apps.sdk.skill import BatchSkill, Skill, SkillContext, SkillResult, SkillRetry
from apps.sdk.truncation import shorten

_MAX_FAULTS = 5
_ADAPTER = "__request_adapter__"
"""The attribute of a function with the adapter of its request, or None."""
InThread: TypeAlias = Callable[[Callable[[], Json], str], Awaitable[Json]]
"""Runs work in a thread of the name given, and waits for it."""


class BadRequest(SkillRetry):
    """The arguments passed the skill's schema but not its request model."""


def read_request(method: Callable[..., Json], request: JsonObject) -> Json:
    """The request as what the first parameter's annotation names (`list[...]` of it too), else as it is.

    What is found out about a method stays at its function and goes with it: a table beside it, weak keys or not, would keep
    every version of a reloaded app, since a request's class leads back to its module. Raises `BadRequest`.
    """
    function: Callable[..., Json] = getattr(method, "__func__", method)
    adapter: TypeAdapter[Json] | None
    try:
        adapter = vars(function)[_ADAPTER]
    except (TypeError, KeyError):
        kind = find_request_type(method)
        adapter = None if kind is None else TypeAdapter(kind)
        with contextlib.suppress(AttributeError, TypeError):  # what no attribute can be set on is looked at each time
            setattr(function, _ADAPTER, adapter)
    if adapter is None:
        return request
    try:
        return adapter.validate_python(request)
    except ValidationError as error:
        raise BadRequest(_explain(error)) from None


async def invoke(skill: Skill, requests: Sequence[JsonObject], context: SkillContext, in_thread: InThread) -> list[Json]:
    """An answer for each request, in their order; `in_thread` runs what is no coroutine.

    A `BatchSkill` gets all requests that fit at once, and may answer any with a `SkillError`, as we do for those that do not
    fit. What another skill raises comes out as it is. Raises `BadRequest`, and `TypeError` for a batch of the wrong length.
    """
    if isinstance(skill, BatchSkill):
        return await _invoke_batch(skill, requests, context, in_thread)
    typed = [read_request(skill.execute, request) for request in requests]
    return [await _call(skill.execute, request, context, in_thread) for request in typed]


def unwrap(answer: Json) -> tuple[Json, str | None]:
    """The data of an answer and the skill's word on it; what an object itself says of its class may be anything."""
    return (answer.data, to_note(answer.note)) if issubclass(type(answer), SkillResult) else (answer, None)


async def _invoke_batch(
    skill: BatchSkill, requests: Sequence[JsonObject], context: SkillContext, in_thread: InThread
) -> list[Json]:
    typed = [_read_or_refuse(skill.execute_batch, request) for request in requests]
    accepted = [request for request in typed if not isinstance(request, BadRequest)]
    results: Json = await _call(skill.execute_batch, accepted, context, in_thread) if accepted else []
    if not isinstance(results, list) or len(results) != len(accepted):
        raise TypeError(f"execute_batch must return a list of {len(accepted)} results")
    answers = iter(results)
    return [request if isinstance(request, BadRequest) else next(answers) for request in typed]


async def _call(method: Callable[..., Json], request: Json, context: SkillContext, in_thread: InThread) -> Json:
    if inspect.iscoroutinefunction(method):
        return await method(request, context)
    result = await in_thread(functools.partial(method, request, context), f"skill {context.call_id}")
    return await result if inspect.isawaitable(result) else result


def _read_or_refuse(method: Callable[..., Json], request: JsonObject) -> Json:
    try:
        return read_request(method, request)
    except BadRequest as refused:
        return refused


def find_request_type(method: Callable[..., Json]) -> type | None:
    """The pydantic model or dataclass of one request, by the annotation of the method's first parameter; else None."""
    function = inspect.unwrap(getattr(method, "__func__", method))
    parameters = list(inspect.signature(method).parameters)
    annotation = getattr(function, "__annotations__", {}).get(parameters[0]) if parameters else None
    kind: Json = _evaluate(annotation, getattr(function, "__globals__", {}))
    origin: Json = get_origin(kind)
    if origin is list:
        (kind,) = get_args(kind)
    if isinstance(kind, type) and (issubclass(kind, BaseModel) or dataclasses.is_dataclass(kind)):
        return kind
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
