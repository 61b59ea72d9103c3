"""The HTTP surface without any model: bodies, headers, problems, idempotency, limits."""

from __future__ import annotations

import asyncio
import json
import re

import pytest

from apps.sdk.jsontypes import Json, JsonObject
from tests.e2e.conftest import OpenLab
from tests.e2e.lab import OFFLINE, Lab, read_events, shortlisting, user, wait_until
from tests.support.model_replies import Call, Reply
from tests.support.model_server import ScriptedModelServer

MESSAGES = [user("echo jam")]
ECHO = {"name": "lab-echo", "arguments": {"requests": [{"query": "jam"}]}}

INVALID: dict[str, tuple[str, Json, list[str]]] = {
    "turns: nothing": ("/v1/turns", {}, ["/messages"]),
    "turns: no object": ("/v1/turns", [], [""]),
    "turns: no message": ("/v1/turns", {"messages": []}, ["/messages"]),
    "turns: unknown field": ("/v1/turns", {"messages": MESSAGES, "temperature": 1}, ["/temperature"]),
    "turns: number as text": ("/v1/turns", {"messages": MESSAGES, "max_rounds": "3"}, ["/max_rounds"]),
    "turns: text as boolean": ("/v1/turns", {"messages": MESSAGES, "stream": "true"}, ["/stream"]),
    "turns: too small": ("/v1/turns", {"messages": MESSAGES, "token_budget": 0}, ["/token_budget"]),
    "turns: unknown role": ("/v1/turns", {"messages": [{"role": "robot", "content": "x"}]}, ["/messages/0"]),
    "turns: unknown key of a message": ("/v1/turns", {"messages": [{**user("x"), "name": "y"}]}, ["/messages/0/name"]),
    "turns: number as content": ("/v1/turns", {"messages": [{"role": "user", "content": 1}]}, ["/messages/0/content"]),
    "turns: an assistant's last word": ("/v1/turns", {"messages": [user("x"), {"role": "assistant"}]}, ["/messages"]),
    "turns: intent": ("/v1/turns", {"messages": MESSAGES, "intent": {"pick": ["x"]}}, ["/intent/pick"]),
    "turns: intent's type": ("/v1/turns", {"messages": MESSAGES, "intent": {"disabled": "math-*"}}, ["/intent/disabled"]),
    "preprocess: unknown field": ("/v1/preprocess", {"messages": MESSAGES, "stream": True}, ["/stream"]),
    "expand: unknown field": ("/v1/expand", {"messages": MESSAGES}, ["/messages"]),
    "expand: source": ("/v1/expand", {"source": "pigeon"}, ["/source"]),
    "expand: in the intent": ("/v1/expand", {"intent": {"disabled": [1]}}, ["/intent/disabled/0"]),
    "execute: two at once": ("/v1/execute", {"nam": "lab-echo"}, ["/name", "/nam"]),
    "execute: arguments": ("/v1/execute", {"name": "lab-echo", "arguments": "{}"}, ["/arguments"]),
}


@pytest.mark.parametrize(("path", "body", "pointers"), INVALID.values(), ids=list(INVALID))
async def test_wrong_fields_are_refused_with_pointers(offline: Lab, path: str, body: Json, pointers: list[str]) -> None:
    """422 for unknown fields and wrong types, with a pointer at each; nothing ran."""
    status, problem = await offline.running.post(path, body)
    assert (status, problem["code"]) == (422, "invalid_request")
    assert {error["pointer"] for error in problem["errors"]} == set(pointers)
    assert all(error["message"] for error in problem["errors"])
    assert offline.log == []


@pytest.mark.parametrize(
    ("body", "pointer"),
    [({}, "/enabled"), ({"enabled": "yes"}, "/enabled"), ({"enabled": True, "why": "x"}, "/why"),
     ({"enabled": True, "reason": "a\0"}, "/reason")],
)  # fmt: skip
async def test_an_override_is_as_strict(offline: Lab, body: JsonObject, pointer: str) -> None:
    """Also about what a database could not keep."""
    async with offline.running.client.put(offline.running.url + "/v1/overrides/app/lab", json=body) as response:
        problem = await response.json(content_type=None)
    assert (response.status, problem["errors"][0]["pointer"]) == (422, pointer)


