"""The event loop that the service takes, for the peers too."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import TypeVar

Result = TypeVar("Result")


def choose_loop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """uvloop where it is installed, like the command `shortlist`; None = asyncio's own."""
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop


def run(coroutine: Coroutine[object, object, Result]) -> Result:
    """`asyncio.run`, on that loop."""
    with asyncio.Runner(loop_factory=choose_loop()) as runner:
        return runner.run(coroutine)
