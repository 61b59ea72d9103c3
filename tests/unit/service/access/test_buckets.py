"""So many a minute."""

from __future__ import annotations

from service.access.buckets import MAX_BUCKETS, TokenBuckets


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_minutes_worth_may_come_at_once_and_then_evenly() -> None:
    """Six of six are taken, the seventh is told when to come, and can then; another name has its own."""
    clock = Clock()
    buckets = TokenBuckets(6, clock=clock)
    assert [buckets.take("a").left for _ in range(6)] == [5, 4, 3, 2, 1, 0]
    refused = buckets.take("a")
    assert (refused.refused, refused.left, refused.wait) == (True, 0, 10.0)
    assert not buckets.take("b").refused
    clock.now = 9.9
    assert buckets.take("a").refused
    clock.now = 10.0
    assert not buckets.take("a").refused


def test_a_bucket_never_holds_more_than_a_minutes_worth() -> None:
    """However long nobody came."""
    clock = Clock()
    buckets = TokenBuckets(2, clock=clock)
    buckets.take("a")
    clock.now = 1e6
    assert [buckets.take("a").refused for _ in range(3)] == [False, False, True]


def test_looking_takes_nothing() -> None:
    """A bucket tells whether it holds a token, also once time has filled it."""
    clock = Clock()
    buckets = TokenBuckets(1, clock=clock)
    assert [buckets.holds("a") for _ in range(3)] == [True] * 3
    buckets.take("a")
    assert not buckets.holds("a")
    clock.now = 60.0
    assert buckets.holds("a")


def test_the_name_used_longest_ago_is_the_first_to_be_forgotten() -> None:
    """Whoever keeps coming keeps an empty bucket."""
    buckets = TokenBuckets(1, clock=Clock())
    for number in range(MAX_BUCKETS + 10):
        buckets.take(str(number))
        buckets.take("busy")
    assert buckets.take("busy").refused


def test_made_up_names_do_not_fill_the_memory() -> None:
    """The one used longest ago is forgotten."""
    buckets = TokenBuckets(1, clock=Clock())
    for number in range(MAX_BUCKETS + 10):
        buckets.take(str(number))
    assert len(buckets._buckets) == MAX_BUCKETS
    assert buckets.take(str(MAX_BUCKETS)).refused