AS_JSON = {"Content-Type": "application/json"}
ENABLED = {"json": {"enabled": True}}
PLAIN: dict[str, tuple[str, str, JsonObject, int, str]] = {
    "no JSON": ("POST", "/v1/turns", {"data": "{messages", "headers": AS_JSON}, 400, "malformed_body"),
    "an empty body": ("POST", "/v1/turns", {"data": "", "headers": AS_JSON}, 400, "malformed_body"),
    "a form": ("POST", "/v1/execute", {"data": {"name": "x"}}, 415, "unsupported_media_type"),
    "too large": ("POST", "/v1/turns", {"json": {"messages": [user("x" * 3_000)]}}, 413, "body_too_large"),
    "no such path": ("GET", "/v2/turns", {}, 404, "not_found"),
    "another method": ("GET", "/v1/turns", {}, 405, "method_not_allowed"),
    "a kind of nothing": ("PUT", "/v1/overrides/planet/x", ENABLED, 404, "not_found"),
    "an override of nothing": ("PUT", "/v1/overrides/skill/lab-nothing", ENABLED, 404, "not_found"),
    "no override": ("DELETE", "/v1/overrides/skill/lab-echo", {}, 404, "not_found"),
    "no file of the page": ("GET", "/docs/secrets.txt", {}, 404, "not_found"),
    "a deadline in words": ("POST", "/v1/execute", {"json": ECHO, "headers": {"X-Turn-Timeout": "soon"}}, 400, "invalid_header"),
    "a deadline of nothing": ("POST", "/v1/execute", {"json": ECHO, "headers": {"X-Turn-Timeout": "0"}}, 400, "invalid_header"),
    "a tenant with a slash": ("GET", "/v1/skills", {"headers": {"X-Tenant-ID": "a/b"}}, 400, "invalid_header"),
    "a key with a blank": ("POST", "/v1/execute", {"json": ECHO, "headers": {"Idempotency-Key": "a b"}}, 400, "invalid_header"),
}


@pytest.mark.parametrize("case", PLAIN)
async def test_what_cannot_be_served_is_a_problem(start_lab: OpenLab, case: str) -> None:
    """Each has its status, a stable code and the request's id, as RFC 9457 wants it."""
    method, path, sent, status, code = PLAIN[case]
    async with start_lab(**OFFLINE, body_limit=2_048) as lab:
        async with lab.running.client.request(method, lab.running.url + path, **sent) as response:
            problem = json.loads(await response.text())
        assert (response.status, response.content_type) == (status, "application/problem+json")
        assert (problem["status"], problem["code"], problem["instance"]) == (status, code, response.headers["X-Request-ID"])
        assert problem["title"]
        assert lab.log == []


async def test_a_skill_that_does_not_exist_is_not_found(offline: Lab) -> None:
    """404 with close names; a name that fits exactly one is taken."""
    status, problem = await offline.running.post("/v1/execute", {"name": "lab-ecoh", "arguments": {}})
    assert (status, problem["code"], problem["close"][0]) == (404, "unknown_skill", "lab-echo")
    status, execution = await offline.running.post("/v1/execute", {**ECHO, "name": "Lab.Echo"})
    assert (status, execution["name"], execution["outcome"]) == (200, "lab-echo", "ok")


@pytest.mark.parametrize(
    ("name", "intent", "reason"),
    [
        ("lab-off", None, "by default"),
        ("lab-echo", {"disabled": ["lab-*"]}, "the intent disables it"),
        ("lab-echo", {"enabled": False}, "tools are off"),
        ("lab-rare", None, "not standard"),
    ],
)
async def test_a_skill_that_is_off_is_a_conflict(offline: Lab, name: str, intent: Json, reason: str) -> None:
    """409 that says why."""
    status, problem = await offline.running.post("/v1/execute", {**ECHO, "name": name, "intent": intent})
    assert (status, problem["code"], problem["id"]) == (409, "disabled", name)
    assert reason in problem["reason"]
    assert offline.log == []


BAD_ARGUMENTS: list[tuple[JsonObject, str]] = [
    ({}, "/arguments/requests/0/query"),
    ({"requests": []}, "/arguments"),
    ({"requests": [{}]}, "/arguments/requests/0/query"),
    ({"requests": [{"query": {}}, {"query": []}]}, "/arguments/requests/0/query"),
    ({"requests": 5}, "/arguments"),
]


