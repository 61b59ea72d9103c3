"""Who holds a conversation, for how long, and what a turn is given."""

from __future__ import annotations

import asyncio

import pytest

from apps.sdk.chat import Message
from preprocessor.intent import Intent
from service.conversations.errors import TurnSuperseded
from service.models.history import UNANSWERED
from service.store.errors import ConversationBusy, ConversationMissing, StoreUnavailable
from service.turns.begun import carry_out
from service.turns.events import Emit, discard
from service.turns.message_log import MessageLog
from service.turns.turn import TurnOutcome
from tests.support.brittle_database import ANN, CALLER, HELLO, Replica, make_limits, open_replica


def describe(error: Exception) -> dict[str, object]:
    return {"code": type(error).__name__}


async def answer(replica: Replica) -> TurnOutcome:
    async with replica.hold() as turn:
        return await carry_out(turn, discard, describe)


async def test_a_turn_is_given_what_is_stored(replica: Replica) -> None:
    """History and intent, with the turn's own wish over it, which is not stored."""
    await answer(replica)
    async with replica.hold(Intent(web_search=True)) as turn:
        assert [message.role for message in turn.request.messages] == ["user", "assistant", "user"]
        assert turn.request.intent.dump() == {"enabled": True, "web_search": True}
        assert turn.request.caller.conversation == "c"
    intent = (await replica.conversations.get(ANN, "c")).intent
    assert intent is not None
    assert intent.dump() == {"enabled": True}


async def test_a_turn_without_an_answer_stands_alone(replica: Replica) -> None:
    """What made it fail is not joined to the next message; a turn's own messages are."""
    for text in ("first", "second"):
        async with replica.turns.hold(CALLER, "c", (HELLO, Message("user", text)), None, make_limits(), stream=False) as turn:
            await turn.fail({"code": "broken"})
    async with replica.hold() as turn:
        said = [(message.role, message.text) for message in turn.request.messages]
    hello, closed = ("user", "hello"), ("assistant", UNANSWERED)
    assert said == [hello, ("user", "first"), closed, hello, ("user", "second"), closed, hello]
    assert await replica.said() == ["hello", "first", "hello", "second", "hello"]


async def test_a_beginning_that_fails_holds_nothing(replica: Replica) -> None:
    """Missing, busy, or no store: nothing is kept, nobody renews anything."""
    tasks = asyncio.all_tasks()
    with pytest.raises(ConversationMissing):
        async with replica.turns.hold(CALLER, "d", (HELLO,), None, make_limits(), stream=False):
            pass
    replica.database.plan.append("before")
    with pytest.raises(StoreUnavailable):
        await answer(replica)
    async with replica.hold():
        with pytest.raises(ConversationBusy):
            await answer(replica)
    assert (await replica.said(), await replica.states()) == (["hello"], [("cancelled", None)])
    assert asyncio.all_tasks() == tasks


async def test_a_lease_is_renewed(outcome: TurnOutcome) -> None:
    """While the turn runs nobody else gets the conversation, though some renewals fail."""
    async with open_replica(outcome, lease=0.6) as replica:

        async def wait(_: Emit, __: MessageLog) -> None:
            for is_away in (False, True, False, False, True, False):
                replica.database.is_away = is_away
                await asyncio.sleep(0.25)
                if not is_away:
                    with pytest.raises(ConversationBusy):
                        await replica.records.begin(ANN, "c", "other", lease=1, messages=[HELLO], source="chat")

        replica.runner.script = wait
        tasks = asyncio.all_tasks()
        await answer(replica)
        assert asyncio.all_tasks() == tasks
        assert await replica.states() == [("done", None)]


async def test_a_lease_that_cannot_be_renewed_in_time(outcome: TurnOutcome) -> None:
    """Somebody else takes the conversation; the first one ends as soon as it learns of it, and adds nothing."""
    async with open_replica(outcome, lease=0.2) as replica:
        begun = asyncio.Event()

        async def wait(_: Emit, __: MessageLog) -> None:
            begun.set()
            await asyncio.sleep(30)

        replica.runner.script = wait
        first = asyncio.create_task(answer(replica))
        await begun.wait()
        replica.database.is_away = True
        await asyncio.sleep(0.3)
        replica.database.is_away = False
        taker, start = await replica.records.begin(ANN, "c", "second", lease=30, messages=[HELLO], source="chat")
        assert (taker.epoch, len(start.history)) == (2, 1)
        with pytest.raises(TurnSuperseded):
            await asyncio.wait_for(first, 5)
        assert await replica.states() == [("failed", "interrupted"), ("running", None)]
        assert await replica.said() == ["hello", "hello"]


async def test_a_renewal_under_way_is_awaited(outcome: TurnOutcome) -> None:
    """A turn that has ended leaves no task behind, and a renewal that comes after its end harms nobody."""
    async with open_replica(outcome, lease=0.03) as replica:
        tasks = asyncio.all_tasks()
        async with replica.hold() as turn:
            outcome = await turn.run(discard)
            replica.database.door.clear()
            await asyncio.sleep(0.05)  # the renewal waits at the door now, then the end does
            finishing = asyncio.create_task(turn.finish(outcome))
            await asyncio.sleep(0.01)
            replica.database.door.set()
            await finishing
        assert asyncio.all_tasks() == tasks
        assert (await replica.states(), await replica.is_free()) == ([("done", None)], True)


async def test_a_caller_that_leaves_while_the_turn_begins(replica: Replica) -> None:
    """The conversation is as it was."""
    replica.database.door.clear()
    beginning = asyncio.create_task(answer(replica))
    await asyncio.sleep(0.01)
    beginning.cancel()
    replica.database.door.set()
    with pytest.raises(asyncio.CancelledError):
        await beginning
    assert (await replica.said(), await replica.states(), await replica.is_free()) == ([], [], True)
