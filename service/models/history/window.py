"""The part of a conversation that fits into a model's window: its newest whole turns.

Where the cut lies is found by going through the whole history from its beginning, message by message: only when one brings what
is left above the limit are the oldest turns left out, and then down to `KEPT` of it. So the cut depends on nothing but the
messages and the limit, needs no memory between turns, never moves back as a conversation grows, and stays where it is until the
room that was made is full: until then every request begins with the same bytes, which a provider's prompt cache goes by.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from apps.sdk.chat import Message
from apps.sdk.tokens import estimate_message

KEPT = 0.7
"""Of the limit, so much is kept at most once it is passed: less moves the cut less often, and forgets more each time."""
MARGIN = 0.85
"""Of what is left of a window, so much is used: prose and JSON cost up to 9 % more than the estimate (see apps.sdk.tokens)."""
REPLY_TOKENS = 4_096
"""Kept free for the reply where no setting limits it; a quarter of windows that are smaller than four times as much."""
NARROWED = 0.6
"""Of the size of a prompt that was refused, or of the tokens that may still be spent, so much is tried next."""
MOST_NARROWINGS = 5
"""In one turn. Two make up for texts that cost three times their estimate; the rest is for windows that nobody knows."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """How much of a history was not sent; tokens by the estimate."""

    turns: int = 0
    messages: int = 0
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Shortened:
    """What is left of a history, the number of its turns, and what is not there."""

    messages: tuple[Message, ...]
    turns: int
    left_out: LeftOut


class PromptWindow:
    """How much of one turn's messages its model takes. Its room only ever narrows, so that the cut never moves back in a turn.

    `limit` is in tokens of a whole prompt, by the estimate; None = as many as there are, until one is refused.
    """

    def __init__(self, limit: int | None) -> None:
        self._limit = limit
        self._room: int | None = None
        self._narrowings = 0

    def fit(self, messages: Sequence[Message], beside: int) -> Shortened:
        """The messages that can be sent together with `beside` tokens of tools and other messages."""
        if self._limit is not None:
            lead = sum(map(estimate_message, messages[: count_leading_system(messages)]))
            room = round_down(self._limit - lead - beside)
            self._room = room if self._room is None else min(room, self._room)
        return shorten_history(messages, self._room)

    def narrow(self, refused: Shortened, size: int) -> bool:
        """Go well below `size` tokens, which were or would be too many; whether asking again is of any use."""
        self._limit = int(size * NARROWED)
        self._narrowings += 1
        return refused.turns > 1 and self._narrowings <= MOST_NARROWINGS


def shorten_history(messages: Sequence[Message], limit: int | None) -> Shortened:
    """The newest whole turns within `limit` tokens; None = all of them.

    A turn is a user's message with all that follows it up to the user's next, so calls and results stay together; what stands
    before the first user's message counts as one. Leading system messages stay and do not count; so does the last turn, even
    alone above the limit.
    """
    lead = count_leading_system(messages)
    turns = _divide(messages[lead:])
    if limit is None or len(turns) < 2:
        return Shortened(tuple(messages), len(turns), LeftOut())
    sizes = [tuple(map(estimate_message, turn)) for turn in turns]
    cut = _find_cut(sizes, limit)
    count = sum(map(len, turns[:cut]))
    left_out = LeftOut(cut, count, sum(map(sum, sizes[:cut])))
    return Shortened((*messages[:lead], *messages[lead + count :]), len(turns) - cut, left_out)


def limit_prompt(window: int, max_output_tokens: int | None) -> int:
    """The most tokens of a prompt, by the estimate, that leave room for the reply in a window."""
    reply = min(REPLY_TOKENS, window // 4) if max_output_tokens is None else max_output_tokens
    return max(0, int((window - reply) * MARGIN))


def round_down(tokens: int) -> int:
    """The next lower number of three binary digits and zeros, 0 for less than one; at most a fifth is lost.

    Tools and instructions differ a little from turn to turn; without this, each difference could move the cut.
    """
    zeros = max(0, tokens.bit_length() - 3)
    return max(0, tokens) >> zeros << zeros


def count_leading_system(messages: Sequence[Message]) -> int:
    """How many system messages stand at the beginning."""
    return next((place for place, message in enumerate(messages) if message.role != "system"), len(messages))


def _divide(messages: Sequence[Message]) -> list[list[Message]]:
    turns: list[list[Message]] = []
    for message in messages:
        if message.role == "user" or not turns:
            turns.append([])
        turns[-1].append(message)
    return turns


def _find_cut(sizes: Sequence[Sequence[int]], limit: int) -> int:
    """The first turn that is kept, by the sizes of each turn's messages."""
    first = total = 0
    for newest, turn in enumerate(sizes):
        for size in turn:
            total += size
            goal = KEPT * limit if total > limit else total
            while first < newest and total > goal:
                total -= sum(sizes[first])
                first += 1
    return first