@pytest.mark.parametrize(("arguments", "pointer"), BAD_ARGUMENTS, ids=str)
async def test_invalid_arguments_are_a_problem_of_the_callers(offline: Lab, arguments: JsonObject, pointer: str) -> None:
    """422 on /v1/execute, with a pointer to the first fault of each request."""
    status, problem = await offline.running.post("/v1/execute", {"name": "lab-echo", "arguments": arguments})
    assert (status, problem["code"]) == (422, "invalid_request")
    assert problem["errors"][0]["pointer"] == pointer
    assert offline.log == []


async def test_invalid_arguments_in_a_turn_are_a_result(lab: Lab, models: ScriptedModelServer) -> None:
    """An error result for the model, for the same arguments; the turn goes on."""
    models.script("cheap", [shortlisting("lab-echo")])
    models.script("main", [Reply(calls=[Call("lab-echo", arguments) for arguments, _ in BAD_ARGUMENTS]), Reply("Sorry.")])
    answer = await lab.turn()
    assert answer["answer"]["content"] == "Sorry."
    results = [message["content"] for message in models.bodies("main")[1]["messages"] if message["role"] == "tool"]
    assert len(results) == len(BAD_ARGUMENTS)
    assert all("invalid_arguments" in content for content in results)


async def test_request_ids_and_trace_are_taken_and_given_back(offline: Lab) -> None:
    """A safe id is kept, the trace is continued with a span of the service's own; without them there are new ones."""
    trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    headers = {"X-Request-ID": "mine-1", "traceparent": trace}
    async with offline.running.client.post(offline.running.url + "/v1/expand", json={}, headers=headers) as response:
        assert response.headers["X-Request-ID"] == "mine-1"
        given = response.headers["traceparent"]
    assert (given[:36], given[-3:]) == (trace[:36], "-01")
    assert given != trace
    async with offline.running.client.get(offline.running.url + "/health/live") as response:
        assert re.fullmatch("[0-9a-f]{32}", response.headers["X-Request-ID"])
        assert re.fullmatch("00-[0-9a-f]{32}-[0-9a-f]{16}-00", response.headers["traceparent"])


KEYED: dict[str, tuple[str, JsonObject]] = {
    "execute": ("/v1/execute", ECHO),
    "turn": ("/v1/turns", {"messages": MESSAGES}),
    "stream": ("/v1/turns", {"messages": MESSAGES, "stream": True}),
}


@pytest.mark.parametrize(("path", "body"), KEYED.values(), ids=list(KEYED))
async def test_a_request_that_comes_twice_runs_once(offline: Lab, path: str, body: JsonObject) -> None:
    """Idempotency-Key: the same answer byte for byte; another body is refused; another user's key is another key."""

    async def send(body: JsonObject, **headers: str) -> tuple[int, str, str | None]:
        sent = {"Idempotency-Key": "k1", **headers}
        async with offline.running.client.post(offline.running.url + path, json=body, headers=sent) as response:
            return response.status, await response.text(), response.headers.get("Idempotency-Replayed")

    first, second = await send(body), await send(body)
    assert (first[0], first[2]) == (200, None)
    assert second == (200, first[1], "true")
    assert len(offline.log) == 1
    status, text, _ = await send({**body, "source": "scheduled"})
    assert (status, json.loads(text)["code"]) == (422, "idempotency_key_reused")
    await send(body, **{"X-User-ID": "ada"})
    assert [user for *_, user in offline.log] == ["anonymous", "ada"]


async def test_the_same_key_at_the_same_time_is_told_to_wait(offline: Lab) -> None:
    """409 while the first runs, then its answer."""
    body = {"messages": [user("linger until released")]}
    first = asyncio.create_task(offline.running.post("/v1/turns", body, Idempotency_Key="k1"))
    await wait_until(lambda: offline.log)
    status, problem = await offline.running.post("/v1/turns", body, Idempotency_Key="k1")
    assert (status, problem["code"]) == (409, "idempotency_key_in_use")
    offline.release.set()
    assert await first == await offline.running.post("/v1/turns", body, Idempotency_Key="k1")
    assert [what for what, *_ in offline.log] == ["started", "finished"]


async def test_a_refusal_does_not_use_up_a_key(offline: Lab) -> None:
    """What never ran may be tried again under the same key."""
    status, _ = await offline.running.post("/v1/execute", {**ECHO, "name": "lab-off"}, Idempotency_Key="k1")
    assert status == 409
    async with offline.running.client.put(offline.running.url + "/v1/overrides/skill/lab-off", json={"enabled": True}):
        pass
    status, _ = await offline.running.post("/v1/execute", {**ECHO, "name": "lab-off"}, Idempotency_Key="k1")
    assert status == 200


