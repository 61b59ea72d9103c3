"""A turn that holds its conversation, on a store that fails at any moment: everything is kept once, or nothing half."""

from __future__ import annotations

import asyncio
from itertools import product

import pytest

from apps.sdk.chat import Message
from service.conversations import held_turn
from service.conversations.errors import TurnSuperseded
from service.store.errors import ConversationBusy, StoreUnavailable
from service.store.turn_records import EVENTS_PER_EPOCH
from service.turns.begun import carry_out
from service.turns.errors import DeadlinePassed
from service.turns.events import Emit, Event, discard
from service.turns.message_log import MessageLog
from service.turns.turn import TurnOutcome
from tests.support.brittle_database import ANN, Failure, Replica, open_replica

FAILURES: tuple[Failure, ...] = ("no", "before", "after")
TRIES = len(held_turn.RETRY_DELAYS) + 1


def describe(error: Exception) -> dict[str, object]:
    return {"code": type(error).__name__}


async def two_rounds(_: Emit, log: MessageLog) -> None:
    for number in (1, 2):
        log.add([Message("assistant", f"call {number}"), Message("tool", f"result {number}")])
        await log.flush()


async def flush_forever(_: Emit, log: MessageLog) -> None:
    while True:
        await asyncio.sleep(0.001)
        await log.flush()


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("plan", list(product(FAILURES, repeat=3)), ids="-".join)
async def test_every_message_is_kept_once(replica: Replica, plan: tuple[Failure, ...]) -> None:
    """Whichever of the writes of two rounds and of the end fail, before or after the database did its work."""
    replica.runner.script = two_rounds
    async with replica.hold() as turn:
        replica.database.plan.extend(plan)
        outcome = await carry_out(turn, discard, describe)
    assert await replica.said() == ["hello", "call 1", "result 1", "call 2", "result 2", outcome.answer.text]
    assert (await replica.states(), await replica.is_free()) == ([("done", None)], True)
    assert [event.name for event in await replica.told()] == ["turn.finished"]


@pytest.mark.parametrize("failure", FAILURES)
async def test_a_write_in_whose_middle_the_turn_is_cancelled(replica: Replica, failure: Failure) -> None:
    """It ends first; what it kept is not kept again, what it did not keep is kept with the turn's end."""
    replica.runner.script = two_rounds
    async with replica.hold() as turn:
        replica.database.plan.append(failure)
        replica.database.door.clear()
        running = asyncio.create_task(turn.run(discard))
        await asyncio.sleep(0.01)
        running.cancel()
        await asyncio.sleep(0.01)
        assert not running.done()
        replica.database.door.set()
        with pytest.raises(asyncio.CancelledError):
            await running
    assert await replica.said() == ["hello", "call 1", "result 1"]
    assert (await replica.states(), await replica.is_free()) == ([("cancelled", None)], True)


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("failure", ["before", "after"])
@pytest.mark.parametrize("times", range(1, TRIES))
async def test_an_end_that_cannot_be_kept_at_first(replica: Replica, failure: Failure, times: int) -> None:
    """It is tried until it is kept, and kept once."""
    async with replica.hold() as turn:
        outcome = await turn.run(discard)
        replica.database.plan.extend([failure] * times)
        await turn.finish(outcome)
        assert turn.end_id == EVENTS_PER_EPOCH + 1
    assert await replica.said() == ["hello", outcome.answer.text]
    assert [event.id for event in await replica.told()] == [turn.end_id]


async def test_an_event_that_cannot_be_kept_costs_nothing_else(replica: Replica) -> None:
    """What is no JSON is dropped where it is told; the answer, the other events and the turn's end stay."""

    async def tell(emit: Emit, log: MessageLog) -> None:
        emit(Event("turn.started", {"id": "one"}))
        emit(Event("tool.finished", {"what": object()}))
        log.add([Message("assistant", "call"), Message("tool", "result")])

    replica.runner.script = tell
    async with replica.hold() as turn:
        outcome = await carry_out(turn, discard, describe)
    assert await replica.said() == ["hello", "call", "result", outcome.answer.text]
    assert [event.name for event in await replica.told()] == ["turn.started", "turn.finished"]
    assert (await replica.states(), await replica.is_free()) == ([("done", None)], True)


async def test_a_problem_that_cannot_be_kept_frees_the_conversation(replica: Replica) -> None:
    """The turn has failed all the same."""
    async with replica.hold() as turn:
        await turn.fail({"code": "odd", "what": object()})
    assert (await replica.states(), await replica.is_free(), await replica.told()) == ([("failed", "odd")], True, [])


@pytest.mark.usefixtures("soon")
async def test_an_end_that_cannot_be_kept(replica: Replica) -> None:
    """The turn is told; nothing of its end is there, and the conversation is free when its lease is over."""
    async with replica.hold() as turn:
        replica.database.plan.extend(["before"] * TRIES)
        with pytest.raises(StoreUnavailable):
            await carry_out(turn, discard, describe)
        assert turn.end_id is None
    assert (await replica.said(), await replica.told(), await replica.states()) == (["hello"], [], [("running", None)])
    with pytest.raises(ConversationBusy):
        async with replica.hold():
            pass


