"""Toolsets, overlays and intents as callers, operators and the command line meet them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from apps.sdk.jsontypes import Json, JsonObject
from service.toolsets_file import ToolsetsError
from service.wiring import open_services
from tests.e2e.conftest import OpenLab
from tests.e2e.lab import OFFLINE, Lab, calling, shortlisting, user
from tests.e2e.process import Command, Ended, run_all
from tests.support.model_replies import Reply
from tests.support.model_server import ScriptedModelServer
from tests.support.running import make_settings

TOOLSETS = """
toolsets:
  safe: {skills: [lab-echo], description: Harmless.}
  mix: {includes: [safe], skills: ["annex-*", lab-echo, lab-gone]}
overlays:
  web_search:
    skill: lab-rare
    builtin:
      "openai/other": {type: web_search_preview}
      "openai/main": {type: web_search_preview, search_context_size: low}
"""
STANDARD = ["annex-weigh", "lab-echo", "lab-slow", "lab-fail", "lab-picture", "lab-hostile"]


@pytest.fixture
def toolsets(tmp_path: Path) -> Path:
    path = tmp_path / "toolsets.yml"
    path.write_text(TOOLSETS)
    return path


@pytest.fixture
async def lab(start_lab: OpenLab, toolsets: Path) -> AsyncIterator[Lab]:
    async with start_lab(toolsets=toolsets, **OFFLINE) as running:
        yield running


async def expand(lab: Lab, intent: Json, status: int = 200, **body: Json) -> JsonObject:
    got, answer = await lab.running.post("/v1/expand", {"intent": intent, **body})
    assert got == status, answer
    return answer


async def test_an_expansion_tells_everything(lab: Lab) -> None:
    """Names in order, what is resident, why the rest is not, what each pattern matched, and what had no effect."""
    told = await expand(lab, {"toolset": "mix", "web_search": True, "disabled": ["annex-*", "tool_search"], "allowed": ["lab-*"]})
    assert told["available"] == ["lab-echo", "lab-rare"]
    assert (told["picks"], told["overlays"]) == ([], ["lab-rare"])
    assert told["matched"]["disabled"] == {"annex-*": ["annex-weigh"], "tool_search": []}
    assert told["matched"]["allowed"]["lab-*"] == [*STANDARD[1:], "lab-rare", "lab-off"]
    assert {item["name"]: item["code"] for item in told["dropped"]} == {
        "annex-weigh": "denied",
        "lab-slow": "not_selected",
        "lab-fail": "not_selected",
        "lab-picture": "not_selected",
        "lab-hostile": "not_selected",
        "lab-off": "disabled",
    }
    assert told["warnings"] == [
        "disabled: tool_search belongs to the service itself and is there when it is needed",
        "toolset: lab-gone matches no skill",
    ]


async def test_a_list_of_nearly_all_says_what_it_lacks(lab: Lab) -> None:
    """Row 33 over HTTP: what the standard set has beside; and what is no skill."""
    told = await expand(lab, [*STANDARD[1:], "lab-typo"])
    assert told["available"] == told["picks"] == STANDARD[1:]
    assert (told["missing_standard"], told["unknown"]) == (STANDARD[:1], ["lab-typo"])


@pytest.mark.parametrize(
    ("intent", "pointer", "words"),
    [
        pytest.param({"web_search": "ON"}, "/intent/web_search", "valid boolean", id="3 ON"),
        pytest.param({"web_search": "no"}, "/intent/web_search", "valid boolean", id="3 no"),
        pytest.param({"web_search": "maybe"}, "/intent/web_search", "valid boolean", id="3 maybe"),
        pytest.param({"toolset": "mixx"}, "/intent/toolset", "there is no toolset 'mixx'; did you mean 'mix'?", id="13"),
        pytest.param({"mode": "selected", "preset": "typo"}, "/intent/preset", "there is no toolset 'typo'", id="13 preset"),
        pytest.param({"web_serch": True}, "/intent/web_serch", "did you mean 'web_search'?", id="14"),
        pytest.param({"picks": [], "toolset": "mix"}, "/intent", "both choose the tools", id="both"),
        pytest.param({"mode": "all"}, "/intent/mode", "`mode` may only be selected or null", id="mode"),
        pytest.param({"allowed": [3]}, "/intent/allowed/0", "valid string", id="a number"),
    ],
)
@pytest.mark.parametrize("path", ["/v1/expand", "/v1/turns", "/v1/preprocess", "/v1/execute"])
async def test_what_is_wrong_is_named(lab: Lab, path: str, intent: Json, pointer: str, words: str) -> None:
    """Wherever an intent is taken: 422 with a pointer to what was written."""
    needed: JsonObject = {
        "/v1/expand": {},
        "/v1/execute": {"name": "lab-echo", "arguments": {}},
    }.get(path, {"messages": [user("echo a")]})
    status, problem = await lab.running.post(path, {"intent": intent, **needed})
    assert status == 422
    [error] = problem["errors"]
    assert error["pointer"] == pointer
    assert words in error["message"]


async def test_toolsets_are_listed_against_the_catalog(lab: Lab) -> None:
    """Each with its members in order and what is none, `full` as it is for the tenant, and the overlays."""
    tenant = {"X_Tenant_ID": "acme"}
    async with lab.running.client.put(
        f"{lab.running.url}/v1/overrides/skill/lab-off", json={"enabled": True}, headers={"X-Tenant-ID": "acme"}
    ) as response:
        assert response.status == 200
    _, told = await lab.running.get("/v1/toolsets")
    everything = [*STANDARD, "lab-rare"]
    assert told["toolsets"] == [
        {"name": "safe", "description": "Harmless.", "includes": [], "skills": ["lab-echo"], "unknown": []},
        {"name": "mix", "description": "", "includes": ["safe"], "skills": ["lab-echo", "annex-weigh"], "unknown": ["lab-gone"]},
        {"name": "full", "description": "Every available skill.", "includes": [], "skills": everything, "unknown": []},
    ]
    assert told["overlays"] == [
        {"name": "web_search", "skill": "lab-rare", "known": True, "builtins": ["openai/other", "openai/main"]}
    ]
    assert (await expand(lab, {"toolset": "full"}))["available"] == everything
    _, theirs = await lab.running.post("/v1/expand", {"intent": {"toolset": "full"}}, **tenant)
    assert theirs["available"] == [*everything, "lab-off"]


async def test_a_built_in_is_sent_in_the_skills_place(start_lab: OpenLab, models: ScriptedModelServer, toolsets: Path) -> None:
    """One switch point: the model whose name fits is sent the provider's own tool, and other tools as ever."""
    models._strict = False  # the rules of a strict provider know functions alone
    models.script("cheap", [shortlisting("lab-echo")])
    models.script("main", [Reply(calls=[calling("lab-echo", "a")]), Reply("Done.")])
    async with start_lab(toolsets=toolsets) as lab:
        answer = await lab.turn(intent={"web_search": True})
    assert answer["answer"]["content"] == "Done."
    sent = [request.body["tools"] for request in models.requests if request.model == "main"]
    kinds = [[tool.get("function", {}).get("name", tool["type"]) for tool in tools] for tools in sent]
    assert kinds == [["web_search_preview", "lab-echo"]] * 2
    assert sent[0][0] == {"type": "web_search_preview", "search_context_size": "low"}


