"""`shortlist serve` as a real process: starting, shutting down, and what it writes."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import cast

import aiohttp
import pytest

from apps.sdk.jsontypes import JsonObject
from tests.e2e.lab import calling, nothing_shortlisted, shortlisting, user, wait_until
from tests.e2e.process import serve
from tests.support.apps import skill_manifest, write_app
from tests.support.model_replies import Call, HttpError, Reply
from tests.support.model_server import ScriptedModelServer

CANARY = "marmaladecanary"

WAITING = '''
import asyncio
from pathlib import Path

from apps.sdk.skill import Skill

HERE = Path(__file__).parent


class WaitSkill(Skill):
    """Tells by a file that it runs, and ends when another one appears."""

    async def execute(self, request, context):
        (HERE / "started").touch()
        while not (HERE / "go").exists():
            await asyncio.sleep(0.01)
        return {"waited": request["query"]}

    def from_message(self, text):
        return {"query": text} if text.startswith("wait") else None


class CrashSkill(Skill):
    async def execute(self, request, context):
        raise RuntimeError("it broke")
'''


@pytest.fixture
def waiting_apps(tmp_path: Path) -> Path:
    """An app whose skill waits for a file beside it, and one that breaks."""
    wait = skill_manifest("waiting", "wait", class_path="apps.waiting.skills.wait.WaitSkill", examples=["wait for the bus"])
    crash = skill_manifest("waiting", "crash", class_path="apps.waiting.skills.wait.CrashSkill")
    write_app(tmp_path / "own", "waiting", {"name": "Waiting", "skills": [wait, crash]}, {"wait": WAITING})
    return tmp_path / "own"


async def post(client: aiohttp.ClientSession, url: str, body: JsonObject) -> tuple[int, JsonObject]:
    async with client.post(url, json=body) as response:
        return response.status, cast("JsonObject", await response.json(content_type=None))


async def get(client: aiohttp.ClientSession, url: str) -> tuple[int, JsonObject]:
    async with client.get(url) as response:
        return response.status, cast("JsonObject", await response.json(content_type=None))


async def wait_for_status(client: aiohttp.ClientSession, url: str, wanted: int) -> JsonObject:
    """Ask until readiness has the status; its body."""
    async with asyncio.timeout(90):
        while True:
            status, ready = await get(client, url + "/health/ready")
            if status == wanted:
                return ready
            await asyncio.sleep(0.02)


@pytest.mark.parametrize("stream", [False, True], ids=["json", "sse"])
async def test_a_running_turn_finishes_after_sigterm(tmp_path: Path, waiting_apps: Path, stream: bool) -> None:
    """Not ready and no new work from the signal on; what runs gets its answer; exit code 0, no traceback."""
    skills = waiting_apps / "waiting" / "skills"
    body: JsonObject = {"messages": [user("wait for the bus")], "stream": stream}

    async def take_turn(client: aiohttp.ClientSession, url: str) -> tuple[int, str]:
        async with client.post(url + "/v1/turns", json=body) as response:
            return response.status, await response.text()

    async with serve(tmp_path, apps_dirs=waiting_apps, drain_delay=0.5, shutdown_grace=10) as server:
        async with aiohttp.ClientSession() as client:
            turn = asyncio.create_task(take_turn(client, server.url))
            await wait_until((skills / "started").exists)
            assert (await get(client, server.url + "/health/ready"))[0] == 200
            server.terminate()
            assert (await wait_for_status(client, server.url, 503))["status"] == "not_ready"
            status, problem = await post(client, server.url + "/v1/expand", {})
            assert (status, problem["code"]) == (503, "shutting_down")
            assert (await get(client, server.url + "/health/live"))[0] == 200
            assert not turn.done()
            (skills / "go").touch()
            status, text = await turn
        code = await server.end()
    assert (status, code) == (200, 0)
    assert "wait for the bus" in text
    assert "Traceback" not in server.err


async def test_a_turn_that_outlives_the_grace_does_not_keep_the_process(tmp_path: Path, waiting_apps: Path) -> None:
    """It is cut off, and the process still ends in order."""
    async with serve(tmp_path, apps_dirs=waiting_apps, shutdown_grace=0.2) as server, aiohttp.ClientSession() as client:
        turn = asyncio.create_task(post(client, server.url + "/v1/turns", {"messages": [user("wait for the bus")]}))
        await wait_until((waiting_apps / "waiting" / "skills" / "started").exists)
        server.terminate()
        assert await server.end() == 0
        with pytest.raises(aiohttp.ClientError):
            await turn
    assert "Traceback" not in server.err


async def test_it_ends_in_order_while_it_still_loads(tmp_path: Path, waiting_apps: Path) -> None:
    """A signal during the import of litellm: exit code 0, no traceback."""
    async with serve(tmp_path, apps_dirs=waiting_apps, main_models="openai/main", model_api_base="http://127.0.0.1:1") as server:
        server.terminate()
        assert await server.end() == 0
    assert "Traceback" not in server.err
    assert "litellm_loaded" not in server.err


async def test_it_listens_before_the_models_library_is_loaded_and_logs_no_message(tmp_path: Path, waiting_apps: Path) -> None:
    """Live at once, ready once litellm is there; and case 20: message text reaches no log line and no metric label.

    The text comes as a message, in calls, results, answers, failures, refused bodies, paths and queries.
    """
    (waiting_apps / "waiting" / "skills" / "go").touch()
    async with ScriptedModelServer(default=nothing_shortlisted) as models, aiohttp.ClientSession() as client:
        names = {"main_models": "openai/main", "preselection_model": "openai/cheap", "model_attempts": 1}
        async with serve(tmp_path, apps_dirs=waiting_apps, log_level="info", model_api_base=models.url, **names) as server:
            assert (await get(client, server.url + "/health/live"))[0] == 200
            status, ready = await get(client, server.url + "/health/ready")
            assert (status, ready["reasons"]) == (503, ["the models' library is still being loaded"])
            await wait_for_status(client, server.url, 200)
            await scatter_canaries(client, server.url, models)
            async with client.get(server.url + "/metrics") as response:
                metrics = await response.text()
            server.terminate()
            assert await server.end() == 0
    assert "litellm_loaded" in server.err
    assert server.err.count('"event": "request"') > 10
    assert CANARY not in server.err
    assert CANARY not in metrics
    assert models.refusals == []


async def scatter_canaries(client: aiohttp.ClientSession, url: str, models: ScriptedModelServer) -> None:
    """Send the text in every way that a caller and a model have."""
    turn = {"messages": [user(f"please {CANARY}")]}
    calls = [
        calling("waiting-wait", CANARY),
        calling("waiting-crash", CANARY),
        Call(CANARY, {"x": CANARY}),
        Call("waiting-wait", "{" + CANARY),
        Call("waiting-wait", {"requests": [{"query": {CANARY: 1}}]}),
    ]
    models.script("cheap", [shortlisting(CANARY, "waiting-wait", language=CANARY)])
    models.script("main", [Reply(f"Well, {CANARY}.", calls=calls), Reply(f"Done, {CANARY}.")])
    status, answer = await post(client, url + "/v1/turns", turn)
    assert (status, answer["answer"]["content"]) == (200, f"Done, {CANARY}.")
    models.script("cheap", [HttpError(500, CANARY), HttpError(400, CANARY), Reply(CANARY)])
    models.script("main", [HttpError(500, CANARY), HttpError(400, CANARY), Reply(CANARY)])
    assert [(await post(client, url + "/v1/turns", turn))[0] for _ in range(3)] == [502, 502, 200]
    async with client.post(url + "/v1/turns", json={**turn, "stream": True}) as response:
        assert "turn.finished" in await response.text()
    for body in ({CANARY: 1}, {"messages": [{"role": CANARY}]}, {**turn, "intent": {"disabled": [CANARY]}}):
        await post(client, url + "/v1/turns", body)
    for query in (CANARY, {CANARY: 1}):
        await post(client, url + "/v1/execute", {"name": "waiting-wait", "arguments": {"requests": [{"query": query}]}})
    await post(client, url + "/v1/execute", {"name": CANARY})
    async with client.post(url + "/v1/turns", data="{" + CANARY, headers={"Content-Type": "application/json"}):
        pass
    for path in (f"/v1/{CANARY}", f"/v1/skills?q={CANARY}", f"/docs/{CANARY}"):
        async with client.get(url + path):
            pass
