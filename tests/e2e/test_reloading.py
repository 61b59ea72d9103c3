"""`serve --reload` over HTTP and as a process: edits count from the next turn on, mistakes cost nothing that worked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import aiohttp
import pytest

from apps.sdk.jsontypes import JsonObject
from tests.e2e.lab import user, wait_until
from tests.e2e.process import Server, serve
from tests.support.apps import skill_manifest, write_app, write_echo_app
from tests.support.running import Running, make_settings, run_shortlist

WAITING = '''
import asyncio
from pathlib import Path

from apps.sdk.skill import Skill

VERSION = "{version}"
HERE = Path(__file__).parent


class WaitSkill(Skill):
    """Tells by a file that it runs, and ends when another one appears."""

    async def execute(self, request, context):
        (HERE / f"started-{{VERSION}}").touch()
        while not (HERE / f"go-{{VERSION}}").exists():
            await asyncio.sleep(0.005)
        return {{"by": f"the {{VERSION}} code"}}

    def from_message(self, text):
        return {{"query": text}}
'''


def write_version(directory: Path, version: str, *, waits: bool = False) -> Path:
    """An app whose one skill says which version of it ran; returns the folder of its modules."""
    skill = skill_manifest(
        "bus",
        "wait",
        class_path="apps.bus.skills.wait.WaitSkill",
        description=f"Waits, {version}.",
        examples=["wait for the bus"],
    )
    folder = write_app(directory, "bus", {"name": "Bus", "skills": [skill]}, {"wait": WAITING.format(version=version)})
    if not waits:
        (folder / "skills" / f"go-{version}").touch()
    return folder / "skills"


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Two apps; the skill of one waits."""
    write_version(tmp_path / "apps", "first", waits=True)
    write_echo_app(tmp_path / "apps", "steady", "echo")
    return tmp_path / "apps"


@pytest.fixture
async def running(tmp_path: Path, directory: Path) -> AsyncIterator[Running]:
    settings = make_settings(tmp_path, apps_dirs=(str(directory),), reload=True, preselection_floor=0.3)
    async with run_shortlist(settings) as opened:
        yield opened


async def take_turn(running: Running) -> str:
    """What the turn's skill gave back, as the stand-in repeats it."""
    status, body = await running.post("/v1/turns", {"messages": [user("wait for the bus")]})
    assert status == 200
    return str(body["answer"]["content"])


async def ask_until(running: Running, path: str, condition: Callable[[JsonObject], object]) -> JsonObject:
    async with asyncio.timeout(10):
        while True:
            _, body = await running.get(path)
            if condition(body):
                return body
            await asyncio.sleep(0.01)


def read_app(apps: JsonObject, app_id: str) -> JsonObject:
    found: JsonObject = next(app for app in apps["apps"] if app["id"] == app_id)
    return found


async def test_edit_then_a_syntax_error_then_a_fix(running: Running, directory: Path) -> None:
    """case 10: new catalog; last good one kept and the finding shown; new catalog. A turn in flight keeps its version."""
    skills = directory / "bus" / "skills"
    in_flight = asyncio.create_task(take_turn(running))
    await wait_until((skills / "started-first").exists)
    _, before = await running.get("/v1/skills")

    write_version(directory, "second")
    edited = await ask_until(running, "/v1/skills", lambda body: "second" in body["skills"][0]["description"])
    assert edited["catalog"] != before["catalog"]
    assert "the second code" in await take_turn(running)

    (skills / "wait.py").write_text("class WaitSkill(Skill:\n")
    apps = await ask_until(running, "/v1/apps", lambda body: read_app(body, "bus")["kept"])
    bus = read_app(apps, "bus")
    assert (apps["catalog"], apps["reloading"], bus["skills"]) == (edited["catalog"], True, ["bus-wait"])
    assert [finding["code"] for finding in bus["findings"]] == ["skill-import"]
    assert bus["findings"][0]["file"].endswith("bus/skills/wait.py")
    assert "SyntaxError" in bus["kept"]
    assert read_app(apps, "steady")["kept"] is None
    status, ready = await running.get("/health/ready")
    assert (status, ready["status"], ready["quarantined"]) == (200, "degraded", 0)
    assert any(reason.startswith("bus runs an older version than its files: ") for reason in ready["reasons"])
    assert "the second code" in await take_turn(running)

    assert not in_flight.done()
    (skills / "go-first").touch()
    assert "the first code" in await in_flight

    write_version(directory, "third")
    fixed = await ask_until(running, "/v1/apps", lambda body: read_app(body, "bus")["kept"] is None)
    assert fixed["catalog"] not in {before["catalog"], edited["catalog"]}
    assert read_app(fixed, "bus")["findings"] == []
    assert "the third code" in await take_turn(running)
    assert (await running.get("/health/ready"))[1]["status"] == "ready"
    async with running.client.get(running.url + "/metrics") as response:
        metrics = await response.text()
    assert 'shortlist_catalog_reloads_total{outcome="applied"}' in metrics
    assert 'shortlist_catalog_reloads_total{outcome="kept"}' in metrics