async def test_a_wrong_file_keeps_the_service_from_starting(tmp_path: Path) -> None:
    """With the place of what is wrong, before anything is opened."""
    path = tmp_path / "toolsets.yml"
    path.write_text("toolsets:\n  a: {includes: [b]}\n")
    with pytest.raises(ToolsetsError, match=rf"{path}:2:18: toolsets.a.includes.0: there is no toolset 'b'"):
        async with open_services(make_settings(tmp_path, toolsets=path)):
            pass
    assert not (tmp_path / "test.db").exists()


INTENT = {"toolset": "offline", "web_search": "ON", "enabled": "yes", "disabled": ["time-*", "x-*"]}
KEY = {"secrets": '{"brave": "a key"}'}
COMMANDS = {
    "words": Command(("expand", "--json", "--intent", json.dumps(INTENT)), KEY),
    "no": Command(("expand", "--json", "--intent", '{"web_search": "No", "picks": ["web-search", "web-read"]}'), KEY),
    "off": Command(("expand", "--json", "--intent", '"off"')),
    "maybe": Command(("expand", "--intent", '{"web_search": "maybe"}')),
    "typo": Command(("expand", "--intent", '{"toolset": "offlin"}')),
    "ask typo": Command(("ask", "--intent", '{"toolset": "offlin"}', "What is 2 + 2?")),
    "lines": Command(
        ("expand", "--intent", '{"picks": ["time-*", "teleport"], "allowed": ["t*"], "disabled": ["time-n*", "zz-*"]}')
    ),
    "wrong file": Command(("expand",), {"toolsets": "wrong.yml"}),
    "wrong file, serve": Command(("serve", "--port", "0"), {"toolsets": "wrong.yml"}),
    "wrong file, doctor": Command(("doctor",), {"toolsets": "wrong.yml"}),
    "in vain, doctor": Command(("doctor",), {"toolsets": "vain.yml"}),
}


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ended]:
    """Each command, run once."""
    folder = tmp_path_factory.mktemp("toggles")
    (folder / "wrong.yml").write_text("overlays:\n  web_search: {skil: web-search}\n")
    (folder / "vain.yml").write_text("toolsets: {old: {skills: [gone-skill]}}\n")
    return run_all(folder, COMMANDS)


