"""Turns whose process crashed, while nobody else takes their conversations."""

from __future__ import annotations

import asyncio

from service.conversations.abandoned_turns import AbandonedTurns
from service.store.turn_records import INTERRUPTED
from tests.support.brittle_database import ANN, HELLO, Replica


async def test_they_are_ended_in_time_and_followers_are_woken(replica: Replica) -> None:
    """A store that fails is asked again; whoever holds a lease keeps it."""
    woken: list[str] = []
    news = asyncio.Event()

    def wake(conversation_id: str) -> None:
        woken.append(conversation_id)
        news.set()

    await replica.conversations.create(ANN, id="held")
    await replica.records.begin(ANN, "c", "crashed", lease=0.05, messages=[HELLO], source="chat")
    await replica.records.begin(ANN, "held", "alive", lease=60, messages=[HELLO], source="chat")
    replica.database.is_away = True
    running = asyncio.create_task(AbandonedTurns(replica.records, wake, lease=0.05).run())
    await asyncio.sleep(0.2)
    assert not woken
    replica.database.is_away = False
    await asyncio.wait_for(news.wait(), 5)
    running.cancel()
    await asyncio.wait([running])
    assert woken == ["c"]
    assert await replica.states() == [("failed", INTERRUPTED)]
    assert await replica.is_free()
    assert (await replica.conversations.get(ANN, "held")).running_turn == "alive"
