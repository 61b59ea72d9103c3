"""A TCP proxy that a test can cut: what a service sees of a database that restarts, hangs, or is gone."""

from __future__ import annotations

import asyncio
from typing import Self


class TcpProxy:
    """Passes bytes on between its own port and another one's."""

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self._flowing = asyncio.Event()
        self._flowing.set()
        self.port = 0

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.speak()
        await self.close()

    async def open(self) -> None:
        """Take connections, from now on or again."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """Break every connection off and take no new one, until `open`."""
        if self._server is not None:
            self._server.close()
        await self.reset()

    async def reset(self) -> None:
        """Break every connection off; new ones are taken."""
        connections = tuple(self._connections)
        for task in connections:
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)

    def silence(self) -> None:
        """Take everything and pass nothing on, until `speak`."""
        self._flowing.clear()

    def speak(self) -> None:
        """Pass on again, also what came meanwhile."""
        self._flowing.set()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        others: asyncio.StreamWriter | None = None
        try:
            await self._flowing.wait()
            answers, others = await asyncio.open_connection(*self._target)
            async with asyncio.TaskGroup() as group:
                group.create_task(self._pass_on(reader, others))
                group.create_task(self._pass_on(answers, writer))
        except* (OSError, asyncio.CancelledError):
            pass
        finally:
            self._connections.discard(task)
            for end in (writer, others):
                if end is not None:
                    end.transport.abort()

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65_536):
            await self._flowing.wait()
            writer.write(data)
            await writer.drain()
        raise ConnectionError("one end has left")
