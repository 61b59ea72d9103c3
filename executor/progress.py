"""How far a batch has come: a slot for each entry, filled once, so that every call has its result whatever happens."""

from __future__ import annotations

from dataclasses import dataclass, field

from apps.sdk.catalog import SkillSpec
from executor.calls import Call, CallBatch
from executor.entries import Entry
from executor.errors import CallError
from executor.failures import may_run_again
from executor.results import CallResult, EntryResult, EntryStatus, ResultBatch, judge_outcome
from executor.reuse import Outcome

_REUSED = "The same call was answered earlier in this turn; this is that result."
_ALREADY_DONE = "Exactly this call succeeded earlier in this turn; it was not run again."


@dataclass(slots=True)
class Progress:
    """The slots of one batch. `started` holds what was dispatched, by the places of call and entry."""

    batch: CallBatch
    started: set[tuple[int, int]] = field(default_factory=set)
    _slots: dict[tuple[int, int], EntryResult] = field(default_factory=dict)

    def put(self, place: int, at: int, outcome: Outcome) -> None:
        """Fill a slot with what its own run came to."""
        self._fill(place, at, outcome, "ok", None)

    def put_again(self, place: int, at: int, outcome: Outcome) -> None:
        """Fill a slot with what the same call came to earlier, or at the same time."""
        skill = self.batch.calls[place].skill
        if outcome.error is not None:
            self._fill(place, at, outcome, "error", None)
        elif skill is not None and skill.effect == "write":
            self._fill(place, at, outcome, "already_done", _ALREADY_DONE)
        else:
            self._fill(place, at, outcome, "reused", _REUSED)

    def _fill(self, place: int, at: int, outcome: Outcome, success: EntryStatus, note: str | None) -> None:
        entry = self.batch.calls[place].entries[at]
        failure: EntryStatus = "error" if outcome.started else "not_executed"
        self._slots[place, at] = EntryResult(
            entry.id,
            success if outcome.error is None else failure,
            entry.arguments,
            outcome.data,
            " ".join(filter(None, (note, outcome.note))) or None,
            outcome.error,
            outcome.seconds if note is None else 0.0,
            entry.notes,
        )

    def finish(self, place: int) -> CallResult:
        """The call's result; entries without one yet are told cancelled."""
        call = self.batch.calls[place]
        entries = tuple(self._result(place, at, entry, call) for at, entry in enumerate(call.entries))
        return CallResult(call.id, call.name, judge_outcome(entries), entries, call.notes, call.batched, call.error)

    def finish_all(self) -> ResultBatch:
        return ResultBatch(tuple(self.finish(place) for place in range(len(self.batch.calls))))

    def _result(self, place: int, at: int, entry: Entry, call: Call) -> EntryResult:
        if (place, at) in self._slots:
            return self._slots[place, at]
        error = entry.error or _cancelled(call.skill, started=(place, at) in self.started)
        ran = error.code == "invalid_arguments" or (place, at) in self.started
        return EntryResult(entry.id, "error" if ran else "not_executed", entry.arguments, error=error, notes=entry.notes)


def _cancelled(skill: SkillSpec | None, *, started: bool) -> CallError:
    if started and skill is not None and not may_run_again(skill):
        return CallError("cancelled", "Cancelled while it ran; it may have taken effect all the same.", retryable=False)
    return CallError("cancelled", "Cancelled while it ran." if started else "Cancelled before it ran.", retryable=True)
