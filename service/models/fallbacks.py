"""Models in order of preference as one: retries per model, then the next, all inside one deadline.

complete | stream
  for each model:   up to `attempts` tries with exponential jitter while the error is retryable
                    and the model's share of the deadline is not used up
  all failed:       one ModelError that tells what each of them said
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

import stamina

from apps.sdk.chat import (
    ChatModel,
    ChatRequest,
    ContextWindowExceeded,
    ModelError,
    ModelReply,
    ModelTimeout,
    ModelUnavailable,
    TextDelta,
)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Waits:
    """Pauses between tries in seconds: `initial * 2 ** n` plus up to `jitter`, never above `maximum`.

    A provider's Retry-After is honoured instead where it is not above `maximum`; a longer one means: ask the next model.
    """

    initial: float = 0.2
    maximum: float = 5.0
    jitter: float = 0.5


class AttemptObserver(Protocol):
    """Is told of each try that failed, so that it can be counted and logged."""

    def attempt_failed(self, model: str, error: ModelError) -> None: ...


@dataclass(slots=True)
class _Run:
    """One request's way through the models. `timeout` is in seconds, `deadline` and `share_end` in the event loop's time."""

    timeout: float
    deadline: float
    share_end: float = 0.0
    asked: str = ""
    failures: list[ModelError] = field(default_factory=list)


class ResilientModel:
    """A `ChatModel` over others, best first; `timeout` is in seconds, for one request with everything that it takes,
    less where the request says so.

    A stream may fall back only until its first piece was yielded; after that its error is raised. A model's first try is always
    made, while there is time at all; tries after that only inside the model's share of the deadline, so that one that hangs
    leaves time for the next.
    """

    def __init__(
        self,
        models: Sequence[ChatModel],
        *,
        timeout: float,
        observer: AttemptObserver,
        attempts: int = 3,
        waits: Waits = Waits(),
    ) -> None:
        if not models:
            raise ValueError("at least one model is needed")
        self._models = tuple(models)
        self._timeout = timeout
        self._observer = observer
        self._attempts = attempts
        self._waits = waits

    @property
    def name(self) -> str:
        return self._models[0].name

    @property
    def names(self) -> tuple[str, ...]:
        """Of all its models."""
        return tuple(model.name for model in self._models)

    async def complete(self, request: ChatRequest) -> ModelReply:
        run = self._start(request)
        return await self._within(run, self._ask_in_order(run, lambda model: model.complete(request)))

    async def stream(self, request: ChatRequest) -> AsyncGenerator[TextDelta | ModelReply, None]:
        run = self._start(request)
        first, rest = await self._within(run, self._ask_in_order(run, lambda model: _open_stream(model, request)))
        try:
            item: TextDelta | ModelReply | None = first
            while item is not None:
                yield item
                item = await self._within(run, self._go_on(run, rest))
        finally:
            await rest.aclose()

    def _start(self, request: ChatRequest) -> _Run:
        timeout = self._timeout if request.timeout is None else max(0.0, min(request.timeout, self._timeout))
        return _Run(timeout=timeout, deadline=_now() + timeout, asked=self.name)

    async def _within(self, run: _Run, step: Awaitable[T]) -> T:
        """Await `step`, but not past the deadline. Never wraps a `yield`: the timeout would cancel the consumer."""
        try:
            async with asyncio.timeout_at(run.deadline):
                return await step
        except TimeoutError:
            error = ModelTimeout(run.asked, f"no reply within {run.timeout:g} s in all")
            self._note(run, error)
            raise _summarise(run.failures) from None

    async def _ask_in_order(self, run: _Run, ask: Callable[[ChatModel], Awaitable[T]]) -> T:
        for position, model in enumerate(self._models):
            run.asked = model.name
            run.share_end = _now() + (run.deadline - _now()) / (len(self._models) - position)
            try:
                return await self._try_repeatedly(run, model, ask)
            except ModelError:
                continue
        raise _summarise(run.failures)

    async def _try_repeatedly(self, run: _Run, model: ChatModel, ask: Callable[[ChatModel], Awaitable[T]]) -> T:
        waits = self._waits
        retry = stamina.AsyncRetryingCaller(
            attempts=self._attempts,
            timeout=None,
            wait_initial=waits.initial,
            wait_max=waits.maximum,
            wait_jitter=waits.jitter,
        )

        async def attempt() -> T:
            try:
                return await ask(model)
            except ModelError as error:
                self._note(run, error)
                raise

        return await retry(lambda error: self._wait_for(run, error), attempt)

    def _wait_for(self, run: _Run, error: Exception) -> bool | float:
        """Whether to try again, as stamina wants it: no, yes, or yes after so many seconds."""
        if not isinstance(error, ModelError) or not error.retryable or _now() >= run.share_end:
            return False
        if error.retry_after is None:
            return True
        return error.retry_after if error.retry_after <= min(self._waits.maximum, run.share_end - _now()) else False

    async def _go_on(self, run: _Run, rest: AsyncGenerator[TextDelta | ModelReply, None]) -> TextDelta | ModelReply | None:
        try:
            return await anext(rest, None)
        except ModelError as error:
            self._note(run, error)
            raise

    def _note(self, run: _Run, error: ModelError) -> None:
        run.failures.append(error)
        self._observer.attempt_failed(run.asked, error)


async def _open_stream(
    model: ChatModel, request: ChatRequest
) -> tuple[TextDelta | ModelReply, AsyncGenerator[TextDelta | ModelReply, None]]:
    """The first item of a stream and the rest of it."""
    stream = model.stream(request)
    first = await anext(stream, None)
    if first is None:
        raise ModelUnavailable(model.name, "the stream held nothing")
    return first, stream


def _summarise(failures: Sequence[ModelError]) -> ModelError:
    """The error to raise: the last one, or that the request is too long, which a caller can mend; its detail names them all."""
    too_long = (error for error in failures if isinstance(error, ContextWindowExceeded))
    chosen = next(too_long, failures[-1])
    if len(failures) == 1:
        return chosen
    told = "; ".join(dict.fromkeys(str(error) for error in failures))
    return type(chosen)(chosen.model, f"{len(failures)} attempts failed: {told}", retry_after=chosen.retry_after)


def _now() -> float:
    return asyncio.get_running_loop().time()
