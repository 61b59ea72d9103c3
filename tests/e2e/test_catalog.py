"""What was discovered and what is switched on, over HTTP."""

from __future__ import annotations

from pathlib import Path

import pytest

from apps.sdk.jsontypes import JsonObject
from tests.e2e.conftest import OpenLab
from tests.e2e.lab import OFFLINE, Lab
from tests.support.apps import ECHO_MODULE, skill_manifest, write_app, write_echo_app
from tests.support.running import make_settings, run_shortlist

ACME = {"X-Tenant-ID": "acme"}


async def switch(lab: Lab, kind: str, id_: str, *, enabled: bool | None, tenant: dict[str, str] | None = None) -> int:
    """Set an override, or take it back with None; the status."""
    url = f"{lab.running.url}/v1/overrides/{kind}/{id_}"
    method, body = ("DELETE", None) if enabled is None else ("PUT", {"enabled": enabled, "reason": "a test"})
    async with lab.running.client.request(method, url, json=body, headers=tenant) as response:
        return response.status


async def expand(lab: Lab, tenant: dict[str, str] | None = None) -> JsonObject:
    async with lab.running.client.post(lab.running.url + "/v1/expand", json={}, headers=tenant) as response:
        expansion: JsonObject = await response.json()
        return expansion


async def test_an_override_enables_and_disables_for_its_tenant(offline: Lab) -> None:
    """case 8: override before default_enabled; another tenant sees nothing of it; taken back, all is as before."""
    before = await expand(offline)
    assert "lab-echo" in before["available"]
    assert "lab-off" not in before["available"]
    assert await switch(offline, "skill", "lab-off", enabled=True, tenant=ACME) == 200
    assert await switch(offline, "skill", "lab-echo", enabled=False, tenant=ACME) == 200
    assert await switch(offline, "focus_mode", "lab-deep", enabled=False, tenant=ACME) == 200
    after = await expand(offline, ACME)
    assert "lab-off" in after["available"]
    assert {"name": "lab-echo", "code": "disabled", "reason": "lab-echo is disabled by an override"} in after["dropped"]
    assert (before["focus_modes"], after["focus_modes"]) == (["lab-deep"], [])
    assert await expand(offline) == before
    for kind, id_ in (("skill", "lab-off"), ("skill", "lab-echo"), ("focus_mode", "lab-deep")):
        assert await switch(offline, kind, id_, enabled=None, tenant=ACME) == 204
    assert await expand(offline, ACME) == before


async def test_the_children_of_a_disabled_app_are_off(offline: Lab) -> None:
    """case 8: even one that an override enables, and the reason names the app; calls are refused with it."""
    await switch(offline, "app", "lab", enabled=False)
    await switch(offline, "skill", "lab-echo", enabled=True)
    expansion = await expand(offline)
    assert expansion["available"] == ["annex-weigh"]
    assert {drop["reason"] for drop in expansion["dropped"]} == {"the app lab is disabled by an override"}
    status, problem = await offline.running.post("/v1/execute", {"name": "lab-echo"})
    assert (status, problem["reason"]) == (409, "the app lab is disabled by an override")
    _, apps = await offline.running.get("/v1/apps")
    assert [(app["id"], app["enabled"]) for app in apps["apps"]] == [("annex", True), ("lab", False)]


async def test_overrides_are_listed_with_their_reasons(offline: Lab) -> None:
    """Set twice it is one; the last word counts."""
    await switch(offline, "skill", "lab-off", enabled=False)
    await switch(offline, "skill", "lab-off", enabled=True)
    _, listed = await offline.running.get("/v1/overrides")
    [override] = listed["overrides"]
    assert (override["kind"], override["id"], override["enabled"], override["reason"]) == ("skill", "lab-off", True, "a test")
    assert override["updated_at"].endswith("+00:00")


async def test_overrides_outlive_the_service(start_lab: OpenLab, tmp_path: Path) -> None:
    """They are in the database."""
    url = f"sqlite:///{tmp_path / 'kept.db'}"
    async with start_lab(**OFFLINE, database_url=url) as lab:
        await switch(lab, "app", "annex", enabled=False)
    async with start_lab(**OFFLINE, database_url=url) as lab:
        assert "annex-weigh" not in (await expand(lab))["available"]


async def test_skills_and_focus_modes_say_whether_they_are_on(offline: Lab) -> None:
    """In catalog order, with what a client needs to show them."""
    _, skills = await offline.running.get("/v1/skills")
    _, modes = await offline.running.get("/v1/focus-modes")
    assert [skill["name"] for skill in skills["skills"]] == [
        "annex-weigh", "lab-echo", "lab-slow", "lab-fail", "lab-picture", "lab-hostile", "lab-rare", "lab-off",
    ]  # fmt: skip
    by_name = {skill["name"]: skill for skill in skills["skills"]}
    assert (by_name["lab-echo"]["enabled"], by_name["lab-echo"]["reason"]) == (True, None)
    assert (by_name["lab-off"]["enabled"], by_name["lab-off"]["reason"]) == (False, "lab-off is disabled by default")
    assert by_name["lab-rare"]["standard"] is False
    assert by_name["lab-echo"]["parameters"]["properties"]["requests"]["type"] == "array"
    assert [(mode["id"], mode["enabled"]) for mode in modes["focus_modes"]] == [("lab-deep", True)]
    assert skills["catalog"] == modes["catalog"]


