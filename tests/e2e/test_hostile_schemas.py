"""Hostile schemas over HTTP: whatever an app declares, the request to the provider is legal, and the source judges the calls."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.e2e.lab import Lab, make_lab_settings, wait_until
from tests.support.apps import skill_manifest, write_app
from tests.support.hostile_schemas import HOSTILE
from tests.support.model_replies import Call, Reply
from tests.support.model_server import ScriptedModelServer
from tests.support.provider_rules import find_faults
from tests.support.running import run_shortlist

pytestmark = pytest.mark.filterwarnings("ignore:Accessing the 'model_.*' attribute on the instance:DeprecationWarning")

MODULE = """
from apps.sdk.skill import Skill


class TellSkill(Skill):
    async def execute(self, request, context):
        return {"got": sorted(request)}
"""
NAMES = {f"s{number}": name for number, name in enumerate(HOSTILE)}
BROKEN = "root type string"


def find_id(name: str) -> str:
    return next(skill_id for skill_id, known in NAMES.items() if known == name)


@pytest.fixture(params=["openai", "openai_strict", "anthropic", "gemini", "common"])
async def hostile(request: pytest.FixtureRequest, tmp_path: Path, models: ScriptedModelServer) -> AsyncIterator[tuple[Lab, str]]:
    """A service with one skill for each schema, and the family that its models are taken for."""
    skills = [
        {
            **skill_manifest("bad", skill_id, class_path="apps.bad.skills.tell.TellSkill", tool_schema=HOSTILE[name]),
            "resident": True,
        }
        for skill_id, name in NAMES.items()
    ]
    write_app(tmp_path, "bad", {"name": "Bad", "description": "Odd schemas.", "skills": skills}, {"tell": MODULE})
    settings = make_lab_settings(tmp_path, models, schema_profile=request.param)
    async with run_shortlist(settings) as running:
        await wait_until(lambda: running.services.models.ready, 90)
        yield Lab(running, models, settings), request.param


async def test_every_request_is_legal_and_calls_are_held_to_the_source(hostile: tuple[Lab, str]) -> None:
    """All skills but the broken one are sent, each legally; a good call runs, a bad one is told what is wrong."""
    lab, profile = hostile
    nested, count = f"bad-{find_id('a nested model')}", f"bad-{find_id('draft-4 exclusive bounds')}"
    calls = [
        Call(nested, json.dumps({"owner": {"name": "Ada"}})),
        Call(nested, json.dumps({"owner": {}})),
        Call(count, json.dumps({"n": 0})),
        Call(count, json.dumps({"n": 1})),
    ]
    lab.models.script("main", [Reply(calls=calls), Reply("Done.")])
    answer = await lab.turn()
    sent = {tool["function"]["name"]: tool["function"]["parameters"] for tool in lab.models.bodies("main")[0]["tools"]}
    refused = {f"bad-{skill_id}" for skill_id, name in NAMES.items() if name == BROKEN}
    assert sent.keys() >= {f"bad-{skill_id}" for skill_id in NAMES} - refused
    assert not refused & sent.keys()
    assert {name: faults for name, schema in sent.items() if (faults := find_faults(schema, profile))} == {}
    assert [item["execution"]["outcome"] for item in answer["trace"]["calls"]] == ["ok", "error", "error", "ok"]
    told = [message["content"] for message in lab.models.bodies("main")[1]["messages"] if message["role"] == "tool"]
    assert "owner.name is missing" in told[1]
    assert "n must be more than 0" in told[2]


async def test_the_catalog_says_why_a_skill_is_set_aside(hostile: tuple[Lab, str]) -> None:
    """One broken schema costs one skill."""
    lab, _ = hostile
    _, apps = await lab.running.get("/v1/apps")
    assert "must be an object schema" in json.dumps(apps)
