"""Bytes as they are, to a server: what no client library would send."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass

from yarl import URL

from apps.sdk.jsontypes import JsonObject


@dataclass(frozen=True, slots=True)
class RawAnswer:
    """An answer's status, its headers in lower case, and its body."""

    status: int
    headers: dict[str, str]
    body: str

    def json(self) -> JsonObject:
        """The body as JSON."""
        answer: JsonObject = json.loads(self.body)
        return answer


async def send_raw(url: str, data: bytes) -> RawAnswer:
    """Send exactly this and read until the server closes, or has nothing to say for two seconds."""
    address = URL(url)
    reader, writer = await asyncio.open_connection(address.host, address.port)
    try:
        writer.write(data)
        await writer.drain()
        head = (await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 10)).decode("latin-1")
        first, *lines = head.strip().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        body = await asyncio.wait_for(reader.readexactly(int(headers.get("content-length", 0))), 10)
        return RawAnswer(int(first.split()[1]), headers, body.decode())
    finally:
        writer.close()
