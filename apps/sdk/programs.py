"""Programs of an app for data that must not be trusted to its libraries, each in a process of its own, a few at once."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Final
from weakref import WeakKeyDictionary

from apps.sdk.places import Places

_PIECE: Final = 65_536


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended: its exit code (minus the signal that killed it), and what it wrote."""

    code: int
    written: bytes


class Programs:
    """At most `total` programs at once, `each` of one owner; further ones wait their turn.

    An app has one for all its skills, since together they may take `total` times the memory that a program allows itself. It may
    stand in a module: every event loop has places of its own.
    """

    def __init__(self, total: int, each: int) -> None:
        self._total, self._each = total, each
        self._places: WeakKeyDictionary[asyncio.AbstractEventLoop, Places] = WeakKeyDictionary()

    async def run(self, arguments: Sequence[str], given: bytes, *, owner: Hashable, seconds: float, max_bytes: int) -> Ended:
        """As `run_program`, within `seconds` that include the wait; `owner` is on whose behalf. Raises `TimeoutError` too."""
        loop = asyncio.get_running_loop()
        places = self._places.setdefault(loop, Places(self._total, self._each))
        async with asyncio.timeout(seconds), places.take(owner):
            return await run_program(arguments, given, max_bytes=max_bytes)


async def run_program(arguments: Sequence[str], given: bytes, *, max_bytes: int) -> Ended:
    """Run Python with `arguments` and `given` on its standard input, killed as soon as it writes more than `max_bytes`.

    It gets no environment, which holds credentials, and no folder of ours. However this ends, the process is gone then; a
    timeout is the caller's. Limits of its own (memory, files) the program sets itself. Raises `OSError` when none can start.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-I", "-X", "utf8", *arguments,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        env={}, cwd="/", start_new_session=True,
    )  # fmt: skip
    try:
        written = await _exchange(process, given, max_bytes)
        return Ended(await process.wait(), written)
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()


async def _exchange(process: asyncio.subprocess.Process, given: bytes, max_bytes: int) -> bytes:
    """What it writes, at most a piece more than `max_bytes`; it may write before it has read everything."""
    async with asyncio.TaskGroup() as group:
        group.create_task(_feed(process, given))
        assert process.stdout is not None
        written = bytearray()
        while len(written) <= max_bytes and (piece := await process.stdout.read(_PIECE)):
            written += piece
        if len(written) > max_bytes:
            process.kill()  # which ends the feeding too
    return bytes(written)


async def _feed(process: asyncio.subprocess.Process, given: bytes) -> None:
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it ended early; its exit code tells why
        process.stdin.write(given)
        await process.stdin.drain()
    process.stdin.close()
