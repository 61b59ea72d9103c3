"""What a model asked for, parsed: names mapped to skills, arguments to valid entries. Nothing here raises or runs anything."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from apps.sdk.catalog import SkillSpec
from apps.sdk.chat import ToolCall
from apps.sdk.contract import Contract
from apps.sdk.names import MAX_TOOL_NAME, resolve_name
from apps.sdk.near_names import SEVERAL, find_near
from apps.sdk.schemas.searching import SearchesTooLong, limit_searches
from apps.sdk.truncation import shorten
from apps.sdk.walks import exceeds_depth
from executor.arguments import parse_arguments, refuse_depth
from executor.entries import Entry, read_entries
from executor.errors import CallError, invalid_arguments
from executor.policy import Limits
from executor.validation import SkillSchemas

__all__ = ["Call", "CallBatch", "CallError", "Entry", "parse_calls"]

_LOG = logging.getLogger(__name__)

_MAX_ADVISED = 4
"""So many of a reply's first calls get close names when theirs is unknown: looking for them among thousands takes time."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a reply. `id` is the history's; `name` the skill's tool name, or what was written when there is no such skill.

    With an `error` there are no entries. `batched`: the skill takes a list of requests, so results carry ids.
    """

    id: str
    name: str
    skill: SkillSpec | None
    entries: tuple[Entry, ...] = ()
    batched: bool = False
    notes: tuple[str, ...] = ()
    error: CallError | None = None


@dataclass(frozen=True, slots=True)
class CallBatch:
    """All calls of one reply, in its order."""

    calls: tuple[Call, ...]


def parse_calls(
    tool_calls: Sequence[ToolCall],
    contract: Contract,
    limits: Limits,
    *,
    schemas: SkillSchemas | None = None,
    cut_off: bool = False,
) -> CallBatch:
    """One `Call` for each of `tool_calls`, whatever was written.

    `schemas` keeps compiled schemas from turn to turn. `cut_off`: the reply ended at the token limit, so none of it is run.
    """
    known = schemas or SkillSchemas()
    with limit_searches():
        calls = [
            _parse_call(call, place, contract, limits, schemas=known, cut_off=cut_off) for place, call in enumerate(tool_calls)
        ]
    return CallBatch(tuple(calls))


def _parse_call(
    written: ToolCall, place: int, contract: Contract, limits: Limits, *, schemas: SkillSchemas, cut_off: bool
) -> Call:
    shown = shorten(written.name, MAX_TOOL_NAME)
    if error := _refuse_unread(place, limits, cut_off=cut_off):
        return Call(written.id, shown, contract.skills.get(written.name), error=error)
    resolution = resolve_name(written.name, contract.skills, contract.known)
    if resolution.name is None:
        close = find_near(written.name, contract.skills, SEVERAL) if place < _MAX_ADVISED else ()
        return Call(written.id, shown, None, error=_unknown(written.name, close))
    skill = contract.skills[resolution.name]
    notes = (f"{shown} was read as {skill.tool_name}.",) if resolution.repaired else ()
    try:
        return _read_call(written, skill, notes, contract, limits, schemas=schemas)
    except SearchesTooLong:
        error = invalid_arguments(
            "It takes too long to search the arguments for the patterns of the schema.",
            "Call again with shorter texts and names of fields, or with fewer of them.",
        )
        return Call(written.id, skill.tool_name, skill, notes=notes, error=error)
    except (ArithmeticError, RecursionError):
        error = invalid_arguments("The arguments nest too deeply, or hold a number that is too large, to be checked.")
        return Call(written.id, skill.tool_name, skill, notes=notes, error=error)
    except Exception:  # noqa: BLE001 - nothing that a model writes may take down the turn
        _LOG.exception("call_unreadable", extra={"call_id": written.id, "tool": skill.tool_name})
        error = CallError("internal", "The arguments could not be read, through a fault of the service.", retryable=False)
        return Call(written.id, skill.tool_name, skill, notes=notes, error=error)


def _read_call(
    written: ToolCall, skill: SkillSpec, notes: tuple[str, ...], contract: Contract, limits: Limits, *, schemas: SkillSchemas
) -> Call:
    schema = schemas.find(skill)
    batched = schema.entry is not None
    arguments = parse_arguments(written.arguments)
    if contract.schemas is not None and not isinstance(arguments, CallError):
        restored = contract.schemas.restore(skill, arguments)
        notes = (*notes, *restored.notes)
        arguments = refuse_depth() if exceeds_depth(restored.arguments) else restored.arguments
    read = arguments if isinstance(arguments, CallError) else read_entries(arguments, schema, limits)
    if isinstance(read, CallError):
        return Call(written.id, skill.tool_name, skill, batched=batched, notes=notes, error=read)
    return Call(written.id, skill.tool_name, skill, read.entries, batched, (*notes, *read.notes))


def _refuse_unread(place: int, limits: Limits, *, cut_off: bool) -> CallError | None:
    if cut_off:
        return CallError(
            "arguments_cut_off",
            "The reply ended at the token limit in the middle of its tool calls; none of them was run.",
            retryable=True,
            hint="Call again with shorter arguments, or with fewer calls in one reply.",
        )
    if place >= limits.calls_per_reply:
        return CallError(
            "too_many_calls",
            f"Not executed: one reply runs at most {limits.calls_per_reply} calls (limit calls_per_reply).",
            retryable=True,
            hint="Call it again in a later reply.",
        )
    return None


def _unknown(written: str, close: tuple[str, ...]) -> CallError:
    name = shorten(written.strip(), MAX_TOOL_NAME) or "(empty)"
    hint = f"Close names: {', '.join(close)}." if close else "Use the tools that were offered, by their exact names."
    return CallError("unknown_tool", f"There is no tool {name}.", retryable=bool(close), hint=hint)
