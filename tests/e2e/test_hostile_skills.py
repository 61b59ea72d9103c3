"""Skills that would take everything else down: a real server goes on, for the others and to its end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from textwrap import dedent, indent

import aiohttp
import pytest
from aiohttp import web

from tests.e2e.lab import wait_until
from tests.e2e.process import Server, serve, start
from tests.support.apps import skill_manifest, write_app
from tests.support.running import make_settings, run_shortlist

SKILLS = {
    "leaver": """
        async def leave():
            sys.exit(3)
        await asyncio.gather(leave())
    """,
    "hanger": """
        await asyncio.to_thread(time.sleep, 60)
    """,
    "cookie": """
        async with context.http.get(request["query"]) as response:
            return {"told": await response.text()}
    """,
    "closer": """
        async with context.http:
            return {"closed": True}
    """,
    "half": """
        raise SkillFailed("bad \\ud800 text")
    """,
    "fine": """
        return {"fine": request["query"]}
    """,
}
HEAD = "import asyncio, sys, time\nfrom apps.sdk.skill import Skill, SkillFailed\n\n"


@pytest.fixture
def hostile_apps(tmp_path: Path) -> Path:
    """One app for each skill, in a folder of apps."""
    folder = tmp_path / "apps"
    for name, body in SKILLS.items():
        source = (
            f"{HEAD}class Scripted(Skill):\n    async def execute(self, request, context):\n{indent(dedent(body), ' ' * 8)}\n"
        )
        skill = skill_manifest(name, "run", class_path=f"apps.{name}.skills.run.Scripted", timeout=0.5)
        write_app(folder, name, {"name": name.capitalize(), "skills": [skill]}, {"run": source})
    return folder


@pytest.fixture
async def server(tmp_path: Path, hostile_apps: Path) -> AsyncIterator[Server]:
    async with serve(tmp_path, apps_dirs=hostile_apps, shutdown_grace=1) as running:
        yield running


async def run(server: Server, name: str, query: str = "x", user: str = "anonymous") -> tuple[int, str]:
    body = {"name": f"{name}-run", "arguments": {"requests": [{"query": query}]}}
    async with (
        aiohttp.ClientSession() as client,
        client.post(server.url + "/v1/execute", json=body, headers={"X-User-ID": user}) as response,
    ):
        return response.status, await response.text()


async def end_in_order(server: Server) -> None:
    server.terminate()
    assert await asyncio.wait_for(server.end(), 15) == 0
    assert "Traceback" not in server.err


async def test_a_task_that_calls_exit_costs_its_own_skill(server: Server) -> None:
    """Asyncio lets SystemExit out of any task; the server goes on."""
    status, text = await run(server, "leaver")
    assert (status, "skill_crashed" in text) == (200, True)
    assert (await run(server, "fine"))[0] == 200
    await end_in_order(server)


async def test_threads_that_hang_hold_up_neither_others_nor_the_end(server: Server) -> None:
    """More of them than the loop's default executor has threads."""
    answers = await asyncio.gather(*(run(server, "hanger", str(number)) for number in range(12)))
    assert all("timeout" in text for _, text in answers)
    status, text = await asyncio.wait_for(run(server, "fine"), 5)
    assert (status, "fine" in text) == (200, True)
    await end_in_order(server)


async def test_cookies_do_not_go_from_one_user_to_the_next(server: Server) -> None:
    """A site logs the first user in; the second is nobody to it."""

    async def log_in(request: web.Request) -> web.Response:
        response = web.Response(text=str(dict(request.cookies)))
        response.set_cookie("session", "secret")
        return response

    app = web.Application()
    app.router.add_get("/", log_in)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    url = f"http://127.0.0.1:{runner.addresses[0][1]}/"
    try:
        told = [await run(server, "cookie", url, user) for user in ("alice", "alice", "bob")]
    finally:
        await runner.cleanup()
    assert all(status == 200 and "secret" not in text for status, text in told)


async def test_a_skill_that_closes_its_client_harms_nobody(server: Server) -> None:
    assert "closed" in (await run(server, "closer"))[1]
    assert "closed" in (await run(server, "closer"))[1]
    status, text = await run(server, "cookie", server.url + "/health/live")
    assert (status, "live" in text) == (200, True)


async def test_half_a_surrogate_pair_in_an_error_is_replaced(server: Server) -> None:
    status, text = await run(server, "half")
    assert (status, "skill_failed" in text) == (200, True)


async def test_an_app_that_hangs_while_it_is_imported_does_not_keep_the_process(tmp_path: Path) -> None:
    """Until the service listens there is nothing to end well: a signal ends it at once."""
    started = tmp_path / "started"
    source = f"import time, pathlib\npathlib.Path({str(started)!r}).touch()\ntime.sleep(60)\n"
    skill = skill_manifest("hanging", "run", class_path="apps.hanging.skills.run.Scripted")
    write_app(tmp_path / "apps", "hanging", {"name": "Hanging", "skills": [skill]}, {"run": source})
    process = await start(tmp_path, "serve", "--port", "0", apps_dirs=tmp_path / "apps")
    await wait_until(started.exists)
    process.terminate()
    await asyncio.wait_for(process.communicate(), 10)
    assert process.returncode != 0


async def test_a_history_full_of_open_calls_is_answered(tmp_path: Path) -> None:
    """Twelve thousand of them, with one id: each gets its result and an id of its own; placeholders stand around them all."""
    calls = [{"id": "a", "type": "function", "function": {"name": "x", "arguments": "{}"}}] * 100
    messages = [*[{"role": "assistant", "content": None, "tool_calls": calls}] * 120, {"role": "user", "content": "hi"}]
    async with run_shortlist(make_settings(tmp_path, body_limit=10_000_000, turn_token_budget=10**9)) as running:
        status, body = await running.post("/v1/turns", {"messages": messages})
    assert status == 200
    assert len(body["trace"]["repairs"]) == 2 * 12_000 - 1 + 2
