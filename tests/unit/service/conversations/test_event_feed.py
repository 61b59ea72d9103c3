"""Followers see what is written, by whomever, until the conversation or the service ends."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest

from service.conversations import event_feed
from service.conversations.event_feed import EventFeed, TooManyFollowers
from service.store.errors import ConversationMissing
from service.store.tables import utc_now
from service.store.turn_records import EVENTS_PER_EPOCH, Lease, StoredEvent
from tests.support.brittle_database import ANN, HELLO, Replica


@pytest.fixture
async def lease(replica: Replica) -> Lease:
    """A turn of the conversation `c`."""
    taken, _ = await replica.records.begin(ANN, "c", "t", lease=30, messages=[HELLO], source="chat")
    return taken


async def write(replica: Replica, lease: Lease, *numbers: int) -> None:
    """As another replica does: nobody here is woken."""
    events = [StoredEvent(EVENTS_PER_EPOCH + number, "t", "usage", {}, utc_now()) for number in numbers]
    await replica.records.write_events([(lease, events)])


class Follower:
    """Follows `c` and notes what it sees."""

    def __init__(self, feed: EventFeed, after: int = 0) -> None:
        self.seen: list[int] = []
        self.pages: list[int] = []
        self.task = asyncio.create_task(self._follow(feed, after))

    async def _follow(self, feed: EventFeed, after: int) -> None:
        with feed.join("c") as signal:
            async with contextlib.aclosing(feed.follow(ANN, "c", after, signal)) as pages:
                async for page in pages:
                    self.pages.append(len(page))
                    self.seen += [event.id - EVENTS_PER_EPOCH for event in page]

    async def has_seen(self, *numbers: int) -> None:
        async with asyncio.timeout(5):
            while self.seen != list(numbers):  # noqa: ASYNC110 - it is a list that is compared
                await asyncio.sleep(0.001)


@pytest.fixture
async def polling(replica: Replica) -> AsyncIterator[None]:
    """The feed looks for what other replicas wrote."""
    task = asyncio.create_task(replica.feed.run())
    yield
    task.cancel()
    await asyncio.wait([task])


def holds_nothing(feed: EventFeed) -> bool:
    """Nothing of followers that have gone."""
    return (feed._followers, dict(feed._signals), feed._seen) == (0, {}, {})


async def test_a_follower_is_woken(replica: Replica, lease: Lease) -> None:
    """It sees what was there, then what comes once it is told to look, page by page."""
    await write(replica, lease, 1, 2)
    follower = Follower(replica.feed, EVENTS_PER_EPOCH + 1)
    await follower.has_seen(2)
    await write(replica, lease, 3)
    await asyncio.sleep(0.02)
    assert follower.seen == [2]
    replica.feed.wake("c")
    replica.feed.wake("somebody else's")
    await follower.has_seen(2, 3)
    replica.feed.close()
    await follower.task
    assert holds_nothing(replica.feed)


async def test_a_long_history_comes_in_pages(replica: Replica, lease: Lease, monkeypatch: pytest.MonkeyPatch) -> None:
    """And is complete."""
    monkeypatch.setattr(event_feed, "PAGE", 10)
    await write(replica, lease, *range(1, 26))
    follower = Follower(replica.feed)
    await follower.has_seen(*range(1, 26))
    replica.feed.close()
    await follower.task
    assert follower.pages == [10, 10, 5]


@pytest.mark.usefixtures("polling")
async def test_another_replica_is_found_by_polling(replica: Replica, lease: Lease) -> None:
    """Also after the store was away."""
    follower = Follower(replica.feed)
    await write(replica, lease, 1)
    await follower.has_seen(1)
    await asyncio.sleep(0.05)  # the first look has woken it once more
    replica.database.is_away = True
    await asyncio.sleep(0.05)
    replica.database.is_away = False
    await write(replica, lease, 2)
    await follower.has_seen(1, 2)
    follower.task.cancel()
    await asyncio.wait([follower.task])
    assert holds_nothing(replica.feed)


@pytest.mark.usefixtures("polling")
async def test_deletion_ends_the_streams(replica: Replica) -> None:
    """Wherever it was deleted."""
    followers = [Follower(replica.feed) for _ in range(2)]
    await asyncio.sleep(0.03)
    await replica.conversations.delete(ANN, "c")
    for follower in followers:
        with pytest.raises(ConversationMissing):
            await asyncio.wait_for(follower.task, 5)
    assert holds_nothing(replica.feed)


async def test_a_store_that_is_away_when_it_is_read(replica: Replica, lease: Lease) -> None:
    """The stream waits until it is back; the end of the service ends it all the same."""
    follower = Follower(replica.feed)
    await asyncio.sleep(0.01)
    replica.database.is_away = True
    replica.feed.wake("c")
    await asyncio.sleep(0.05)
    assert not follower.task.done()
    replica.feed.close()
    await asyncio.wait_for(follower.task, 5)
    assert holds_nothing(replica.feed)


async def test_as_many_as_the_setting_allows(replica: Replica) -> None:
    """One more is refused; a place that gets free is taken."""
    with contextlib.ExitStack() as stack:
        for _ in range(3):
            stack.enter_context(replica.feed.join("c"))
        with pytest.raises(TooManyFollowers), replica.feed.join("d"):
            pass
    with replica.feed.join("d"):
        pass
    assert holds_nothing(replica.feed)


async def test_closed_means_no_waiting(replica: Replica, lease: Lease) -> None:
    """Whoever comes after the end sees what is stored."""
    await write(replica, lease, 1)
    replica.feed.close()
    follower = Follower(replica.feed)
    await asyncio.wait_for(follower.task, 5)
    assert (follower.seen, replica.feed.closed) == ([1], True)


async def test_a_follower_that_leaves_during_a_look(replica: Replica) -> None:
    """Nothing of it stays."""
    with replica.feed.join("c"):
        looking = asyncio.create_task(replica.feed._look())
        await asyncio.sleep(0)
    await looking
    assert holds_nothing(replica.feed)
