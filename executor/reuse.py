"""What one turn remembers of its calls: when a result is reused, when a call is refused.

A `read` result is reused while no write of its app has succeeded since; an identical successful `write` is already done. After
a failure a call runs again; the third identical failing one is refused. Identical calls at the same time run once.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from typing import TypeAlias

from apps.sdk.catalog import SkillSpec
from apps.sdk.hashing import canonical_json
from apps.sdk.jsontypes import Json, JsonObject
from executor.errors import CallError

_MAX_FAILURES = 2
_NOT_THE_CALLS_FAULT = frozenset({"cancelled", "deadline", "overloaded", "internal"})
_EFFECT_UNKNOWN = frozenset({"timeout", "skill_crashed", "bad_result", "result_too_large", "cancelled", "internal"})

CallKey: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one dispatch. `started` is False when it never ran; then there is always an `error`."""

    data: Json = None
    note: str | None = None
    error: CallError | None = None
    seconds: float = 0.0
    started: bool = True


@dataclass(slots=True, eq=False)
class Flight:
    """A call under way. `landed` ends with its outcome, or with None when it was abandoned half-way."""

    landed: asyncio.Future[Outcome | None]
    epoch: int | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """Run it, and report to `land`."""

    flight: Flight


@dataclass(frozen=True, slots=True)
class Follow:
    """The same call is under way: wait for it."""

    flight: Flight


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer is known: an earlier success, or a refusal."""

    outcome: Outcome


Decision: TypeAlias = Run | Follow | Answer


def make_key(skill: SkillSpec, arguments: JsonObject) -> CallKey:
    return skill.tool_name, canonical_json(arguments)


@dataclass(slots=True)
class TurnMemory:
    """One per turn. An app's epoch counts its writes that succeeded or may have; `_writes` only those that did."""

    _epochs: Counter[str] = field(default_factory=Counter)
    _writes: Counter[str] = field(default_factory=Counter)
    _successes: dict[CallKey, tuple[int, Outcome]] = field(default_factory=dict)
    _failures: dict[CallKey, tuple[int, int]] = field(default_factory=dict)
    _flights: dict[CallKey, Flight] = field(default_factory=dict)

    def consult(self, skill: SkillSpec, key: CallKey) -> Decision:
        """Decide, before any waiting, what happens to a call; whoever gets `Run` must `land` it."""
        epoch = self._epochs[skill.app_id]
        flight = self._flights.get(key)
        if flight is not None and (skill.effect == "write" or flight.epoch in {None, epoch}):
            return Follow(flight)
        if key in self._successes and (skill.effect == "write" or self._successes[key][0] == epoch):
            return Answer(self._successes[key][1])
        if self._failures.get(key) == (self._writes[skill.app_id], _MAX_FAILURES):
            return Answer(_refused())
        self._flights[key] = Flight(asyncio.get_running_loop().create_future())
        return Run(self._flights[key])

    def start(self, skill: SkillSpec, flight: Flight) -> None:
        """The call, or another try of it, really starts now: what it reads is as new as the app's latest write."""
        flight.epoch = self._epochs[skill.app_id]

    def land(self, skill: SkillSpec, key: CallKey, flight: Flight, outcome: Outcome | None) -> None:
        """Remember how the call ended and wake those that follow it; None = it was cancelled."""
        if self._flights.get(key) is flight:
            del self._flights[key]
        started = flight.epoch is not None
        succeeded = outcome is not None and outcome.error is None
        if skill.effect == "write" and started and _may_have_written(outcome):
            self._epochs[skill.app_id] += 1
            self._writes[skill.app_id] += succeeded
        if outcome is not None and succeeded:
            self._successes[key] = (flight.epoch or 0, outcome)
            self._failures.pop(key, None)
        elif outcome is not None and _counts_as_failure(outcome):
            self._count_failure(skill, key)
        if not flight.landed.done():
            flight.landed.set_result(outcome)

    def _count_failure(self, skill: SkillSpec, key: CallKey) -> None:
        """A write of the app in between may have mended what failed: counting starts again."""
        writes = self._writes[skill.app_id]
        before, count = self._failures.get(key, (writes, 0))
        self._failures[key] = (writes, count + 1 if before == writes else 1)


def _counts_as_failure(outcome: Outcome) -> bool:
    return outcome.error is not None and outcome.error.code not in _NOT_THE_CALLS_FAULT


def _may_have_written(outcome: Outcome | None) -> bool:
    return outcome is None or outcome.error is None or outcome.error.code in _EFFECT_UNKNOWN


def _refused() -> Outcome:
    error = CallError(
        "repeated_failure",
        "Not executed: exactly this call failed twice already in this turn.",
        retryable=False,
        hint="Change the arguments, use another tool, or answer without it.",
    )
    return Outcome(error=error, started=False)
