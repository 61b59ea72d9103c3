"""Host names to addresses, in threads of their own."""

from __future__ import annotations

import asyncio
import errno
import socket
from functools import partial
from typing import Final

from aiohttp.abc import AbstractResolver, ResolveResult

from apps.sdk.threads import run_in_thread

AT_ONCE: Final = 32
"""Names of one session that are looked up at once; a name server may keep each waiting for half a minute."""

WAITING: Final = 10.0
"""Seconds that a further name waits for its turn."""


class NameLookups(AbstractResolver):
    """Asks the system. A name server that never answers holds up its own session only.

    The loop's default threads are a few that everybody shares, the models' clients too, and a look-up cannot be ended.
    """

    def __init__(self) -> None:
        self._places = asyncio.Semaphore(AT_ONCE)

    async def resolve(self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC) -> list[ResolveResult]:
        """The name's addresses. Raises `OSError`."""
        async with asyncio.timeout(WAITING):
            await self._places.acquire()
        look_up = partial(socket.getaddrinfo, host, port, family, socket.SOCK_STREAM, 0, socket.AI_ADDRCONFIG)
        try:
            looking = run_in_thread(look_up, "name look-up", on_end=self._places.release)
        except RuntimeError as error:  # the system gives no further thread
            self._places.release()
            raise OSError(errno.EAGAIN, "no name can be looked up") from error
        return [
            ResolveResult(
                hostname=host,
                host=str(address[0]),
                port=int(address[1]),
                family=kind,
                proto=protocol,
                flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
            )
            for kind, _, protocol, _, address in await looking
        ]

    async def close(self) -> None:
        """Nothing is held open."""
