"""One call's arguments to the entries that are executed, each on its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.kinds import describe_kind
from apps.sdk.schemas.faults import join_path
from apps.sdk.schemas.parameters import REQUESTS
from apps.sdk.schemas.references import required_of
from apps.sdk.strict_json import load_nested
from apps.sdk.truncation import shorten
from executor.coerce import coerce
from executor.errors import CallError, invalid_arguments
from executor.ids import EntryId, assign_ids
from executor.policy import Limits
from executor.validation import SkillSchema, check

MAX_LISTED = 10
"""Entries over the limit that get a result of their own; the others are counted in a note."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One request of a call. `arguments` are coerced and valid unless `error`; with an `error` it is not run."""

    id: EntryId
    arguments: JsonObject
    notes: tuple[str, ...] = ()
    error: CallError | None = None


@dataclass(frozen=True, slots=True)
class Entries:
    """All entries of a call in request order, with notes on the call as a whole."""

    entries: tuple[Entry, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Parts:
    """Arguments taken apart: the entries as written, what is meant for the call as a whole, what may fill entries."""

    requests: list[Json]
    beside: JsonObject
    filling: JsonObject
    notes: tuple[str, ...]


def read_entries(arguments: JsonObject, schema: SkillSchema, limits: Limits) -> Entries | CallError:
    """Split, coerce and validate. An error of one entry is that entry's; an error of the call as a whole is returned."""
    if schema.entry is None or _is_whole(arguments, schema):
        return Entries((_Reader(replace(schema, entry=None), {}, {}).finish(1, arguments, (), ()),))
    parts = _take_apart(arguments, schema)
    if isinstance(parts, CallError):
        return parts
    beside = coerce(parts.beside, schema.beside, schema.root)
    error = check({**beside.value, REQUESTS: parts.requests}, schema.beside)
    if error:
        return error
    bodies = [_unwrap(raw) for raw in parts.requests[: limits.requests_per_call + MAX_LISTED]]
    ids = assign_ids([body.get("id") if isinstance(body, dict) else None for body in bodies])
    reader = _Reader(schema, beside.value, parts.filling)
    accepted = bodies[: limits.requests_per_call]
    entries = [reader.read(index, body, *ids[index]) for index, body in enumerate(accepted)]
    rest = list(zip(ids, bodies, strict=True))[limits.requests_per_call :]
    refused, note = _refuse(rest, len(parts.requests), limits)
    return Entries((*entries, *refused), (*parts.notes, *beside.notes, *note))


def _is_whole(arguments: JsonObject, schema: SkillSchema) -> bool:
    """Whether the author lets one leave `requests` out, and no argument belongs into one."""
    optional = REQUESTS not in required_of(schema.root, schema.root)
    return optional and arguments.get(REQUESTS) is None and not arguments.keys() & schema.entry_keys


def _take_apart(arguments: JsonObject, schema: SkillSchema) -> _Parts | CallError:
    beside = {key: value for key, value in arguments.items() if key in schema.beside_keys}
    others = {key: value for key, value in arguments.items() if key != REQUESTS}
    if arguments.get(REQUESTS) is None:
        entry = {key: value for key, value in others.items() if key in schema.entry_keys or key not in schema.beside_keys}
        return _Parts([entry], beside, {}, (f"The arguments came without `{REQUESTS}` and were read as one request.",))
    requests, notes = _read_list(arguments[REQUESTS])
    if requests is None:
        came = describe_kind(arguments[REQUESTS])
        return invalid_arguments(f"{REQUESTS} must be a list of objects; {came} came.")
    if not requests:
        return invalid_arguments(f"{REQUESTS} is empty: nothing was asked for.", "Call again with at least one request in it.")
    filling = {key: value for key, value in others.items() if key in schema.entry_keys - {"id"}}
    unknown = others.keys() - filling.keys() - beside.keys()
    closed = schema.root.get("additionalProperties") is False
    if (closed or schema.open_root) and unknown - {"id"}:
        beside |= {key: others[key] for key in others if key in unknown - {"id"}}
    elif unknown:
        names = ", ".join(sorted(shorten(key, 40) for key in unknown)[:10])
        notes = (*notes, f"Ignored, since the skill knows no such arguments: {names}.")
    first = requests[:MAX_LISTED]
    if used := sorted(key for key in filling if any(isinstance(raw, dict) and key not in raw for raw in first)):
        notes = (*notes, f"Beside `{REQUESTS}` and used for the requests that lack it: {', '.join(used)}.")
    return _Parts(requests, beside, filling, notes)


def _read_list(value: Json) -> tuple[list[Json] | None, tuple[str, ...]]:
    """`requests` as a list: a list as text is parsed, a single object or its text is a list of one."""
    notes: tuple[str, ...] = ()
    if isinstance(value, str):
        value, notes = _parse_text(value), (f"{REQUESTS} came as text and was parsed.",)
    if isinstance(value, dict):
        return [value], (*notes, f"{REQUESTS} was one object and was read as a list of one.")
    return (value, notes) if isinstance(value, list) else (None, ())


def _unwrap(raw: Json) -> Json:
    parsed = _parse_text(raw) if isinstance(raw, str) else raw
    return parsed if isinstance(parsed, dict) else raw


def _parse_text(text: str) -> Json:
    try:
        return load_nested(text)
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads one entry after the other; `beside` goes with each, `filling` where an entry lacks it."""

    schema: SkillSchema
    beside: JsonObject
    filling: JsonObject

    def read(self, index: int, body: Json, entry_id: EntryId, note: str | None) -> Entry:
        at = (REQUESTS, index)
        if not isinstance(body, dict):
            message = f"{join_path('', *at)} must be an object; {describe_kind(body)} came."
            return Entry(entry_id, {}, error=invalid_arguments(message, pointer=f"/{REQUESTS}/{index}"))
        own = body if self.schema.own_id else {key: value for key, value in body.items() if key != "id"}
        return self.finish(entry_id, {**self.filling, **own}, (note,) if note else (), at)

    def finish(self, entry_id: EntryId, body: JsonObject, notes: tuple[str, ...], at: Sequence[str | int]) -> Entry:
        validator = self.schema.entry or self.schema.whole
        coerced = coerce(body, validator, self.schema.root, join_path("", *at))
        error = check(coerced.value, validator, at)
        return Entry(entry_id, {**self.beside, **coerced.value}, (*notes, *coerced.notes), error)


def _refuse(
    rest: Sequence[tuple[tuple[EntryId, str | None], Json]], total: int, limits: Limits
) -> tuple[list[Entry], tuple[str, ...]]:
    """The first few entries over the limit, one by one, and the others of `total` as a count."""
    limit = limits.requests_per_call
    error = CallError(
        "request_limit",
        f"Not executed: one call runs at most {limit} requests (limit requests_per_call), {total} came.",
        retryable=True,
        hint=f"Call again with the requests that were not executed, at most {limit} at a time.",
    )
    listed = [Entry(entry_id, body if isinstance(body, dict) else {}, error=error) for (entry_id, _), body in rest]
    more = total - limit - len(listed)
    if more <= 0:
        return listed, ()
    return listed, (f"{more} more requests were not executed and are not listed; {total} came in all.",)
