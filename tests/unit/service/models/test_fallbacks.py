"""Retries, fallbacks and the one deadline around them, with scripted models in memory (case 14, case 45)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace

import pytest

from apps.sdk.chat import (
    ChatRequest,
    ContextWindowExceeded,
    Message,
    ModelError,
    ModelRateLimited,
    ModelRefused,
    ModelReply,
    ModelTimeout,
    ModelUnavailable,
    TextDelta,
)
from service.models.fallbacks import ResilientModel, Waits

REQUEST = ChatRequest((Message("user", "hi"),))
NO_WAITS = Waits(0, 0, 0)

Step = ModelError | str | float
"""What one try does: raise, answer, or hang for so many seconds and then answer."""


class ScriptedModel:
    """Does one step per try; a stream yields the letters of its answer, and `!` in it breaks the stream there."""

    def __init__(self, name: str, *steps: Step) -> None:
        self.name = name
        self.steps = list(steps)
        self.tries = 0
        self.closed = 0

    async def complete(self, request: ChatRequest) -> ModelReply:
        assert request.messages is REQUEST.messages
        return ModelReply(await self._take(), (), "stop", self.name)

    async def stream(self, request: ChatRequest) -> AsyncGenerator[TextDelta | ModelReply, None]:
        try:
            text = await self._take()
            for letter in text:
                if letter == "!":
                    raise ModelUnavailable(self.name, "broke")
                if letter == "~":
                    await asyncio.sleep(30)
                yield TextDelta(letter)
            yield ModelReply(text, (), "stop", self.name)
        finally:
            self.closed += 1

    async def _take(self) -> str:
        self.tries += 1
        step = self.steps.pop(0)
        if isinstance(step, ModelError):
            raise step
        if isinstance(step, str):
            return step
        await asyncio.sleep(step)
        return "late"


class Log:
    def __init__(self) -> None:
        self.entries: list[tuple[str, str]] = []

    def attempt_failed(self, model: str, error: ModelError) -> None:
        self.entries.append((model, error.code))


def resilient(*models: ScriptedModel, log: Log | None = None, timeout: float = 5.0, waits: Waits = NO_WAITS) -> ResilientModel:
    return ResilientModel(models, timeout=timeout, observer=log or Log(), attempts=3, waits=waits)


async def collect(model: ResilientModel) -> list[TextDelta | ModelReply]:
    return [item async for item in model.stream(REQUEST)]


def unavailable(model: str = "a") -> ModelError:
    return ModelUnavailable(model, "HTTP 503")


@pytest.mark.parametrize("error", [ModelTimeout("a", "x"), ModelRateLimited("a", "x"), ModelUnavailable("a", "x")])
async def test_what_may_pass_is_tried_again(error: ModelError) -> None:
    """Case 14: 429, 5xx and timeouts are retried; every failed try is observed."""
    model, log = ScriptedModel("a", error, error, "ok"), Log()
    reply = await resilient(model, log=log).complete(REQUEST)
    assert (reply.text, reply.model, model.tries) == ("ok", "a", 3)
    assert log.entries == [("a", error.code)] * 2


@pytest.mark.parametrize("error", [ModelRefused("a", "x"), ContextWindowExceeded("a", "x")])
async def test_a_refusal_is_not_tried_again(error: ModelError) -> None:
    """Case 14: HTTP 400 is not retried; with no other model it is raised as it is."""
    model = ScriptedModel("a", error, "never asked")
    with pytest.raises(type(error)) as raised:
        await resilient(model).complete(REQUEST)
    assert raised.value is error
    assert model.tries == 1


async def test_the_next_model_serves() -> None:
    """Case 45: the first model is exhausted, the second refuses, the third serves and is named in the reply."""
    first = ScriptedModel("a", *[unavailable()] * 3)
    second, third = ScriptedModel("b", ModelRefused("b", "HTTP 400")), ScriptedModel("c", "ok")
    reply = await resilient(first, second, third).complete(REQUEST)
    assert (reply.model, first.tries, second.tries, third.tries) == ("c", 3, 1, 1)


async def test_when_all_fail_the_error_tells_of_each() -> None:
    """The last error is raised; its detail says what every model said, repetitions once."""
    models = ScriptedModel("a", *[unavailable()] * 3), ScriptedModel("b", ModelRefused("b", "HTTP 401"))
    with pytest.raises(ModelRefused) as raised:
        await resilient(*models).complete(REQUEST)
    assert raised.value.model == "b"
    assert raised.value.detail == "4 attempts failed: a: HTTP 503; b: HTTP 401"


async def test_a_request_that_is_too_long_says_so() -> None:
    """The next model may have a longer window; when none serves, the error is still that the request is too long."""
    too_long = ContextWindowExceeded("a", "HTTP 400")
    reply = await resilient(ScriptedModel("a", too_long), ScriptedModel("b", "ok")).complete(REQUEST)
    assert reply.model == "b"
    with pytest.raises(ContextWindowExceeded, match="HTTP 503"):
        await resilient(ScriptedModel("a", too_long), ScriptedModel("b", *[unavailable("b")] * 3)).complete(REQUEST)


async def test_one_deadline_covers_everything() -> None:
    """Case 14: a model that hangs costs the deadline, not more, and the try that was under way is observed."""
    log = Log()
    with pytest.raises(ModelTimeout, match="in all") as raised:
        await resilient(ScriptedModel("a", 30.0), log=log, timeout=0.05).complete(REQUEST)
    assert raised.value.model == "a"
    assert log.entries == [("a", "model_timeout")]


async def test_a_caller_with_less_time() -> None:
    """A shorter deadline can be set per request, a longer one cannot; the models are the same."""
    model = ScriptedModel("a", 30.0, 30.0)
    with pytest.raises(ModelTimeout, match=r"0\.05 s"):
        await resilient(model).complete(replace(REQUEST, timeout=0.05))
    with pytest.raises(ModelTimeout, match=r"0\.05 s"):
        await resilient(model, timeout=0.05).complete(replace(REQUEST, timeout=60))
    assert model.tries == 2


async def test_waits_count_too() -> None:
    """A pause between tries ends with the deadline as well."""
    with pytest.raises(ModelTimeout):
        await resilient(ScriptedModel("a", unavailable()), timeout=0.05, waits=Waits(20, 20, 0)).complete(REQUEST)


async def test_a_model_keeps_to_its_share_of_the_time() -> None:
    """A model that was slow to fail is not tried again when that would take the next one's time."""

    class Slow(ScriptedModel):
        async def complete(self, request: ChatRequest) -> ModelReply:
            self.tries += 1
            await asyncio.sleep(0.28)
            raise unavailable()

    slow, next_model = Slow("a"), ScriptedModel("b", "ok")
    reply = await resilient(slow, next_model, timeout=0.55).complete(REQUEST)
    assert (reply.model, slow.tries) == ("b", 1)