@pytest.mark.parametrize("stream", [False, True], ids=["json", "sse"])
async def test_one_turn_too_many_is_told_to_come_back(start_lab: OpenLab, stream: bool) -> None:
    """503 with Retry-After and the setting's name, before anything is streamed; the running one is not disturbed."""
    async with start_lab(**OFFLINE, turns_parallel=1) as lab:
        first = asyncio.create_task(lab.turn("linger until released"))
        await wait_until(lambda: lab.log)
        for path in ("/v1/turns", "/v1/preprocess"):
            body = {"messages": MESSAGES, **({"stream": stream} if path == "/v1/turns" else {})}
            async with lab.running.client.post(lab.running.url + path, json=body) as response:
                problem = await response.json(content_type=None)
                assert (response.status, response.headers["Retry-After"]) == (503, "5")
            assert (problem["code"], problem["limit_name"]) == ("too_busy", "SHORTLIST_TURNS_PARALLEL")
        lab.release.set()
        assert "linger" in (await first)["answer"]["content"]
        assert "jam" in (await lab.turn("echo jam"))["answer"]["content"]


async def test_a_stream_tells_each_stage(offline: Lab) -> None:
    """The events of DESIGN, in order, ids from 1; the last one is the JSON answer of the same turn."""
    events = await offline.stream("echo jam")
    names = [name for name, _ in events]
    assert list(dict.fromkeys(names)) == [
        "turn.started", "preselection", "tool.started", "tool.finished", "text.delta", "usage", "turn.finished",
    ]  # fmt: skip
    data = dict(events)
    assert (data["tool.started"]["name"], data["tool.finished"]["outcome"]) == ("lab-echo", "ok")
    assert "jam" in data["tool.finished"]["toon"]
    answer = data["turn.finished"]
    assert answer["id"] == data["turn.started"]["id"]
    assert "".join(event["text"] for name, event in events if name == "text.delta") == answer["answer"]["content"]
    assert answer.keys() == (await offline.turn("echo jam")).keys()


async def test_a_quiet_stream_is_kept_alive(start_lab: OpenLab) -> None:
    """A comment comes when nothing happens; it is no event and uses up no id."""
    async with start_lab(**OFFLINE, heartbeat=0.05) as lab:
        body = {"messages": [user("linger until released")], "stream": True}
        async with lab.running.client.post(lab.running.url + "/v1/turns", json=body) as response:
            assert (response.headers["Cache-Control"], response.headers["X-Accel-Buffering"]) == ("no-store", "no")
            received = b""
            while b"\n: still here\n" not in b"\n" + received:
                received += await response.content.readany()
            lab.release.set()
            received += await response.read()
    assert read_events(received.decode())[-1][0] == "turn.finished"


async def test_each_stage_can_be_called_alone(offline: Lab) -> None:
    """Expand, preprocess and execute give what the turn's trace shows."""
    turn = await offline.turn("echo jam")
    _, expansion = await offline.running.post("/v1/expand", {"source": "chat"})
    _, prepared = await offline.running.post("/v1/preprocess", {"messages": MESSAGES})
    assert expansion == prepared["expansion"] == turn["trace"]["expansion"]
    assert prepared["exposure"] == turn["trace"]["exposure"]
    assert prepared["preselection"] == turn["trace"]["preselection"]


async def test_skills_work_on_behalf_of_the_caller(offline: Lab) -> None:
    """Tenant and user reach the skill; without headers they are the default ones."""
    await offline.running.post("/v1/execute", ECHO, X_Tenant_ID="acme", X_User_ID="ada")
    await offline.running.post("/v1/execute", ECHO)
    assert offline.log == [("echo", "jam", "acme", "ada"), ("echo", "jam", "default", "anonymous")]


async def test_the_preselection_names_its_stand_in(offline: Lab) -> None:
    """And says that nobody had anything to decide where nothing is available."""
    usual, off = await offline.turn("echo jam"), await offline.turn("echo jam", intent=False)
    assert "offline stand-in" in usual["trace"]["preselection"]["decided_by"]
    assert off["trace"]["preselection"]["decided_by"] == "nobody: nothing is available"
    assert off["trace"]["expansion"]["available"] == []
