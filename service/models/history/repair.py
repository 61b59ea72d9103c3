"""A history in the form that the strictest provider wants; nothing that a user or a tool said is lost.

repair_history   contents -> exchanges (calls and results) -> the system first -> neighbours joined -> turns in order

Which rules these are: OpenAI's (each call has its result, directly after it; at most 128 calls in a message; ids of at most 40
characters), Anthropic's (ids and names of letters, digits, `_` and `-`; no empty text; the first message is the user's),
Mistral's and those of local chat templates (one system message, at the beginning; user and assistant take turns; an assistant's
message between results and the user's next).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from apps.sdk.chat import Message
from service.models.history.contents import is_said, join_contents, repair_content
from service.models.history.exchanges import pair_results

NOTHING_SAID = "(empty message)"
EARLIER = "(The beginning of the conversation is not shown.)"
UNANSWERED = "(There was no answer.)"
"""Stands for an answer that was never given."""


class HistoryRefused(ValueError):
    """A history that no repair makes sendable; the text says why and quotes nothing of it."""


@dataclass(frozen=True, slots=True)
class History:
    """A valid history and what had to be done for it, one line each."""

    messages: tuple[Message, ...]
    repairs: tuple[str, ...] = ()


def repair_history(messages: Sequence[Message]) -> History:
    """The same conversation, as every provider takes it; what is valid is left as it is. Raises `HistoryRefused`."""
    repairs: list[str] = []
    said = _repair_contents(messages, repairs)
    paired = pair_results(said, repairs)
    led = _lead_with_system(paired, repairs)
    joined = _join_neighbours(led, repairs)
    return History(tuple(_take_turns(joined, repairs)), tuple(repairs))


def check_answerable(messages: Sequence[Message]) -> None:
    """Raise `HistoryRefused` unless a model can answer the last of `messages`: a user's, or a result."""
    if not messages or messages[-1].role not in {"user", "tool"}:
        raise HistoryRefused("the conversation does not end with a user's message or a result: there is nothing to answer")


def _repair_contents(messages: Sequence[Message], repairs: list[str]) -> list[Message]:
    """Clean contents; an assistant's message that says nothing and calls nothing is left out."""
    kept: list[Message] = []
    for message in messages:
        try:
            repaired = replace(message, content=repair_content(message.content))
        except ValueError as error:
            raise HistoryRefused(str(error)) from None
        if repaired.content != message.content:
            repairs.append(f"the content of a message ({message.role}) was put into a form that can be sent")
        if is_said(repaired.content) or message.tool_calls:
            kept.append(repaired)
        elif message.role in {"user", "tool"}:
            kept.append(replace(repaired, content=NOTHING_SAID))
            repairs.append(f"an empty message ({message.role}) is sent as {NOTHING_SAID!r}")
        else:
            repairs.append(f"an empty message ({message.role}) was left out")
    return kept


def _lead_with_system(messages: Sequence[Message], repairs: list[str]) -> list[Message]:
    """One system message, at the beginning."""
    system = [message for message in messages if message.role == "system"]
    if not system or (len(system) == 1 and messages[0] is system[0]):
        return list(messages)
    repairs.append(f"system messages became one at the beginning ({len(system)} in all)")
    text = "\n\n".join(message.text.strip() for message in system)
    return [Message("system", text), *(message for message in messages if message.role != "system")]


def _join_neighbours(messages: Sequence[Message], repairs: list[str]) -> list[Message]:
    """Messages of one role in a row become one."""
    joined: list[Message] = []
    for message in messages:
        last = joined[-1] if joined else None
        if last is not None and last.role == message.role and message.role in {"user", "assistant"} and not last.tool_calls:
            joined[-1] = replace(message, content=join_contents(last.content, message.content))
            repairs.append(f"two messages in a row ({message.role}) became one")
        else:
            joined.append(message)
    return joined


def _take_turns(messages: Sequence[Message], repairs: list[str]) -> list[Message]:
    """The user begins, and an assistant's message stands between results and the user's next."""
    turns: list[Message] = []
    last = "system"
    for message in messages:
        if message.role == "assistant" and last == "system":
            turns.append(Message("user", EARLIER))
            repairs.append("the history began without a user's message; a placeholder stands there")
        if message.role == "user" and last == "tool":
            turns.append(Message("assistant", UNANSWERED))
            repairs.append("results were followed by a user's message; a placeholder stands between them")
        turns.append(message)
        last = message.role
    return turns
