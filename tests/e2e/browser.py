"""A headless Chromium, driven over its DevTools protocol: https://chromedevtools.github.io/devtools-protocol/."""

from __future__ import annotations

import asyncio
import itertools
import os
import shutil
import signal
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import aiohttp

from apps.sdk.jsontypes import Json, JsonObject

PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
TIMEOUT = 30.0
"""Seconds for one answer; on a busy machine a start takes a few."""
WATCH = """
    window.violations = [];
    document.addEventListener("securitypolicyviolation", e => window.violations.push(`${e.violatedDirective} ${e.blockedURI}`));
"""


def find_browser() -> str | None:
    """The program of an installed browser, or None."""
    return next((path for name in PROGRAMS if (path := shutil.which(name))), None)


class Page:
    """One page; everything is asked of it one after the other."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse, session: str) -> None:
        self._socket = socket
        self._session = session
        self._ids = itertools.count(1)
        self.complaints: list[str] = []

    async def send(self, method: str, **params: Json) -> JsonObject:
        """The answer to one command; what the browser logs meanwhile is kept in `complaints`."""
        number = next(self._ids)
        await self._socket.send_json({"id": number, "sessionId": self._session, "method": method, "params": params})
        while True:
            message: JsonObject = await self._socket.receive_json(timeout=TIMEOUT)
            if message.get("method") == "Log.entryAdded":
                entry = message["params"]["entry"]
                self.complaints.append(f"{entry['source']} {entry['level']}: {entry['text']}")
            if message.get("id") == number and message.get("sessionId") == self._session:
                assert "error" not in message, message
                result: JsonObject = message["result"]
                return result

    async def open(self, url: str) -> None:
        """Go there; what breaks the page's policy is kept from the first byte on."""
        for domain in ("Page", "Runtime", "Log"):
            await self.send(f"{domain}.enable")
        await self.send("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
        await self.send("Page.navigate", url=url)

    async def evaluate(self, expression: str) -> Json:
        """The value of a JavaScript expression, promises awaited."""
        done = await self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in done, done
        return done["result"].get("value")

    async def wait_for(self, expression: str) -> Json:
        """Its value as soon as that is truthy."""
        return await self.evaluate(
            f"new Promise(resolve => {{const look = () => {{const value = {expression};"
            " value ? resolve(value) : setTimeout(look, 50)}; look()})"
        )


@asynccontextmanager
async def open_page(program: str, profile: Path) -> AsyncIterator[Page]:
    """A new browser with one empty page; both are gone after the block. `profile` is a folder for its files."""
    process = await asyncio.create_subprocess_exec(
        program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
        "--disable-background-networking", "--remote-debugging-port=0", f"--user-data-dir={profile}", "about:blank",
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )  # fmt: skip
    try:
        endpoint = await asyncio.to_thread(_find_endpoint, profile / "DevToolsActivePort")
        async with aiohttp.ClientSession() as client, client.ws_connect(endpoint, max_msg_size=0) as socket:
            target = await _ask_browser(socket, "Target.createTarget", url="about:blank")
            attached = await _ask_browser(socket, "Target.attachToTarget", targetId=target["targetId"], flatten=True)
            yield Page(socket, attached["sessionId"])
            await socket.send_json({"id": 0, "method": "Browser.close"})
            await asyncio.wait_for(process.wait(), TIMEOUT)
    finally:
        with suppress(ProcessLookupError):  # it ended by itself
            os.killpg(process.pid, signal.SIGKILL)  # the program may be a script that started the browser
        await process.wait()


async def _ask_browser(socket: aiohttp.ClientWebSocketResponse, method: str, **params: Json) -> JsonObject:
    await socket.send_json({"id": 0, "method": method, "params": params})
    while True:
        message: JsonObject = await socket.receive_json(timeout=TIMEOUT)
        if message.get("id") == 0:
            result: JsonObject = message["result"]
            return result


def _find_endpoint(written: Path) -> str:
    """The browser's address: it writes port and path into a file once it listens."""
    deadline = time.monotonic() + TIMEOUT
    while len(lines := written.read_text().splitlines() if written.exists() else []) < 2:
        assert time.monotonic() < deadline, "the browser does not start"
        time.sleep(0.05)
    return f"ws://127.0.0.1:{lines[0]}{lines[1]}"
