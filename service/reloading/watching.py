"""When the apps' folders may have changed. The file system wakes; what has changed is for the stamps to say."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Final

import structlog
from watchfiles import Change, awatch
from watchfiles.main import FileChange

DEBOUNCE: Final = 500
STEP: Final = 50
"""Milliseconds: a burst of changes wakes once it pauses for a step, or when it has lasted for the debounce."""


async def watch_apps(directories: Sequence[Path], recheck: float) -> AsyncGenerator[None]:
    """Yield at once, soon after each change below `directories`, and every `recheck` seconds whatever happens.

    The last is for what no watch sees: a directory that was deleted and made again, the target of a link, a network file
    system, or a watch that cannot be had, as when the system has no more. Runs until it is closed; close it with `aclosing`.
    """
    told = False
    yield
    while True:
        present = tuple(filter(os.path.isdir, directories))
        try:
            async with aclosing(_watch(present, recheck)) as changes:
                async for changed in changes:
                    yield
                    if _is_lost(changed, present) or present != tuple(filter(os.path.isdir, directories)):
                        break
        except Exception as error:  # noqa: BLE001 - whatever a watch fails with, looking from time to time works
            if not told:
                told = True
                structlog.get_logger(__name__).warning("watch_failed", error_type=type(error).__name__, looking_every=recheck)
            await asyncio.sleep(recheck)
            yield


async def _watch(directories: Sequence[Path], recheck: float) -> AsyncGenerator[set[FileChange]]:
    if not directories:
        await asyncio.sleep(recheck)
        yield set()
        return
    milliseconds = max(1, int(recheck * 1000))
    watch = awatch(
        *directories, watch_filter=_is_of_interest, debounce=DEBOUNCE, step=STEP, rust_timeout=milliseconds,
        yield_on_timeout=True, ignore_permission_denied=True,
    )  # fmt: skip
    async with aclosing(watch) as changes:
        async for changed in changes:
            yield changed


def _is_of_interest(_: Change, path: str) -> bool:
    """Every load compiles modules; what else does not matter is seen to be unchanged by its stamp."""
    return "__pycache__" not in path


def _is_lost(changed: set[FileChange], watched: Sequence[Path]) -> bool:
    """Whether a watched directory itself went: the watch does not see one that is made in its place."""
    return any(change is Change.deleted and Path(path) in watched for change, path in changed)
