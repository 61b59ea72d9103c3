"""What the metrics learn from a turn: the events that its caller is told, counted."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from service.metrics import Metrics
from service.turns.events import Event


def count_event(metrics: Metrics, event: Event) -> None:
    """Count what an event tells; most tell nothing."""
    match event.name:
        case "preselection":
            preselection = event.data["preselection"]
            for dropped in preselection["dropped"]:
                metrics.count_dropped(dropped["reason"])
            if preselection["degraded"]:
                metrics.count_degraded(preselection["degraded"])
        case "tool.finished":
            for request in event.data["requests"]:
                metrics.count_skill_call(event.data["name"], request["status"], request["seconds"])
            if not event.data["requests"]:
                metrics.count_skill_call(None, event.data["outcome"], 0.0)
        case "usage":
            metrics.count_tokens("prompt", event.data["prompt_tokens"])
            metrics.count_tokens("completion", event.data["completion_tokens"])
            metrics.count_tokens("cached", event.data["cached_tokens"])
        case _:
            pass


@contextmanager
def count_turn(metrics: Metrics) -> Iterator[None]:
    """Count a turn while it runs, and how it ends."""
    metrics.start_turn()
    outcome = "failed"
    try:
        yield
        outcome = "done"
    except asyncio.CancelledError:
        outcome = "cancelled"
        raise
    finally:
        metrics.finish_turn(outcome)
