"""Run a batch of calls: fan out, collect, order. One `TurnExecution` per turn."""

from __future__ import annotations

import asyncio
import copy
import functools
import logging
import time
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from typing import Protocol, assert_never

from apps.sdk.catalog import SkillSpec
from apps.sdk.contract import Contract
from apps.sdk.invocation import unwrap
from apps.sdk.jsontypes import Json
from apps.sdk.results.conversion import NotJson, TooLarge, is_large, to_json
from apps.sdk.skill import SkillContext, SkillError
from apps.sdk.threads import run_in_thread
from executor.calls import Call, CallBatch
from executor.dispatch import ContextMaker, Dispatcher, Job, Reply
from executor.engine.base import Engine
from executor.errors import CallError
from executor.failures import explain_failure, make_cleaner
from executor.policy import Limits
from executor.progress import Progress
from executor.results import CallResult, ResultBatch
from executor.reuse import Answer, CallKey, Flight, Follow, Outcome, Run, TurnMemory, make_key

_LOG = logging.getLogger(__name__)


class Observer(Protocol):
    """Told as calls come and go; must not block, and what it raises is logged and forgotten.

    A call that is cancelled half-way is not told finished: `results_after_cancel` has its result.
    """

    async def call_started(self, call: Call) -> None: ...

    async def call_finished(self, result: CallResult) -> None: ...


@dataclass(frozen=True, slots=True)
class _Work:
    """One call under way: `place` is where it stands in the batch."""

    progress: Progress
    place: int
    call: Call
    skill: SkillSpec
    deadline: float


@dataclass(frozen=True, slots=True)
class _Leg:
    """An entry that must really run: where it stands in its call, and the flight to land."""

    at: int
    key: CallKey
    flight: Flight


