"""The least that a service on aiohttp can do: read JSON, wait 200 ms, write JSON."""

from __future__ import annotations

import asyncio

from aiohttp import web

from benchmarks.loops import run

PAUSE = 0.2


async def answer(request: web.Request) -> web.Response:
    body = await request.json()
    await asyncio.sleep(PAUSE)
    return web.json_response({"echo": body})


async def serve() -> None:
    """Serve until terminated; the URL is the first line of output."""
    app = web.Application()
    app.router.add_post("/v1/execute", answer)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0][:2]
    print(f"http://{host}:{port}", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    run(serve())
