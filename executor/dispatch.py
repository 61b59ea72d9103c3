"""One dispatch to the engine: its place among the turn's five, its timeout, its retries, its end."""

from __future__ import annotations

import asyncio
import dataclasses
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import stamina

from apps.sdk.catalog import SkillSpec
from apps.sdk.jsontypes import Json
from apps.sdk.skill import Cancellation, SkillContext
from executor.engine.base import Engine
from executor.errors import CallError
from executor.failures import (
    describe_frames,
    describe_traceback,
    explain_failure,
    explain_timeout,
    is_foreseen,
    is_transient,
    make_cleaner,
)
from executor.policy import Limits

_LOG = logging.getLogger(__name__)

ContextMaker: TypeAlias = Callable[[SkillSpec, str, float, Cancellation], SkillContext]
"""Makes a context from the skill, the call's id, the deadline in seconds of `time.monotonic()`, and whether the call is over."""


@dataclass(frozen=True, slots=True)
class Job:
    """What to dispatch. `invoke` starts the work on the engine; `on_start` is told when it really starts, at each try."""

    skill: SkillSpec
    call_id: str
    deadline: float
    invoke: Callable[[Engine, SkillContext], Awaitable[list[Json]]]
    on_start: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Reply:
    """What a dispatch came to: the skill's answers, unless `error`. `secrets` are those it was given."""

    answers: Sequence[Json] = ()
    error: CallError | None = None
    seconds: float = 0.0
    started: bool = True
    secrets: tuple[str, ...] = ()


@dataclass(slots=True)
class CancelFlag:
    """A `Cancellation` that its owner sets."""

    cancelled: bool = False


class _Transient(Exception):
    """A failure that another try may mend."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(reply.error.code if reply.error else "")
        self.reply = reply


@dataclass(slots=True)
class Dispatcher:
    """One per turn: `gate` is what keeps a turn to `limits.parallel` entries at a time."""

    engine: Engine
    limits: Limits
    make_context: ContextMaker
    gate: asyncio.Semaphore
    abandoned: set[asyncio.Task[_Ended]] = field(default_factory=set)

    async def dispatch(self, job: Job) -> Reply:
        """Run `job`, again when it is idempotent and failed by chance. Raises nothing but the caller's own cancellation."""
        limits = self.limits
        began = time.monotonic()
        attempts = stamina.retry_context(
            on=lambda error: isinstance(error, _Transient) and job.deadline - time.monotonic() > limits.retry_wait_max,
            attempts=limits.retry_attempts if job.skill.idempotent else 1,
            timeout=None,
            wait_initial=limits.retry_wait,
            wait_max=limits.retry_wait_max,
            wait_jitter=limits.retry_wait,
        )
        try:
            async for attempt in attempts:
                with attempt:
                    reply = await self._try(job)
                    if is_transient(reply.error):
                        raise _Transient(reply)
                    return dataclasses.replace(reply, seconds=time.monotonic() - began if reply.started else 0.0)
        except _Transient as failure:
            return dataclasses.replace(failure.reply, seconds=time.monotonic() - began)
        raise AssertionError("unreachable: the last attempt returns or raises")

    async def _try(self, job: Job) -> Reply:
        try:
            async with asyncio.timeout(job.deadline - time.monotonic()):
                await self.gate.acquire()
        except TimeoutError:
            return _out_of_time()
        try:
            left = job.deadline - time.monotonic()
            return await self._supervise(job, left) if left > 0 else _out_of_time()
        finally:
            self.gate.release()

    async def _supervise(self, job: Job, left: float) -> Reply:
        limit = min(job.skill.timeout or self.limits.timeout, left)
        flag = CancelFlag()
        try:
            context = self.make_context(job.skill, job.call_id, time.monotonic() + limit, flag)
        except Exception as error:  # noqa: BLE001 - a broken context must cost this entry only
            return self._fail(job, error, ())
        job.on_start()
        secrets = tuple(context.secrets.values())
        task = asyncio.create_task(_contain(job.invoke(self.engine, context)))
        try:
            await asyncio.wait({task}, timeout=limit)
        finally:
            in_time = task.done()
            flag.cancelled = not in_time
            if not in_time:
                await self._end(task, job)
        if not in_time:
            _LOG.warning("skill_timeout", extra={**_name(job), "seconds": limit})
            return Reply(error=explain_timeout(job.skill, limit), secrets=secrets)
        ended = _Ended(error=asyncio.CancelledError()) if task.cancelled() else task.result()
        return self._fail(job, ended.error, secrets) if ended.error else Reply(ended.answers, secrets=secrets)

    async def _end(self, task: asyncio.Task[_Ended], job: Job) -> None:
        """Cancel, wait for the grace, then let go: a skill that will not stop must hold up nobody."""
        task.cancel()
        try:
            await asyncio.wait({task}, timeout=self.limits.cancel_grace)
        finally:
            if not task.done():
                self.abandoned.add(task)
                task.add_done_callback(self.abandoned.discard)
                _LOG.error("skill_abandoned", extra=_name(job))

    def _fail(self, job: Job, error: BaseException, secrets: tuple[str, ...]) -> Reply:
        fields = {**_name(job), "error_type": type(error).__name__}
        if is_foreseen(error):
            _LOG.info("skill_refused", extra=fields)
        else:
            _LOG.warning("skill_failed", extra={**fields, "frames": describe_frames(error)})
        if _LOG.isEnabledFor(logging.DEBUG):
            _LOG.debug("skill_error", extra={**fields, "traceback": describe_traceback(error, secrets)})
        clean = make_cleaner(secrets, self.limits.error_characters)
        return Reply(error=explain_failure(error, job.skill, clean), secrets=secrets)


@dataclass(frozen=True, slots=True)
class _Ended:
    answers: Sequence[Json] = ()
    error: BaseException | None = None


async def _contain(work: Awaitable[list[Json]]) -> _Ended:
    """`work` with whatever it raises as a value: a task that raised SystemExit would stop the whole event loop."""
    try:
        return _Ended(await work)
    except asyncio.CancelledError:
        raise
    except BaseException as error:  # noqa: BLE001 - see above
        return _Ended(error=error)


def _name(job: Job) -> dict[str, object]:
    return {"call_id": job.call_id, "tool": job.skill.tool_name}


def _out_of_time() -> Reply:
    error = CallError("deadline", "Not executed: the turn ran out of time.", retryable=False, hint="Answer with what there is.")
    return Reply(error=error, started=False)
