"""A request as the pydantic model or dataclass that a skill's method is annotated with."""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
from collections.abc import Awaitable, Callable, Sequence
from typing import get_args, get_origin, get_type_hints

from pydantic import BaseModel, TypeAdapter, ValidationError

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.skill import SkillRetry
from apps.sdk.truncation import shorten

_MAX_FAULTS = 5
_ADAPTER = "__request_adapter__"
"""The attribute of a function with the adapter of its request, or None."""


class BadRequest(SkillRetry):
    """The arguments passed the skill's schema but not its request model."""


class RequestReader:
    """Reads requests for methods; what it finds out about a method stays at the function and goes with it.

    A table beside it, weak keys or not, would keep every version of a reloaded app: a request's class leads back to its module.
    """

    def read(self, method: Callable[..., Json], request: JsonObject) -> Json:
        """The request as what the first parameter's annotation names (`list[...]` of it too), else as it is.

        Raises `BadRequest`.
        """
        function: Callable[..., Json] = getattr(method, "__func__", method)
        adapter: TypeAdapter[Json] | None
        try:
            adapter = vars(function)[_ADAPTER]
        except (TypeError, KeyError):
            adapter = _find_adapter(method)
            with contextlib.suppress(AttributeError, TypeError):  # what no attribute can be set on is looked at each time
                setattr(function, _ADAPTER, adapter)
        if adapter is None:
            return request
        try:
            return adapter.validate_python(request)
        except ValidationError as error:
            raise BadRequest(_explain(error)) from None

    async def call_together(
        self, method: Callable[..., Json], requests: Sequence[JsonObject], call: Callable[[list[Json]], Awaitable[Json]]
    ) -> list[Json]:
        """An answer for each request in its order: what `call` answers to those that fit, a `BadRequest` for each other one.

        Raises `TypeError` when `call` does not give as many answers as it got requests.
        """
        typed = [self._read_or_refuse(method, request) for request in requests]
        accepted = [request for request in typed if not isinstance(request, BadRequest)]
        results: Json = await call(accepted) if accepted else []
        if not isinstance(results, list) or len(results) != len(accepted):
            raise TypeError(f"execute_batch must return a list of {len(accepted)} results")
        answers = iter(results)
        return [request if isinstance(request, BadRequest) else next(answers) for request in typed]

    def _read_or_refuse(self, method: Callable[..., Json], request: JsonObject) -> Json:
        try:
            return self.read(method, request)
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
