"""The scripted model as a process: picks the first candidate when a function is forced, else answers in words, at once.

It writes the first request body of each model to `FOLDER/<model>.json`, so that peers can send the same.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import orjson

from apps.sdk.jsontypes import JsonObject
from benchmarks.loops import run
from tests.support.model_replies import Answer, Call, Reply
from tests.support.model_server import ScriptedModelServer, fill_schema

TEXT = "Three invoices of last week are open, and the meetings of Friday are shared with Ada. " * 3


def answer(body: JsonObject) -> Answer:
    """What a body gets."""
    choice = body.get("tool_choice")
    if not isinstance(choice, dict):
        return Reply(TEXT)
    name = choice["function"]["name"]
    schema = next(tool["function"]["parameters"] for tool in body["tools"] if tool["function"]["name"] == name)
    return Reply(calls=[Call(name, fill_schema(schema))])


async def serve(folder: Path) -> None:
    """Serve until terminated; the URL is the first line of output."""
    async with ScriptedModelServer(default=lambda body: record(body, folder)) as server:
        print(server.url, flush=True)
        while True:
            await asyncio.sleep(5)
            server.requests.clear()


def record(body: JsonObject, folder: Path) -> Answer:
    file = folder / f"{body['model']}.json"
    if not file.exists():
        file.write_bytes(orjson.dumps(body))
    return answer(body)


if __name__ == "__main__":
    run(serve(Path(sys.argv[1])))