@pytest.fixture
def broken_apps(tmp_path: Path) -> Path:
    """An empty app, one without skills, one with a skill that cannot be imported, one that is fine."""
    write_app(tmp_path, "hollow", "")
    write_app(tmp_path, "skillless", "name: Skillless\n")
    write_echo_app(tmp_path, "halfbroken", "fine", "lost")
    text = (tmp_path / "halfbroken" / "app.yml").read_text()
    last = text.rindex("echo.EchoSkill")
    (tmp_path / "halfbroken" / "app.yml").write_text(text[:last] + "gone.LostSkill" + text[last + len("echo.EchoSkill") :])
    write_echo_app(tmp_path, "sound", "good")
    return tmp_path


async def test_what_is_broken_is_shown_and_the_rest_works(broken_apps: Path, tmp_path: Path) -> None:
    """case 1: file, line and reason at /v1/apps; advertised nowhere; readiness is degraded, not down."""
    async with run_shortlist(make_settings(tmp_path, apps_dirs=(str(broken_apps),), database_url=":memory:")) as running:
        _, apps = await running.get("/v1/apps")
        _, skills = await running.get("/v1/skills")
        status, ready = await running.get("/health/ready")
        body = {"messages": [{"role": "user", "content": "please good this, and lost this"}]}
        _, turn = await running.post("/v1/turns", body)
        executed, result = await running.post("/v1/execute", {"name": "sound-good", "arguments": {"requests": [{"query": "x"}]}})
        refused, problem = await running.post("/v1/execute", {"name": "halfbroken-lost"})
        async with running.client.get(running.url + "/metrics") as response:
            metrics = await response.text()
    by_id = {app["id"]: app for app in apps["apps"]}
    [quarantined] = by_id["halfbroken"]["quarantined"]
    assert quarantined["id"] == "halfbroken-lost"
    assert quarantined["file"].endswith("halfbroken/app.yml")
    assert quarantined["line"] > 1
    assert "gone" in quarantined["reason"]
    assert [skill["name"] for skill in skills["skills"]] == ["halfbroken-fine", "sound-good"]
    everything = [finding for app in apps["apps"] for finding in app["findings"]] + list(apps["findings"])
    assert any(finding["file"].endswith("hollow/app.yml") for finding in everything)
    assert (status, ready["status"]) == (200, "degraded")
    assert any("halfbroken-lost is quarantined" in reason for reason in ready["reasons"])
    assert "halfbroken-lost" not in str(turn["trace"])
    assert (executed, result["outcome"]) == (200, "ok")
    assert (refused, problem["code"]) == (409, "disabled")
    assert "halfbroken/app.yml" in problem["reason"]
    assert 'shortlist_catalog_items{kind="quarantined"}' in metrics


async def test_health_of_a_service_that_is_fine(offline: Lab) -> None:
    """Live and ready, and it says that no model is there."""
    assert await offline.running.get("/health/live") == (200, {"status": "live"})
    status, ready = await offline.running.get("/health/ready")
    assert (status, ready["status"], ready["reasons"], ready["skills"]) == (200, "ready", [], 8)
    assert "offline stand-in" in ready["models"]
    assert "shortlist_http_requests_total" in await offline.metrics()


VAST = [f"{'long ' * 40}{number}" for number in range(700)]
REQUEST = {"type": "object", "properties": {"full name": {"type": "string"}, "size": {"enum": VAST}}, "required": ["full name"]}
PARAMETERS = {"type": "object", "properties": {"requests": {"type": "array", "items": REQUEST}}, "required": ["requests"]}


async def test_a_skill_that_the_models_cannot_be_sent_is_shown(tmp_path: Path) -> None:
    """With the reason, in the catalog and in readiness; its neighbour is fine, and without a model it runs all the same.

    Its arguments are then those of the schema that the catalog shows: what that becomes for a family of models does not count.
    """
    skills = [skill_manifest("odd", "vast", tool_schema=PARAMETERS), skill_manifest("odd", "fine")]
    write_app(tmp_path / "own", "odd", {"name": "Odd", "skills": skills}, {"echo": ECHO_MODULE})
    settings = make_settings(tmp_path, apps_dirs=(str(tmp_path / "own"),), schema_profile="gemini")
    async with run_shortlist(settings) as running:
        _, listed = await running.get("/v1/skills")
        _, ready = await running.get("/health/ready")
        by_name = {skill["name"]: skill for skill in listed["skills"]}
        assert by_name["odd-fine"]["refused"] is None
        assert "120,000 can be sent" in by_name["odd-vast"]["refused"]
        assert by_name["odd-vast"]["enabled"]
        assert by_name["odd-vast"]["parameters"] == PARAMETERS
        assert (ready["status"], ready["skills"]) == ("degraded", 2)
        assert ready["reasons"] == [f"odd-vast cannot be sent to the models: {by_name['odd-vast']['refused']}"]
        body = {"name": "odd-vast", "arguments": {"requests": [{"full name": "Ada"}]}}
        status, answer = await running.post("/v1/execute", body)
        assert (status, answer["outcome"]) == (200, "ok")
        for_models = {"name": "odd-vast", "arguments": {"requests": [{"full_name": "Ada"}]}}
        status, problem = await running.post("/v1/execute", for_models)
        assert (status, problem["code"]) == (422, "invalid_request")
        _, prepared = await running.post("/v1/preprocess", {"messages": [{"role": "user", "content": "please vast this"}]})
        assert list(prepared["exposure"]["refused"]) == ["odd-vast"]