def test_the_command_line_takes_words_for_switches(ended: dict[str, Ended]) -> None:
    """Case 3 on the command line: ON and no are true and false, anything else is an error that names the key."""
    told = json.loads(ended["words"].out)
    *others, last = told["available"]
    assert {name.partition("-")[0] for name in others} == {"math", "notes", "data"}
    assert [last] == told["overlays"] == ["web-search"]
    assert json.loads(ended["no"].out)["available"] == ["web-read"]
    assert json.loads(ended["off"].out)["available"] == []
    assert ended["maybe"].code == 2
    assert ended["maybe"].err == "--intent: web_search: Input should be a valid boolean\n"


@pytest.mark.parametrize("name", ["typo", "ask typo"])
def test_the_command_line_names_an_unknown_toolset(ended: dict[str, Ended], name: str) -> None:
    """Exit code 2, one line, with the near name."""
    assert ended[name].code == 2
    assert ended[name].err == "--intent: toolset: there is no toolset 'offlin'; did you mean 'offline'?\n"


def test_an_expansion_in_lines(ended: dict[str, Ended]) -> None:
    """One line a name, a reason, an unknown pick, a pattern, a warning."""
    lines = ended["lines"].out.splitlines()
    assert lines[:3] == ["time-convert  (picked)", "time-difference  (picked)", "time-add  (picked)"]
    assert "- time-now: the intent disables it" in lines
    assert "? teleport: there is no such skill" in lines
    assert "= picks: time-*: time-now, time-convert, time-difference, time-add" in lines
    assert "= disabled: zz-*: nothing" in lines
    assert "! disabled: zz-* matches no skill" in lines


@pytest.mark.parametrize("name", ["wrong file", "wrong file, serve", "wrong file, doctor"])
def test_a_wrong_file_is_told_with_its_place(ended: dict[str, Ended], name: str) -> None:
    """Exit code 1; the doctor goes on after it."""
    assert ended[name].code == 1
    told = ended[name].out + ended[name].err
    assert "wrong.yml:2:16: overlays.web_search.skil: Extra inputs are not permitted; did you mean 'skill'?" in told
    assert ("ok   apps:" in told) == ("doctor" in name)


def test_the_doctor_tells_what_is_named_in_vain(ended: dict[str, Ended]) -> None:
    """A warning, since apps come and go."""
    assert ended["in vain, doctor"].code == 0
    assert "WARN toolsets: the toolset old names gone-skill, which is no skill" in ended["in vain, doctor"].out
