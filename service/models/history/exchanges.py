"""Calls and results, paired: each call has its one result, directly after the message that made it."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from apps.sdk.chat import Message, ToolCall
from apps.sdk.hashing import canonical_json
from apps.sdk.jsontypes import Json
from apps.sdk.truncation import shorten
from executor.arguments import parse_arguments
from executor.errors import CallError
from executor.policy import Limits
from executor.render import render_result
from executor.results import CallResult
from service.models.replies import make_sendable, plain_id, repair_ids

MAX_CALLS_IN_MESSAGE = 128
"""OpenAI refuses an assistant message with more tool calls than this."""

STRAY = "system-earlier_result"
"""What is said to have been called where a result answers no call. No skill has this name, since `system` is reserved."""

ABANDONED = CallError("abandoned", "This call was never answered.", retryable=True)


@dataclass(slots=True)
class _Place:
    """A call, and the result that was found for it."""

    call: ToolCall
    result: Message | None = None


@dataclass(slots=True)
class _Exchange:
    """A message that is no result (None where results come first), its calls, and the results that answer none of them."""

    message: Message | None
    places: list[_Place] = field(default_factory=list)
    strays: list[Message] = field(default_factory=list)


def pair_results(messages: Sequence[Message], repairs: list[str]) -> list[Message]:
    """The messages with one result for each call, ids that are used once, and at most 128 calls in each message.

    A result that stands elsewhere goes to its call. One that answers no call gets a call of its own; one that says the same
    again is left out. A call without a result is abandoned. What was done is added to `repairs`.
    """
    exchanges = _group(messages)
    _match_neighbours(exchanges)
    _match_others(exchanges, repairs)
    _drop_repeated(exchanges, repairs)
    taken: set[str] = set()
    return [message for exchange in exchanges for message in _write(exchange, taken, repairs)]


def write_exchange(content: Json, calls: Sequence[ToolCall], results: Sequence[Message]) -> Iterator[Message]:
    """An assistant's message with its calls and then their results; more calls than fit into one message go into several.

    The calls are sendable, the results in their order.
    """
    for start in range(0, len(calls), MAX_CALLS_IN_MESSAGE):
        end = start + MAX_CALLS_IN_MESSAGE
        yield Message("assistant", "" if start else content, tuple(calls[start:end]))
        yield from results[start:end]


def _group(messages: Sequence[Message]) -> list[_Exchange]:
    exchanges: list[_Exchange] = []
    for message in messages:
        if message.role != "tool":
            calls = message.tool_calls if message.role == "assistant" else ()
            exchanges.append(_Exchange(replace(message, tool_calls=calls), [_Place(call) for call in calls]))
            continue
        if not exchanges:
            exchanges.append(_Exchange(None))
        exchanges[-1].strays.append(message)
    return exchanges


def _match_neighbours(exchanges: Sequence[_Exchange]) -> None:
    """Results that follow the message with their call; of calls with one id the first is answered first."""
    for exchange in exchanges:
        waiting = _Waiting()
        waiting.add(exchange.places)
        exchange.strays = [result for result in exchange.strays if not waiting.answer_first(result)]


def _match_others(exchanges: Sequence[_Exchange], repairs: list[str]) -> None:
    """Results that stand further on than their call, which is the latest one without; then those that stand before it."""
    waiting = _Waiting()
    for exchange in exchanges:
        waiting.add(place for place in exchange.places if place.result is None)
        exchange.strays = [result for result in exchange.strays if not _move(waiting.answer_latest, result, repairs)]
    for exchange in exchanges:
        exchange.strays = [result for result in exchange.strays if not _move(waiting.answer_first, result, repairs)]


def _move(answer: Callable[[Message], bool], result: Message, repairs: list[str]) -> bool:
    moved = answer(result)
    if moved:
        repairs.append(f"the result of the call {_show(result.tool_call_id)} stood elsewhere and was moved to it")
    return moved


class _Waiting:
    """Calls without a result, in their order, by the id that was written."""

    def __init__(self) -> None:
        self._places: defaultdict[str, deque[_Place]] = defaultdict(deque)

    def add(self, places: Iterable[_Place]) -> None:
        for place in places:
            self._places[place.call.id].append(place)

    def answer_first(self, result: Message) -> bool:
        """Give the result to the first call with its id; whether there was one."""
        places = self._places.get(result.tool_call_id or "")
        if not places:
            return False
        places.popleft().result = result
        return True

    def answer_latest(self, result: Message) -> bool:
        """Give the result to the last call with its id; whether there was one."""
        places = self._places.get(result.tool_call_id or "")
        if not places:
            return False
        places.pop().result = result
        return True


def _drop_repeated(exchanges: Sequence[_Exchange], repairs: list[str]) -> None:
    """Leave out what says the same under the same id as another result does."""
    said = {_fingerprint(place.result) for exchange in exchanges for place in exchange.places if place.result is not None}
    for exchange in exchanges:
        kept: list[Message] = []
        for result in exchange.strays:
            if (fingerprint := _fingerprint(result)) in said:
                repairs.append(f"the result of the call {_show(result.tool_call_id)} came twice and is kept once")
                continue
            said.add(fingerprint)
            kept.append(result)
        exchange.strays = kept


def _fingerprint(result: Message) -> tuple[str, str]:
    content = result.content
    return result.tool_call_id or "", content if isinstance(content, str) else canonical_json(content)


def _write(exchange: _Exchange, taken: set[str], repairs: list[str]) -> Iterator[Message]:
    message = exchange.message
    if message is not None and not exchange.places:
        yield message
    yield from _write_places("" if message is None else message.content, exchange.places, taken, repairs)
    strays = [_Place(ToolCall(result.tool_call_id or "", STRAY, "{}"), result) for result in exchange.strays]
    repairs += [f"a result for the unknown call {_show(place.call.id)} was given a call of its own" for place in strays]
    yield from _write_places("", strays, taken, repairs)


def _write_places(content: Json, places: Sequence[_Place], taken: set[str], repairs: list[str]) -> Iterator[Message]:
    calls = repair_ids([place.call for place in places], taken, start=len(taken) + 1)
    taken.update(plain_id(call.id) for call in calls)
    sent = [make_sendable(call) for call in calls]
    results: list[Message] = []
    for place, call in zip(places, sent, strict=True):
        if place.result is None or place.call != call:
            repairs.extend(_describe(place, call))
        results.append(replace(place.result or Message("tool", render_abandoned()), tool_call_id=call.id))
    if len(calls) > MAX_CALLS_IN_MESSAGE:
        repairs.append(f"a message with {len(calls)} calls was divided")
    yield from write_exchange(content, sent, results)


def _describe(place: _Place, sent: ToolCall) -> Iterator[str]:
    """What was done about one call."""
    written = place.call
    if sent.id != written.id:
        yield f"the call id {_show(written.id)} cannot be sent or came twice; it became {sent.id!r}"
    if sent.name != written.name:
        yield f"the name of the call {sent.id!r} cannot be sent; it became {sent.name!r}"
    if sent.arguments != written.arguments and isinstance(parse_arguments(written.arguments), CallError):
        yield f"the arguments of the call {sent.id!r} are no JSON object and were left out"
    if place.result is None:
        yield f"the call {sent.id!r} had no result and is marked as abandoned"


@cache
def render_abandoned() -> str:
    """The result of a call that has none, as a model is shown any other error."""
    return str(render_result(CallResult("", "an earlier call", "error", error=ABANDONED), None, Limits()).content)


def _show(call_id: str | None) -> str:
    return repr(shorten(call_id or "", 60))
