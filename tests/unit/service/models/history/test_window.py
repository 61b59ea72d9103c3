"""What is left of a history that is longer than its model's window."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.sdk.chat import Message, ToolCall
from apps.sdk.tokens import BLOCK_TOKENS, estimate_message
from service.models.history import repair_history
from service.models.history.window import (
    KEPT,
    MOST_NARROWINGS,
    LeftOut,
    PromptWindow,
    Shortened,
    limit_prompt,
    round_down,
    shorten_history,
)
from tests.support.wire_rules import find_fault

SYSTEM = Message("system", "Help. " * 50)
MANY_TURNS = 60


def say(tokens: int, mark: str = "") -> str:
    """A text of so many tokens by the estimate."""
    return (mark + "x" * 4 * tokens)[: 4 * tokens]


def write_turn(number: int, asked: int, results: Sequence[int], answered: int) -> list[Message]:
    """A user's message, a call with each result, the answer; sizes in tokens."""
    messages = [Message("user", say(asked, f"question {number} "))]
    for place, size in enumerate(results):
        call = ToolCall(f"call_{number}_{place}", "lab-echo", "{}")
        messages += [Message("assistant", "", (call,)), Message("tool", say(size), tool_call_id=call.id)]
    return [*messages, Message("assistant", say(answered))]


SIZES = st.integers(5, 60)
TURNS = st.lists(st.tuples(SIZES, st.lists(SIZES, max_size=3), SIZES), max_size=12).map(
    lambda turns: [message for number, turn in enumerate(turns) for message in write_turn(number, *turn)]
)
CONVERSATIONS = st.tuples(st.sampled_from([(), (SYSTEM,)]), TURNS, SIZES).map(
    lambda parts: (*parts[0], *parts[1], Message("user", say(parts[2], "now")))
)
LIMITS = st.integers(0, 1_500)


def measure(messages: Iterable[Message]) -> int:
    return sum(estimate_message(message) for message in messages if message.role != "system")


def wire_fault(messages: Sequence[Message]) -> str | None:
    return find_fault({"messages": [message.to_wire() for message in messages]})


@given(CONVERSATIONS, LIMITS)
def test_what_is_left_is_the_newest_whole_turns(messages: tuple[Message, ...], limit: int) -> None:
    """A valid history: the system first, then the end of the conversation from a user's message on, in order, pairs together."""
    shortened = shorten_history(messages, limit)
    lead = messages[:1] if messages[0].role == "system" else ()
    rest = shortened.messages[len(lead) :]
    assert shortened.messages[: len(lead)] == lead
    assert rest == messages[len(messages) - len(rest) :]
    assert rest[0].role == "user"
    assert wire_fault(shortened.messages) is None
    assert repair_history(shortened.messages).repairs == ()


@given(CONVERSATIONS, LIMITS)
def test_the_limit_holds_unless_the_last_turn_alone_is_above_it(messages: tuple[Message, ...], limit: int) -> None:
    shortened = shorten_history(messages, limit)
    users = [message for message in shortened.messages if message.role == "user"]
    assert measure(shortened.messages) <= limit or users == [messages[-1]]
    assert shortened.turns == len(users)


@given(CONVERSATIONS, LIMITS)
def test_what_is_left_out_is_counted(messages: tuple[Message, ...], limit: int) -> None:
    """And nothing is, as long as all of it fits."""
    shortened = shorten_history(messages, limit)
    left = shortened.left_out
    assert left.messages == len(messages) - len(shortened.messages)
    assert left.tokens == measure(messages) - measure(shortened.messages)
    assert left.turns == sum(message.role == "user" for message in messages) - shortened.turns
    if measure(messages) <= limit:
        assert shortened.messages == messages


@given(CONVERSATIONS, LIMITS)
def test_shortening_again_changes_nothing(messages: tuple[Message, ...], limit: int) -> None:
    once = shorten_history(messages, limit)
    again = shorten_history(once.messages, limit)
    assert (again.messages, again.left_out) == (once.messages, LeftOut())


@given(CONVERSATIONS, LIMITS, st.floats(0, KEPT))
def test_a_much_lower_limit_never_brings_anything_back(messages: tuple[Message, ...], limit: int, share: float) -> None:
    """What is tried after a refusal holds less, or as much where only the last turn is left."""
    assert len(shorten_history(messages, int(limit * share)).messages) <= len(shorten_history(messages, limit).messages)


