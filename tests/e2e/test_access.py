"""Who is let in: keys, scopes, tenants, and who needs no key."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

import aiohttp
import pytest

from apps.sdk.jsontypes import JsonObject
from service.access.keys import NewKey, make_key, write_setting
from service.http.routes import ROUTES, Route
from tests.e2e.conftest import OpenLab
from tests.e2e.lab import OFFLINE, Lab, user
from tests.support.raw_http import send_raw

KEYS: dict[str, NewKey] = {
    "use": make_key("use", "use"),
    "author": make_key("author", "author"),
    "admin": make_key("admin", "admin"),
    "acme": make_key("acme", "admin", "acme"),
}
SETTING = tuple(write_setting(made.key) for made in KEYS.values())
ECHO = {"name": "lab-echo", "arguments": {"requests": [{"query": "jam"}]}}


@dataclass(frozen=True, slots=True)
class Guarded:
    """A service that takes no request without a key."""

    lab: Lab

    async def ask(
        self, method: str, path: str, authorization: str | None = None, *, json: object = None, **headers: str
    ) -> tuple[int, JsonObject, aiohttp.ClientResponse]:
        """Status, JSON and response; `authorization` as it stands, headers as keywords, `_` for `-`."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        sent |= {"Authorization": authorization} if authorization is not None else {}
        async with self.lab.running.client.request(method, self.lab.running.url + path, json=json, headers=sent) as response:
            is_json = "json" in response.content_type
            return response.status, await response.json(content_type=None) if is_json else {}, response


def bearer(name: str) -> str:
    return f"Bearer {KEYS[name].secret}"


@pytest.fixture
async def guarded(start_lab: OpenLab) -> AsyncIterator[Guarded]:
    async with start_lab(**OFFLINE, api_keys=SETTING, allow_anonymous=False) as lab:
        yield Guarded(lab)


def fill(path: str) -> str:
    return (
        path.replace("{kind}", "skill").replace("{id}", "lab-echo").replace("{item}", "lab-echo").replace("{asset}", "start.js")
    )


BODIES = {"/v1/turns": {"messages": [user("echo jam")]}, "/v1/preprocess": {"messages": [user("echo jam")]}, "/v1/execute": ECHO}


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.path}")
async def test_every_route_takes_the_scope_that_it_declares(guarded: Guarded, route: Route) -> None:
    """Without a key 401 unless it is open, with a lesser scope 403 that names the right one, with the scope it is served."""
    path, body = (
        fill(route.path),
        BODIES.get(route.path, {"enabled": True} if route.method == "PUT" else {}) if route.body else None,
    )
    status, problem, response = await guarded.ask(route.method, path, json=body)
    if route.needs is None:
        assert status == 200
        return
    assert (status, problem["code"]) == (401, "unauthenticated")
    assert response.headers["WWW-Authenticate"] == 'Bearer realm="shortlist"'
    if route.needs == "admin":
        status, problem, response = await guarded.ask(route.method, path, bearer("author"), json=body)
        assert (status, problem["code"], problem["scope"]) == (403, "forbidden", "admin")
        assert 'error="insufficient_scope", scope="admin"' in response.headers["WWW-Authenticate"]
    status, answer, _ = await guarded.ask(route.method, path, bearer(route.needs), json=body)
    assert status in {200, 201, 204} or answer["code"] == "not_found"
    assert guarded.lab.log == [("echo", "jam", "default", "anonymous")] * (route.path in {"/v1/turns", "/v1/execute"})


UNKNOWN = make_key("use", "use").secret
WRONG = {
    "unknown": f"Bearer {UNKNOWN}",
    "the id of another": f"Bearer sl_{KEYS['use'].key.id}_{UNKNOWN.split('_', 2)[2]}",
    "malformed": "Bearer nonsense",
    "empty": "",
    "a scheme alone": "Bearer",
    "another scheme": "Basic YTpi",
    "two words": f"Bearer {KEYS['use'].secret} x",
    "a digest": f"Bearer {KEYS['use'].key.sha256}",
    "very long": "Bearer " + "x" * 5_000,
    "not ASCII": "Bearer é",
}


@pytest.mark.parametrize("authorization", WRONG.values(), ids=list(WRONG))
async def test_every_wrong_key_gets_the_same_answer(guarded: Guarded, authorization: str) -> None:
    """Nothing tells an unknown key from a malformed one; nothing of it comes back."""
    status, problem, response = await guarded.ask("GET", "/v1/skills", authorization)
    problem.pop("instance")
    assert (status, problem) == (
        401,
        {"type": "urn:shortlist:problem:unauthenticated", "title": "A key is needed", "status": 401,
         "detail": "This key is not taken.", "code": "unauthenticated"},
    )  # fmt: skip
    assert response.headers["WWW-Authenticate"] == 'Bearer realm="shortlist", error="invalid_token"'


async def test_a_key_of_the_store_works_until_it_is_revoked(start_lab: OpenLab) -> None:
    """Revoked, it gets the answer of an unknown one; the key of the settings goes on."""
    made = make_key("bot", "use")
    async with start_lab(**OFFLINE, api_keys=SETTING, allow_anonymous=False, api_keys_max_age=0) as lab:
        guarded, stored = Guarded(lab), lab.running.services.keyring._stored
        assert await stored.add(made.key)
        assert (await guarded.ask("POST", "/v1/execute", f"Bearer {made.secret}", json=ECHO))[0] == 200
        assert await stored.revoke("bot")
        status, problem, _ = await guarded.ask("POST", "/v1/execute", f"bearer  {made.secret}", json=ECHO)
        assert (status, problem["detail"]) == (401, "This key is not taken.")
        assert (await guarded.ask("POST", "/v1/execute", f"bearer  {KEYS['use'].secret}", json=ECHO))[0] == 200