async def test_a_database_that_hangs_is_not_tried_again_and_again(replica: Replica, monkeypatch: pytest.MonkeyPatch) -> None:
    """One try that takes longer than all of them may is the last."""
    monkeypatch.setattr(held_turn, "RETRY_TIME", -1.0)
    async with replica.hold() as turn:
        outcome = await turn.run(discard)
        replica.database.plan.append("before")
        before = replica.database.writes
        with pytest.raises(StoreUnavailable):
            await turn.finish(outcome)
        assert replica.database.writes == before + 1


async def test_an_end_in_whose_middle_the_turn_is_cancelled(replica: Replica) -> None:
    """It is kept as it was, not as cancelled."""
    async with replica.hold() as turn:
        outcome = await turn.run(discard)
        replica.database.door.clear()
        finishing = asyncio.create_task(turn.finish(outcome))
        await asyncio.sleep(0.01)
        finishing.cancel()
        replica.database.door.set()
        with pytest.raises(asyncio.CancelledError):
            await finishing
    assert (await replica.states(), len(await replica.said())) == ([("done", None)], 2)


async def test_a_turn_without_an_answer(replica: Replica) -> None:
    """Its rounds and the problem are kept."""

    async def fail(emit: Emit, log: MessageLog) -> None:
        emit(Event("turn.started", {}))
        log.add([Message("assistant", "call"), Message("tool", "result")])
        raise DeadlinePassed(1.0)

    replica.runner.script = fail
    async with replica.hold() as turn:
        with pytest.raises(DeadlinePassed):
            await carry_out(turn, discard, describe)
    assert (await replica.said(), await replica.states()) == (["hello", "call", "result"], [("failed", "DeadlinePassed")])
    assert [event.name for event in await replica.told()] == ["turn.started", "error"]


async def test_a_turn_whose_conversation_is_deleted_while_it_runs(outcome: TurnOutcome) -> None:
    """The next renewal finds out: the turn ends, and writes nothing more."""
    async with open_replica(outcome, lease=0.06) as replica:

        async def wait(emit: Emit, log: MessageLog) -> None:
            log.add([Message("assistant", "call"), Message("tool", "result")])
            await replica.conversations.delete(ANN, "c")
            await asyncio.sleep(30)

        replica.runner.script = wait
        async with replica.hold() as turn:
            with pytest.raises(TurnSuperseded):
                await asyncio.wait_for(carry_out(turn, discard, describe), 5)
            writes = replica.database.writes
        assert (turn.end_id, replica.database.writes) == (None, writes)


@pytest.mark.parametrize("when", ["before it runs", "while it runs, by its own write", "before its end", "after its end"])
async def test_a_conversation_that_is_lost(replica: Replica, when: str) -> None:
    """Whenever that is found out, it is told as such, twice too, unless the end is kept already."""
    async with replica.hold() as turn:
        if when == "before it runs":
            turn.lose()
        elif when == "while it runs, by its own write":

            async def delete(_: Emit, log: MessageLog) -> None:
                await replica.conversations.delete(ANN, "c")
                turn.lose()
                await two_rounds(_, log)

            replica.runner.script = delete
        else:
            outcome = await turn.run(discard)
            if when == "after its end":
                await turn.finish(outcome)
                turn.lose()
                assert turn.end_id
                return
            await replica.conversations.delete(ANN, "c")
            with pytest.raises(TurnSuperseded):
                await turn.finish(outcome)
        with pytest.raises(TurnSuperseded):
            await carry_out(turn, discard, describe)
        assert turn.end_id is None


async def test_events_have_the_ids_under_which_they_are_kept(replica: Replica) -> None:
    """From 1 in the turn's epoch, the end last; a new turn begins above."""
    seen: list[int | None] = []

    async def tell(emit: Emit, _: MessageLog) -> None:
        emit(Event("turn.started", {}))
        emit(Event("text.delta", {"text": "x"}))
        emit(Event("usage", {}))

    replica.runner.script = tell
    for epoch in (1, 2):
        seen.clear()
        async with replica.hold() as turn:
            await carry_out(turn, lambda event: seen.append(event.id), describe)
        first = epoch * EVENTS_PER_EPOCH
        assert (seen, turn.end_id) == ([first + 1, first + 2, first + 3], first + 4)
        kept = [event.id for event in await replica.told() if event.id > first]
        assert kept == [first + 1, first + 3, first + 4]


async def test_a_model_that_never_stops_leaves_a_number_for_the_end(replica: Replica, monkeypatch: pytest.MonkeyPatch) -> None:
    """Events beyond the numbers of an epoch are told without an id, and are not kept."""
    monkeypatch.setattr(held_turn, "EVENTS_PER_EPOCH", 6)
    seen: list[int | None] = []

    async def tell(emit: Emit, _: MessageLog) -> None:
        for _number in range(50):
            emit(Event("usage", {}))

    replica.runner.script = tell
    async with replica.hold() as turn:
        await carry_out(turn, lambda event: seen.append(event.id), describe)
    assert seen == [7, 8, 9, 10, *[None] * 46]
    assert turn.end_id == 11
