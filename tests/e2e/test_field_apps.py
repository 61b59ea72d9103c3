"""The service on a real deployment's folder of apps, as it is."""

from __future__ import annotations

from pathlib import Path

from tests.support.field_manifests import write_field_apps
from tests.support.running import make_settings, run_shortlist


async def test_the_service_runs_on_the_field_s_folder(tmp_path: Path) -> None:
    """It starts, is degraded and not down, answers what it has found, and runs a skill."""
    folder = write_field_apps(tmp_path / "field")
    async with run_shortlist(make_settings(tmp_path, apps_dirs=(str(folder),))) as running:
        status, ready = await running.get("/health/ready")
        _, apps = await running.get("/v1/apps")
        _, skills = await running.get("/v1/skills")
        _, modes = await running.get("/v1/focus-modes")
        name = next(
            skill["name"] for skill in skills["skills"] if skill["enabled"] and "query" in skill["parameters"]["properties"]
        )
        called, call = await running.post("/v1/execute", {"name": name, "arguments": {"query": "whales"}})
    assert (status, ready["status"], ready["apps"], ready["skills"], ready["quarantined"]) == (200, "degraded", 36, 49, 21)
    assert len(apps["apps"]) == 36
    shown = [finding for app in apps["apps"] for finding in app["findings"]]
    assert {finding["severity"] for finding in shown} == {"error", "warning", "hint"}
    assert sum(len(app["quarantined"]) for app in apps["apps"]) == 21
    assert (len(skills["skills"]), len(modes["focus_modes"])) == (49, 22)
    assert sum(skill["internal"] for skill in skills["skills"]) == 7
    assert called == 200
    assert "whales" in str(call)
