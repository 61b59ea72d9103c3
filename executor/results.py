"""What came of a batch of calls: one result for each call, one for each of its entries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from apps.sdk.jsontypes import Json, JsonObject
from executor.errors import CallError
from executor.ids import EntryId

EntryStatus: TypeAlias = Literal["ok", "error", "not_executed", "reused", "already_done"]
CallOutcome: TypeAlias = Literal["ok", "partial", "error"]


@dataclass(frozen=True, slots=True)
class EntryResult:
    """One entry's result. `data` is JSON and whole; `note` is the skill's or the executor's word on it, `notes` are about the
    arguments. `reused` and `already_done` carry the data of the first run. `seconds` is 0 for what did not run.
    """

    id: EntryId
    status: EntryStatus
    request: JsonObject
    data: Json = None
    note: str | None = None
    error: CallError | None = None
    seconds: float = 0.0
    notes: tuple[str, ...] = ()

    @property
    def succeeded(self) -> bool:
        return self.error is None


@dataclass(frozen=True, slots=True)
class CallResult:
    """One call's result; entries in request order. `error` is set when the call as a whole could not be read."""

    call_id: str
    name: str
    outcome: CallOutcome
    entries: tuple[EntryResult, ...] = ()
    notes: tuple[str, ...] = ()
    batched: bool = False
    error: CallError | None = None


@dataclass(frozen=True, slots=True)
class ResultBatch:
    """Exactly one result for each call, in the order of the calls."""

    results: tuple[CallResult, ...]


def judge_outcome(entries: Sequence[EntryResult]) -> CallOutcome:
    """`ok` when all entries succeeded, `error` when none did, so that nothing is never a success."""
    succeeded = sum(entry.succeeded for entry in entries)
    if succeeded == 0:
        return "error"
    return "ok" if succeeded == len(entries) else "partial"
