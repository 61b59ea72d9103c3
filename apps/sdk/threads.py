"""Work in a daemon thread of its own: it shares no pool with anybody, and never holds up the process's exit."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
from collections.abc import Callable
from typing import TypeVar

_Made = TypeVar("_Made")


def run_in_thread(work: Callable[[], _Made], name: str, on_end: Callable[[], None] | None = None) -> asyncio.Future[_Made]:
    """What `work` returns or raises. `on_end` is called on the loop when the thread ends, also when nobody waits any more."""
    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[_Made] = loop.create_future()
    variables = contextvars.copy_context()

    def settle(set_outcome: Callable[[], None]) -> None:
        if on_end is not None:
            on_end()
        if not outcome.done():
            set_outcome()

    def run() -> None:
        set_outcome: Callable[[], None]
        try:
            made = variables.run(work)
        except BaseException as raised:  # noqa: BLE001 - whatever is raised must not end as an unhandled thread error
            error = _storable(raised)
            set_outcome = lambda: outcome.set_exception(error)  # noqa: E731
        else:
            set_outcome = lambda: outcome.set_result(made)  # noqa: E731
        with contextlib.suppress(RuntimeError):  # the loop has been closed since: nobody waits any more
            loop.call_soon_threadsafe(settle, set_outcome)

    threading.Thread(target=run, name=name, daemon=True).start()
    return outcome


def _storable(error: BaseException) -> BaseException:
    """A future takes no StopIteration; one becomes a RuntimeError, as in a coroutine."""
    return RuntimeError("raised StopIteration") if isinstance(error, StopIteration) else error