@settings(max_examples=25)
@given(st.lists(st.integers(1, 25), min_size=MANY_TURNS, max_size=MANY_TURNS), st.booleans())
def test_the_cut_stays_where_it_is_for_many_turns(sizes: list[int], called: bool) -> None:
    """Where a turn is a twentieth of the limit, at most one request in six begins otherwise than the one before it.

    That holds for the requests of all rounds.
    """
    limit = 20 * 78
    history: list[Message] = []
    moves: list[int] = []
    cut = 0
    for number, size in enumerate(sizes):
        for message in write_turn(number, size, [size] if called else [], size):
            history.append(message)
            if message.role != "assistant":
                before, cut = cut, shorten_history([SYSTEM, *history], limit).left_out.messages
                assert cut >= before
                moves += [number] if cut > before else []
    assert all(later - earlier >= 6 for earlier, later in pairwise(moves))
    assert bool(moves) == (measure(history[:-1]) > limit)


@given(CONVERSATIONS, st.lists(SIZES, max_size=5), LIMITS)
def test_a_turn_that_grows_never_brings_anything_back(messages: tuple[Message, ...], results: list[int], limit: int) -> None:
    """Results of later rounds leave out further turns, never messages of their own turn."""
    before = shorten_history(messages, limit)
    own = write_turn(99, 5, results, 5)[1:-1]
    after = shorten_history((*messages, *own), limit)
    assert after.left_out.messages >= before.left_out.messages
    assert after.messages[-len(own) - 1 :] == (messages[-1], *own)


@pytest.mark.parametrize("messages", [(), (SYSTEM,), (Message("assistant", say(99)),), (SYSTEM, Message("user", say(99)))])
def test_what_is_one_turn_at_most_stays(messages: tuple[Message, ...]) -> None:
    assert shorten_history(messages, 0).messages == messages


def test_what_stands_before_the_first_users_message_is_left_out_first() -> None:
    messages = (SYSTEM, Message("assistant", say(50)), Message("user", say(50)))
    assert shorten_history(messages, 60) == Shortened((SYSTEM, messages[2]), 1, LeftOut(1, 1, 50))


def test_a_picture_counts() -> None:
    picture = Message("user", [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": "data:" + "x" * 99}}])
    assert estimate_message(picture) == BLOCK_TOKENS + 1
    assert shorten_history((picture, Message("user", "now")), BLOCK_TOKENS).left_out.turns == 1


@pytest.mark.parametrize(
    ("window", "reply", "limit"),
    [(128_000, None, 105_318), (8_000, None, 5_100), (8_000, 1_000, 5_950), (1_000, 2_000, 0), (1, None, 0)],
)
def test_a_prompt_leaves_room_for_the_reply(window: int, reply: int | None, limit: int) -> None:
    assert limit_prompt(window, reply) == limit


@given(st.integers(-5, 10**9))
def test_rounding_down_costs_a_fifth_at_most(tokens: int) -> None:
    rounded = round_down(tokens)
    assert 0 <= rounded <= max(0, tokens) <= rounded * 1.25
    assert round_down(rounded) == rounded


def make_history(turns: int, size: int = 100) -> tuple[Message, ...]:
    older = [message for number in range(turns) for message in write_turn(number, size, [], size)]
    return (SYSTEM, *older, Message("user", say(size, "now")))


def test_a_tool_more_or_less_does_not_move_the_cut() -> None:
    """Two to six thousand tokens of tools beside a history of a hundred thousand."""
    history = make_history(1_000)
    cuts = {PromptWindow(limit_prompt(128_000, None)).fit(history, beside).left_out for beside in range(2_000, 6_000, 100)}
    [cut] = cuts
    assert cut.turns > 0


def test_system_text_and_tools_take_room() -> None:
    """Where they take all of it, the last turn is sent nevertheless."""
    history = make_history(3)
    assert PromptWindow(1_000).fit((Message("system", say(500)), *history[1:]), 0).turns < 4
    window = PromptWindow(1_000)
    assert window.fit(history, 0).turns == 4
    assert window.fit(history, 400).turns < 4
    assert window.fit(history, 5_000).messages == (SYSTEM, history[-1])


def test_room_only_narrows_in_a_turn() -> None:
    """The last call has no tools: what was left out for them does not come back."""
    window = PromptWindow(2_000)
    first = window.fit(make_history(20), 1_000)
    assert window.fit(make_history(20), 0) == first


def test_an_unknown_window_takes_everything_until_it_refuses() -> None:
    """Then a part of what was refused, a number of times."""
    window, history = PromptWindow(None), make_history(5_000)
    fitting = window.fit(history, 0)
    assert fitting.messages == history
    sizes = [measure(fitting.messages)]
    while window.narrow(fitting, sizes[-1]):
        fitting = window.fit(history, 0)
        sizes.append(measure(fitting.messages))
    assert len(sizes) == MOST_NARROWINGS + 1
    assert all(later < 0.6 * earlier for earlier, later in pairwise(sizes))
    assert fitting.messages[-1] == history[-1]


def test_nothing_is_asked_again_with_the_same_messages() -> None:
    window = PromptWindow(None)
    fitting = window.fit(make_history(0), 0)
    assert not window.narrow(fitting, 1_000)