async def test_two_keys_at_once_are_none(guarded: Guarded) -> None:
    """Which of them counts is not guessed."""
    lines = "".join(f"Authorization: {bearer(name)}\r\n" for name in ("use", "admin"))
    answer = await send_raw(guarded.lab.running.url, f"GET /v1/skills HTTP/1.1\r\nHost: x\r\n{lines}\r\n".encode())
    assert (answer.status, answer.json()["code"]) == (401, "unauthenticated")


async def test_a_key_may_be_bound_to_a_tenant(guarded: Guarded) -> None:
    """It acts for that one, named or not; for another one, and where all are counted, it is refused."""
    ask = guarded.ask
    for headers in ({}, {"X_Tenant_ID": "acme"}):
        assert (await ask("POST", "/v1/execute", bearer("acme"), json=ECHO, **headers))[0] == 200
    assert guarded.lab.log == [("echo", "jam", "acme", "anonymous")] * 2
    assert (await ask("PUT", "/v1/overrides/skill/lab-echo", bearer("acme"), json={"enabled": False}))[0] == 200
    assert len((await ask("GET", "/v1/overrides", bearer("admin"), X_Tenant_ID="acme"))[1]["overrides"]) == 1
    assert (await ask("GET", "/v1/overrides", bearer("admin")))[1]["overrides"] == []
    for path in ("/v1/skills", "/v1/overrides"):
        status, problem, _ = await ask("GET", path, bearer("acme"), X_Tenant_ID="other")
        assert (status, problem["code"]) == (403, "forbidden")
        assert "acme" not in str(problem)
    assert (await ask("GET", "/metrics", bearer("acme")))[0] == 403


async def test_what_is_wrong_with_apps_is_for_authors(start_lab: OpenLab) -> None:
    """Others see the apps without findings, files and reasons, and readiness without details."""
    async with start_lab(**OFFLINE, api_keys=SETTING, allow_anonymous=False) as lab:
        guarded = Guarded(lab)
        _, seen, _ = await guarded.ask("GET", "/v1/apps", bearer("use"))
        assert {app["id"] for app in seen["apps"]} == {"lab", "annex"}
        assert seen["findings"] is None
        assert all(app["findings"] is app["quarantined"] is app["kept"] is None for app in seen["apps"])
        _, seen, _ = await guarded.ask("GET", "/v1/apps", bearer("author"))
        assert all(isinstance(app["findings"], list) and app["quarantined"] == [] for app in seen["apps"])


async def test_readiness_tells_strangers_no_details(start_lab: OpenLab, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The status is open; which app is broken, and how, takes an author's key. A wrong key does not make it unhealthy."""
    folder = tmp_path_factory.mktemp("broken")
    (folder / "marmalade").mkdir()
    (folder / "marmalade" / "app.yml").write_text("name: [")
    async with start_lab(**OFFLINE, apps_dirs=(str(folder),), api_keys=SETTING, allow_anonymous=False) as lab:
        guarded = Guarded(lab)
        for authorization in (None, "Bearer nonsense", bearer("use")):
            status, ready, _ = await guarded.ask("GET", "/health/ready", authorization)
            assert (status, ready["status"]) == (200, "degraded")
            assert ready["reasons"] == ["apps have errors; a key with the scope author is told which"]
        _, ready, _ = await guarded.ask("GET", "/health/ready", bearer("author"))
        assert ready["reasons"]
        assert "a key with the scope" not in str(ready["reasons"])


async def test_on_a_loopback_address_a_key_is_optional_and_still_checked(start_lab: OpenLab) -> None:
    """Without one everything is allowed; a wrong one is refused and a lesser one gives less."""
    async with start_lab(**OFFLINE, api_keys=SETTING) as lab:
        guarded = Guarded(lab)
        assert (await guarded.ask("GET", "/v1/overrides"))[0] == 200
        assert (await guarded.ask("GET", "/v1/overrides", "Bearer nonsense"))[0] == 401
        assert (await guarded.ask("GET", "/v1/overrides", bearer("use")))[0] == 403


@pytest.mark.parametrize(
    ("host", "status"), [("evil.example", 401), ("evil.example:80", 401), ("localhost:1", 200), ("[::1]", 200)]
)
async def test_a_name_that_was_made_to_lead_here_needs_a_key(offline: Lab, host: str, status: int) -> None:
    """DNS rebinding: a page's own name may resolve to a loopback address, and its Host header tells."""
    answer = await send_raw(offline.running.url, f"GET /v1/skills HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    assert answer.status == status
    if status == 401:
        assert "SHORTLIST_ALLOW_ANONYMOUS" in answer.json()["detail"]


async def test_anonymous_access_can_be_allowed_for_everybody(start_lab: OpenLab) -> None:
    """Then the Host does not matter, and a key that is given is still checked."""
    async with start_lab(**OFFLINE, allow_anonymous=True) as lab:
        assert (await send_raw(lab.running.url, b"GET /v1/skills HTTP/1.1\r\nHost: evil.example\r\n\r\n")).status == 200
        assert (await Guarded(lab).ask("GET", "/v1/skills", "Bearer nonsense"))[0] == 401


async def test_unknown_paths_and_methods_need_no_key(guarded: Guarded) -> None:
    """The description is public, so there is nothing to hide; preflights of nobody are refused as any other method."""
    assert (await guarded.ask("GET", "/v1/nothing"))[0] == 404
    assert (await guarded.ask("DELETE", "/v1/turns"))[0] == 405
    assert (await guarded.ask("OPTIONS", "/v1/turns", Origin="https://chat.example"))[0] == 405