async def test_retry_after_is_honoured_up_to_a_point() -> None:
    """A short Retry-After is waited for; one that is longer than the longest pause sends the request to the next model."""
    short = ScriptedModel("a", ModelRateLimited("a", "x", retry_after=0.01), "ok")
    assert (await resilient(short, waits=Waits(0, 1, 0)).complete(REQUEST)).model == "a"
    long, other = ScriptedModel("a", ModelRateLimited("a", "x", retry_after=60.0), "ok"), ScriptedModel("b", "ok")
    assert (await resilient(long, other).complete(REQUEST)).model == "b"
    assert long.tries == 1


async def test_cancelling_stops_at_once() -> None:
    """A cancelled request is not retried, not passed on and raises no ModelError."""
    first, second, log = ScriptedModel("a", 30.0, "no"), ScriptedModel("b", "no"), Log()
    task = asyncio.create_task(resilient(first, second, log=log).complete(REQUEST))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (first.tries, second.tries, log.entries) == (1, 0, [])


async def test_a_mistake_of_ours_is_not_hidden() -> None:
    """What is no ModelError breaks the port's promise and is neither retried nor covered by the next model."""

    class Broken(ScriptedModel):
        async def complete(self, request: ChatRequest) -> ModelReply:
            raise KeyError("ours")

    with pytest.raises(KeyError):
        await resilient(Broken("a"), ScriptedModel("b", "ok")).complete(REQUEST)


async def test_a_stream_falls_back_while_nothing_was_shown() -> None:
    """Case 45, streaming: what fails before the first piece is retried, then the next model streams."""
    first, second = ScriptedModel("a", *[unavailable()] * 3), ScriptedModel("b", "hey")
    *deltas, last = await collect(resilient(first, second))
    assert deltas == [TextDelta("h"), TextDelta("e"), TextDelta("y")]
    assert isinstance(last, ModelReply)
    assert (last.model, first.tries) == ("b", 3)


async def test_a_stream_that_breaks_after_its_first_piece_is_raised() -> None:
    """Nothing is said twice: after the first piece there is no fallback; the failure is observed."""
    first, second, log = ScriptedModel("a", "he!"), ScriptedModel("b", "no"), Log()
    stream = resilient(first, second, log=log).stream(REQUEST)
    assert [await anext(stream), await anext(stream)] == [TextDelta("h"), TextDelta("e")]
    with pytest.raises(ModelUnavailable):
        await anext(stream)
    assert (second.tries, log.entries) == (0, [("a", "model_unavailable")])


async def test_a_stream_keeps_the_deadline() -> None:
    """A stream that stalls in the middle ends at the deadline and is closed."""
    model = ScriptedModel("a", "he~llo")
    with pytest.raises(ModelTimeout):
        await collect(resilient(model, timeout=0.05))
    assert model.closed == 1


async def test_an_empty_stream_is_a_failure() -> None:
    """A model that yields nothing at all breaks its promise; the next one is asked."""

    class Empty(ScriptedModel):
        async def stream(self, request: ChatRequest) -> AsyncGenerator[TextDelta | ModelReply, None]:
            self.tries += 1
            for text in self.steps:
                yield TextDelta(str(text))

    empty = Empty("a")
    items = await collect(resilient(empty, ScriptedModel("b", "x")))
    assert items[-1] == ModelReply("x", (), "stop", "b")
    assert empty.tries == 3


async def test_a_consumer_that_leaves_closes_the_stream() -> None:
    """Leaving early closes the model's stream in order."""
    model = ScriptedModel("a", "hello")
    stream = resilient(model).stream(REQUEST)
    assert isinstance(stream, AsyncGenerator)
    async with aclosing(stream):
        async for _ in stream:
            break
    assert model.closed == 1


async def test_a_slow_consumer_is_not_cancelled() -> None:
    """The deadline ends the model's work, never the consumer's: it is no timeout around a yield."""
    model = ScriptedModel("a", "hi")
    async for _ in resilient(model, timeout=0.03).stream(REQUEST):
        await asyncio.sleep(0.05)
    assert model.closed == 1


@pytest.mark.parametrize("models", [()])
def test_no_model_at_all_is_a_mistake(models: Sequence[ScriptedModel]) -> None:
    """An empty list is refused at the start."""
    with pytest.raises(ValueError, match="at least one"):
        resilient(*models)


def test_the_name_is_the_preferred_model() -> None:
    """Until it is known which model serves, the name is the first one's."""
    assert resilient(ScriptedModel("a"), ScriptedModel("b")).name == "a"