async def test_without_the_setting_nothing_is_watched(tmp_path: Path, directory: Path) -> None:
    async with run_shortlist(make_settings(tmp_path, apps_dirs=(str(directory),))) as running:
        assert running.services.reloader is None
        assert (await running.get("/v1/apps"))[1]["reloading"] is False


async def test_a_load_that_hangs_is_in_readiness_and_turns_go_on(tmp_path: Path, directory: Path) -> None:
    """After the time limit of the settings, with the place; shutting down meanwhile takes no time."""
    settings = make_settings(tmp_path, apps_dirs=(str(directory),), reload=True, reload_timeout=0.05)
    go = tmp_path / "go"
    async with run_shortlist(settings) as running:
        hang = f"import time, pathlib\nwhile not pathlib.Path({str(go)!r}).exists():\n    time.sleep(0.005)\n"
        (directory / "bus" / "skills" / "wait.py").write_text(hang)
        ready = await ask_until(running, "/health/ready", lambda body: body["status"] == "degraded")
        assert "bus/skills/wait.py:" in ready["reasons"][0]
        body = {"name": "steady-echo", "arguments": {"requests": [{"query": "x"}]}}
        assert (await running.post("/v1/execute", body))[0] == 200
        closing = asyncio.get_running_loop().time()
    assert asyncio.get_running_loop().time() - closing < 5
    go.touch()


async def get_json(url: str) -> JsonObject:
    async with aiohttp.ClientSession() as client, client.get(url) as response:
        found: JsonObject = await response.json()
        return found


async def wait_for_description(server: Server, text: str) -> None:
    async with asyncio.timeout(20):
        while text not in str(await get_json(server.url + "/v1/skills")):  # noqa: ASYNC110 - it is another process
            await asyncio.sleep(0.02)


async def test_the_process_reloads_and_ends_in_order_while_an_import_hangs(tmp_path: Path, directory: Path) -> None:
    """Exit code 0 and no traceback, although a thread never comes back."""
    async with serve(tmp_path, "--reload", apps_dirs=directory) as server:
        skills = write_version(directory, "second")
        await wait_for_description(server, "second")
        (skills / "wait.py").write_text(
            f"import pathlib\npathlib.Path({str(tmp_path / 'hanging')!r}).touch()\nwhile True: pass\n"
        )
        await wait_until((tmp_path / "hanging").exists)
        assert (await get_json(server.url + "/health/live"))["status"] == "live"
        server.terminate()
        assert await server.end() == 0
    assert "Traceback" not in server.err
    assert '"event": "catalog_reloaded"' in server.err
    assert '"changed": ["bus"]' in server.err


async def test_the_log_says_at_the_start_what_is_broken_and_why(tmp_path: Path, directory: Path) -> None:
    """Place, code and reason, as `/v1/apps` has them."""
    (directory / "bus" / "skills" / "wait.py").write_text("raise ValueError('no bus today')")
    async with serve(tmp_path, apps_dirs=directory) as server:
        server.terminate()
        assert await server.end() == 0
    (line,) = [line for line in map(json.loads, server.err.splitlines()) if line["event"] == "app_finding"]
    assert line["code"] == "skill-import"
    assert "bus" in line["place"]
    assert "ValueError: no bus today" in line["reason"]
