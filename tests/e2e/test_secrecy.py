"""Nothing that is sent in confidence comes back in an error, or stands in a log line or a metric."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import aiohttp
import pytest

from apps.sdk.jsontypes import JsonObject
from service.access.keys import make_key, write_setting
from service.http.routes import ROUTES, Route
from tests.e2e.lab import user
from tests.e2e.process import Server, serve
from tests.support.apps import write_echo_app
from tests.support.raw_http import send_raw

TEXT, TOKEN = "marmaladecanary", "quincecanary"
"""What somebody wrote, and what opens doors: the first is kept from lines from info on, the second from every line."""
KEY = make_key("boss", "admin")
SECRET = KEY.secret.rsplit("_", 1)[-1]
RIGHT = {"Authorization": f"Bearer {KEY.secret}"}

HEADERS: list[dict[str, str]] = [
    {"X-Tenant-ID": f"{TEXT}/x"}, {"X-User-ID": f"{TEXT} x"}, {"X-User-ID": TEXT}, {"X-Turn-Timeout": TEXT},
    {"Idempotency-Key": f"{TEXT} x"}, {"Idempotency-Key": TEXT}, {"X-Request-ID": f"{TEXT} x"}, {"traceparent": TEXT},
    {"User-Agent": TEXT}, {"Referer": TEXT}, {"Origin": TEXT}, {"Accept": TEXT}, {"Content-Type": f"text/{TEXT}"},
    {"Content-Encoding": TEXT}, {"Host": TEXT}, {"X-Forwarded-For": TEXT}, {TEXT: "1"},
    {"Cookie": f"key={TOKEN}"}, {"X-API-Key": TOKEN}, {"Proxy-Authorization": f"Basic {TOKEN}"},
]  # fmt: skip
CREDENTIALS: list[dict[str, str]] = [
    {"Authorization": value}
    for value in (f"Bearer {TOKEN}", f"Basic {TOKEN}", TOKEN, f"Bearer sl_{KEY.key.id}_{TOKEN}", f"{TOKEN} x")
]  # fmt: skip
BODIES: list[object] = [
    {"messages": [user(TEXT)], "wrong": 1}, {"messages": [user(TEXT), {"role": "assistant", "content": TEXT}]},
    {"messages": [{"role": "user", "content": {"x": TEXT}}]}, {"messages": TEXT}, [TEXT], TEXT,
    {"intent": {"disabled": TEXT}}, {"intent": TEXT}, {"source": TEXT},
    {"name": 1, "arguments": TEXT}, {"enabled": TEXT}, {"enabled": True, "reason": TEXT, "x": 1},
]  # fmt: skip
QUOTED: list[object] = [
    {"name": "cosy-echo", "arguments": {"requests": [{"query": {"x": TEXT}}]}}, {"name": TEXT}, {TEXT: 1},
    {"name": "cosy-echo", "arguments": {"requests": TEXT}},
]  # fmt: skip
"""What an error says of fields that do not exist, and of arguments by a skill's schema, quotes them to whoever sent them."""


def fill(path: str, value: str) -> str:
    return path.replace("{kind}", "skill").replace("{id}", value).replace("{asset}", value)


async def check(client: aiohttp.ClientSession, server: Server, route: Route, path: str, **sent: object) -> int:
    """Send it; an error holds nothing of it, and no answer at all a token. The status."""
    headers = {**RIGHT, **sent.pop("headers", {})}  # type: ignore[dict-item] # a mapping
    request = client.request(route.method, server.url + path, headers=headers, **sent)  # type: ignore[arg-type]
    async with request as response:
        told = await response.text() + json.dumps(dict(response.headers))
    assert TOKEN not in told
    assert SECRET not in told
    assert response.status < 400 or TEXT not in told or sent.get("json") in QUOTED, (route.path, sent, told)
    assert response.status < 500
    return response.status


def list_requests(route: Route) -> Iterator[tuple[str, JsonObject]]:
    """Path and what is sent, with a canary in every place that the route has."""
    plain = fill(route.path, "start.js" if "{asset}" in route.path else "cosy-echo")
    for headers in (*HEADERS, *CREDENTIALS):
        yield plain, {"headers": headers, "json": {}} if route.body else {"headers": headers}
    yield f"{plain}?q={TEXT}&lang={TEXT}&access_token={TOKEN}", {}
    yield f"{plain}/{TEXT}", {}
    yield fill(route.path, TEXT), {"json": {"enabled": True}} if route.body else {}
    for body in (*BODIES, *QUOTED) if route.body else ():
        yield plain, {"json": body}
    if route.body:
        yield plain, {"data": "{" + TEXT, "headers": {"Content-Type": "application/json"}}


@pytest.mark.parametrize("level", ["info", "debug"])
async def test_no_error_no_log_line_and_no_metric_holds_what_was_sent(tmp_path: Path, level: str) -> None:
    """Canaries in headers, query, path and body of every route, and in what is no HTTP; credentials at no level."""
    write_echo_app(tmp_path / "own", "cosy", "echo")
    settings = {"apps_dirs": tmp_path / "own", "log_level": level, "api_keys": write_setting(KEY.key), "allow_anonymous": "false"}
    statuses: set[int] = set()
    async with serve(tmp_path, **settings) as server, aiohttp.ClientSession() as client:
        for route in ROUTES:
            for path, sent in list_requests(route):
                statuses.add(await check(client, server, route, path, **sent))
        for line in (f"Authorization {TOKEN}", f"X: {TEXT}\0", f"X: {TEXT * 1_000}", f"Authorization: Bearer {TOKEN * 1_000}"):
            answer = await send_raw(server.url, f"GET /v1/skills HTTP/1.1\r\n{line}\r\n\r\n".encode())
            assert answer.status in {400, 431}
            assert TEXT not in answer.body + str(answer.headers)
            assert TOKEN not in answer.body + str(answer.headers)
        async with client.get(server.url + "/metrics", headers=RIGHT) as response:
            metrics = await response.text()
        server.terminate()
        assert await server.end() == 0
    assert {200, 400, 401, 404, 415, 422} <= statuses
    for secret in (TOKEN, SECRET):
        assert secret not in server.err
    assert level == "debug" or TEXT not in server.err
    assert TEXT not in metrics
    assert TOKEN not in metrics
    assert '"key_name": "boss"' in server.err
