"""Names are looked up beside everything else, also by name servers that do not answer."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator

import pytest

from apps.sdk.http import name_lookups
from apps.sdk.http.errors import FetchFailed
from apps.sdk.http.fetching import fetch
from apps.sdk.http.name_lookups import AT_ONCE, NameLookups
from apps.sdk.testing import make_context


class SilentNameServer:
    """Keeps every look-up waiting until it is released."""

    def __init__(self) -> None:
        self.answering = threading.Event()
        self.asked: list[str] = []

    def getaddrinfo(self, host: str, *_: object) -> list[object]:
        self.asked.append(host)
        self.answering.wait()
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("192.0.2.1", 80))]


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> Iterator[SilentNameServer]:
    server = SilentNameServer()
    monkeypatch.setattr(socket, "getaddrinfo", server.getaddrinfo)
    yield server
    server.answering.set()


async def test_a_silent_name_server_holds_up_nobody_else(silent: SilentNameServer) -> None:
    """The loop's own threads are free, although more names than it has threads are being looked up."""

    async def read(number: int) -> str:
        with pytest.raises(FetchFailed) as caught:
            await fetch(context, f"http://name{number}.example/", timeout=0.05)
        return caught.value.message

    async with make_context() as context:
        failures = await asyncio.gather(*map(read, range(2 * AT_ONCE)))
        try:
            assert "did not answer within 0.05 s" in failures[0]
            assert await asyncio.wait_for(asyncio.to_thread(int), 5) == 0
            assert len(silent.asked) == AT_ONCE
        finally:
            silent.answering.set()  # before the loop's end, which would wait for its own threads


async def test_one_too_many_gives_up(silent: SilentNameServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """It waits for its turn so long only, and there is room again once the others have ended."""
    monkeypatch.setattr(name_lookups, "WAITING", 0.05)
    lookups = NameLookups()
    waiting = [asyncio.create_task(lookups.resolve(f"name{number}.example", 80)) for number in range(AT_ONCE)]
    await asyncio.sleep(0)
    with pytest.raises(TimeoutError):
        await lookups.resolve("late.example", 80)
    silent.answering.set()
    await asyncio.gather(*waiting)
    assert [found["host"] for found in await lookups.resolve("late.example", 80)] == ["192.0.2.1"]


async def test_a_system_without_threads_is_an_error_of_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told as one, and holds no place for ever."""

    def refuse(*_: object, **__: object) -> None:
        raise RuntimeError("can't start new thread")

    lookups = NameLookups()
    with monkeypatch.context() as patched:
        patched.setattr(name_lookups, "run_in_thread", refuse)
        for _ in range(AT_ONCE + 1):
            with pytest.raises(OSError, match="no name can be looked up"):
                await lookups.resolve("name.example", 80)
    assert (await lookups.resolve("127.0.0.1", 80))[0]["host"] == "127.0.0.1"
