"""What readiness says."""

from __future__ import annotations

import pytest

from service.http.health import MAX_REASONS, list_first


@pytest.mark.parametrize("count", [0, 1, MAX_REASONS])
def test_few_reasons_are_all_named(count: int) -> None:
    """In their order."""
    reasons = [f"app{number} is broken" for number in range(count)]
    assert list(list_first(reasons)) == reasons


def test_of_many_reasons_the_rest_is_counted() -> None:
    """A broken directory of a thousand apps makes no answer of a thousand lines."""
    reasons = [f"app{number} is broken" for number in range(1_000)]
    assert list(list_first(reasons)) == [*reasons[:MAX_REASONS], f"{1_000 - MAX_REASONS} more, see /v1/apps"]