class TurnExecution:
    """One per turn: holds the turn's one semaphore and what it remembers of its calls.

    `make_context` is asked for each try of an entry.
    """

    def __init__(
        self, engine: Engine, contract: Contract, limits: Limits, make_context: ContextMaker, observer: Observer
    ) -> None:
        self._engine = engine
        self._contract = contract
        self._limits = limits
        self._observer = observer
        self._memory = TurnMemory()
        self._dispatcher = Dispatcher(engine, limits, make_context, asyncio.Semaphore(limits.parallel))
        self._progress: Progress | None = None

    async def run(self, batch: CallBatch, deadline: float) -> ResultBatch:
        """Exactly one result per call, in order. `deadline` is in seconds of `time.monotonic()`.

        Raises nothing but the caller's own cancellation; then running skills are cancelled, waiting ones never start, and
        `results_after_cancel` has a result for every call.
        """
        progress = self._progress = Progress(batch)
        async with asyncio.TaskGroup() as group:
            for place, call in enumerate(batch.calls):
                group.create_task(self._run_call(progress, place, call, deadline))
        return progress.finish_all()

    def results_after_cancel(self, batch: CallBatch) -> ResultBatch:
        """What `run` would have returned: finished entries as they are, the others `cancelled`. Also before any `run`."""
        progress = self._progress
        return (progress if progress is not None and progress.batch is batch else Progress(batch)).finish_all()

    async def _run_call(self, progress: Progress, place: int, call: Call, deadline: float) -> None:
        await self._tell(self._observer.call_started(call))
        if call.error is None and call.skill is not None:
            await self._run_entries(_Work(progress, place, call, call.skill, deadline))
        result = progress.finish(place)
        await self._tell(self._observer.call_finished(result))

    async def _run_entries(self, work: _Work) -> None:
        """Decide about all entries first, then run those that must, together where the skill takes them so."""
        allowed = self._contract.skills.get(work.skill.tool_name) is work.skill
        legs: list[_Leg] = []
        async with asyncio.TaskGroup() as group:
            for at, entry in enumerate(work.call.entries):
                if entry.error is not None:
                    continue
                key = make_key(work.skill, entry.arguments)
                match self._memory.consult(work.skill, key) if allowed else Answer(_out_of_contract(work.skill)):
                    case Answer(outcome):
                        work.progress.put_again(work.place, at, outcome)
                    case Follow(flight):
                        group.create_task(self._follow(work, at, flight))
                    case Run(flight):
                        legs.append(_Leg(at, key, flight))
                    case never:
                        assert_never(never)
            together = self._engine.takes_batches(work.skill)
            for some in [legs] if together and legs else [[leg] for leg in legs]:
                group.create_task(self._fly(work, some))

    async def _follow(self, work: _Work, at: int, flight: Flight) -> None:
        """Wait for the same call's outcome, without a place among the turn's five."""
        await asyncio.wait({flight.landed}, timeout=max(0.0, work.deadline - time.monotonic()))
        outcome = flight.landed.result() if flight.landed.done() else None
        work.progress.put_again(work.place, at, outcome or _not_landed())

    async def _fly(self, work: _Work, legs: Sequence[_Leg]) -> None:
        """Dispatch, fill the slots, and land every flight, also when this is cancelled or defective."""
        outcomes: Sequence[Outcome | None] = [None] * len(legs)
        try:
            outcomes = await self._dispatch(work, legs)
        except Exception:  # noqa: BLE001 - a defect here must not cancel the sibling calls
            _LOG.exception("execution_defect", extra={"call_id": work.call.id, "tool": work.skill.tool_name})
            outcomes = [_defect()] * len(legs)
        finally:
            for leg, outcome in zip(legs, outcomes, strict=True):
                self._memory.land(work.skill, leg.key, leg.flight, outcome)
                if outcome is not None:
                    work.progress.put(work.place, leg.at, outcome)

    async def _dispatch(self, work: _Work, legs: Sequence[_Leg]) -> list[Outcome]:
        requests = [work.call.entries[leg.at].arguments for leg in legs]

        def on_start() -> None:
            for leg in legs:
                work.progress.started.add((work.place, leg.at))
                self._memory.start(work.skill, leg.flight)

        async def invoke(engine: Engine, context: SkillContext) -> list[Json]:
            own = copy.deepcopy(requests)  # a skill may change what it is given; the next try and the result must not see it
            return await engine.execute(work.skill, own, context)

        reply = await self._dispatcher.dispatch(Job(work.skill, work.call.id, work.deadline, invoke, on_start))
        answers = reply.answers if reply.error is None else [None] * len(legs)
        return [await self._read_outcome(answer, reply, work.skill) for _, answer in zip(legs, answers, strict=True)]

    async def _read_outcome(self, answer: Json, reply: Reply, skill: SkillSpec) -> Outcome:
        if reply.error is not None:
            return Outcome(error=reply.error, seconds=reply.seconds, started=reply.started)
        clean = make_cleaner(reply.secrets, self._limits.error_characters)
        if issubclass(type(answer), SkillError):
            return Outcome(error=explain_failure(answer, skill, clean), seconds=reply.seconds)
        data, note = unwrap(answer)
        try:
            convert = functools.partial(to_json, data, max_bytes=self._limits.result_bytes)
            whole = await run_in_thread(convert, f"result of {skill.tool_name}") if is_large(data) else convert()
        except (NotJson, TooLarge) as error:
            return Outcome(error=_unusable(error, self._limits), seconds=reply.seconds)
        return Outcome(whole, clean(note) if note else None, seconds=reply.seconds)

    async def _tell(self, event: Coroutine[None, None, None]) -> None:
        try:
            await event
        except Exception:  # noqa: BLE001 - who listens must not disturb what runs
            _LOG.exception("observer_failed")


def _unusable(error: NotJson | TooLarge, limits: Limits) -> CallError:
    if isinstance(error, TooLarge):
        message = f"The skill ran, but {error}, more than {limits.result_bytes} (limit result_bytes)."
        return CallError("result_too_large", message, retryable=True, hint="Ask for less: a filter, a smaller number of rows.")
    return CallError("bad_result", f"The skill ran, but {error}.", retryable=False)


def _out_of_contract(skill: SkillSpec) -> Outcome:
    return Outcome(error=CallError("unknown_tool", f"There is no tool {skill.tool_name}.", retryable=False), started=False)


def _not_landed() -> Outcome:
    return Outcome(error=CallError("deadline", "Not executed: the turn ran out of time.", retryable=False), started=False)


def _defect() -> Outcome:
    return Outcome(error=CallError("internal", "The call failed through a fault of the service.", retryable=False))
