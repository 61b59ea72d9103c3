"""What the metrics learn from events."""

from __future__ import annotations

import asyncio

import pytest

from service.metrics import Metrics
from service.turns.events import Event
from service.turns.metering import count_event, count_turn


def test_how_a_turn_ends_is_counted() -> None:
    """Done, failed or cancelled, and none runs afterwards."""
    metrics = Metrics()
    with count_turn(metrics):
        assert b"shortlist_turns_running 1.0" in metrics.render()
    for error in (ValueError, asyncio.CancelledError):
        with pytest.raises(error), count_turn(metrics):
            raise error
    text = metrics.render().decode()
    for outcome in ("done", "failed", "cancelled"):
        assert f'shortlist_turns_total{{outcome="{outcome}"}} 1.0' in text
    assert "shortlist_turns_running 0.0" in text


def test_each_request_of_a_call_is_counted() -> None:
    """A call that could not be read has none: it is counted under no skill's name, since it may be made up."""
    metrics = Metrics()
    requests = [{"id": 1, "status": "ok", "seconds": 0.1}, {"id": 2, "status": "error", "seconds": 0.1}]
    count_event(metrics, Event("tool.finished", {"name": "lab-echo", "outcome": "partial", "requests": requests}))
    count_event(metrics, Event("tool.finished", {"name": "made-up", "outcome": "error", "requests": []}))
    text = metrics.render().decode()
    assert 'shortlist_skill_calls_total{outcome="ok",skill="lab-echo"} 1.0' in text
    assert 'shortlist_skill_calls_total{outcome="error",skill="unknown"} 1.0' in text
    assert "made-up" not in text


def test_tokens_are_counted_by_kind() -> None:
    metrics = Metrics()
    count_event(metrics, Event("usage", {"prompt_tokens": 7, "completion_tokens": 3, "cached_tokens": 2}))
    text = metrics.render().decode()
    for kind, count in {"prompt": 7.0, "completion": 3.0, "cached": 2.0}.items():
        assert f'shortlist_tokens_total{{kind="{kind}"}} {count}' in text
