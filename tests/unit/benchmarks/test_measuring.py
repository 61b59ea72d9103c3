"""What samples come to, and how they are taken."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.measuring import Budget, Spread, differ, interleave, percentile, summarise

VALUES = st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=50)


@pytest.mark.parametrize(("share", "expected"), [(0.0, 1), (0.5, 50), (0.99, 99), (1.0, 100)])
def test_percentile_is_the_nearest_rank(share: float, expected: float) -> None:
    """Of 1 to 100, the percentile is the number itself, whatever the order."""
    assert percentile([float(value) for value in range(100, 0, -1)], share) == expected


@given(VALUES, st.floats(0, 1))
def test_percentile_is_a_value_that_enough_do_not_exceed(values: list[float], share: float) -> None:
    """It is one of the values, and at least that share of them is not above it."""
    found = percentile(values, share)
    assert found in values
    assert sum(value <= found for value in values) >= share * len(values) - 1e-9


def test_percentile_of_nothing_is_an_error() -> None:
    """No samples, no number."""
    with pytest.raises(ValueError, match="no values"):
        percentile([], 0.5)


def test_summary_counts_its_samples() -> None:
    """p50 and p99 come with how many samples stand behind them."""
    assert summarise([3.0, 1.0, 2.0]) == Spread(2.0, 3.0, 3)


def test_differences_are_taken_round_by_round() -> None:
    """Each value is compared with the floor of its own round, and a missing one is an error."""
    assert differ([5.0, 7.0], [1.0, 2.0]) == (4.0, 5.0)
    with pytest.raises(ValueError, match="shorter"):
        differ([5.0, 7.0], [1.0])


async def test_cases_take_turns() -> None:
    """A B A B, not A A B B."""
    order: list[str] = []

    async def sample(name: str) -> float:
        order.append(name)
        return float(len(order))

    samples = await interleave({"a": lambda: sample("a"), "b": lambda: sample("b")}, Budget(2, 60.0))
    assert order == ["a", "b", "a", "b"]
    assert samples == {"a": [1.0, 3.0], "b": [2.0, 4.0]}


async def test_one_round_is_always_run() -> None:
    """A budget that is used up from the beginning still gives one sample of each."""

    async def sample() -> float:
        return 1.0

    assert await interleave({"a": sample}, Budget(9, 0.0)) == {"a": [1.0]}
