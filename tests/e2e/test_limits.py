"""What a request may have at most, how often and how many at once, and what every answer says to browsers."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from service.access.keys import make_key, write_setting
from tests.e2e.conftest import OpenLab
from tests.e2e.lab import OFFLINE, Lab, user, wait_until
from tests.support.raw_http import RawAnswer, send_raw

CANARY = b"marmaladecanary"
JSON = b"Content-Type: application/json\r\n"


def get(path: bytes, *headers: bytes) -> bytes:
    return b"GET " + path + b" HTTP/1.1\r\nHost: localhost\r\n" + b"".join(header + b"\r\n" for header in headers) + b"\r\n"


OVER: dict[str, tuple[bytes, int, str, str]] = {
    "a URL": (get(b"/v1/skills?lang=" + b"x" * 300), 414, "url_too_long", "SHORTLIST_URL_LIMIT"),
    "a very long URL": (get(b"/v1/skills?lang=" + CANARY * 1_000), 414, "url_too_long", "SHORTLIST_URL_LIMIT"),
    "parameters": (get(b"/v1/skills?" + b"&".join([b"a=1"] * 5)), 400, "too_many_parameters", "SHORTLIST_QUERY_PARAMETERS_MAX"),
    "a header": (get(b"/v1/skills", b"X-Long: " + CANARY * 200), 431, "headers_too_large", "SHORTLIST_HEADER_LIMIT"),
    "a key": (get(b"/v1/skills", b"Authorization: Bearer " + CANARY * 200), 431, "headers_too_large", "SHORTLIST_HEADER_LIMIT"),
    "headers": (get(b"/v1/skills", *[b"X-%d: 1" % number for number in range(30)]), 431, "headers_too_large",
                "SHORTLIST_HEADERS_MAX"),
}  # fmt: skip
DEEP = b'{"name": "lab-echo", "arguments": {"requests": [[[[[[[[["' + CANARY + b'"]]]]]]]]]}}'
OVER["nesting"] = (
    b"POST /v1/execute HTTP/1.1\r\nHost: localhost\r\n" + JSON + b"Content-Length: %d\r\n\r\n" % len(DEEP) + DEEP,
    400, "body_too_deep", "SHORTLIST_BODY_DEPTH",
)  # fmt: skip


@pytest.mark.parametrize("case", OVER)
async def test_each_limit_has_an_error_that_names_its_setting(start_lab: OpenLab, case: str) -> None:
    """And quotes nothing of what came."""
    sent, status, code, setting = OVER[case]
    limits = {"url_limit": 256, "query_parameters_max": 4, "header_limit": 1_000, "headers_max": 16, "body_depth": 8}
    async with start_lab(**OFFLINE, **limits) as lab:
        answer = await send_raw(lab.running.url, sent)
        problem = answer.json()
        assert (answer.status, problem["code"], problem["limit_name"]) == (status, code, setting)
        assert problem["limit"] == limits[setting.removeprefix("SHORTLIST_").lower()]
        assert setting in problem["detail"]
        check_answer(answer)


NO_HTTP: dict[str, bytes] = {
    "no HTTP": CANARY + b"\r\n\r\n",
    "a version of the future": b"GET /" + CANARY + b" HTTP/9.9\r\nHost: localhost\r\n\r\n",
    "another protocol": b"\x16\x03\x01\x02\x00\x01" + CANARY + b"\r\n\r\n",
    "a header without a colon": get(b"/", b"Authorization " + CANARY),
    "a header with a NUL": get(b"/", b"Authorization: Bearer " + CANARY + b"\0"),
    "a name with a blank": get(b"/", CANARY + b" x: 1"),
    "no length": b"POST /v1/turns HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + CANARY + b"\r\n\r\n",
    "two lengths": b"POST /v1/turns HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n" + CANARY,
    "a length and chunks": (
        b"POST /v1/turns HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    ),
}


EXECUTE = b"POST /v1/execute HTTP/1.1\r\nHost: localhost\r\n" + JSON


@pytest.mark.parametrize("path", [b"/v1/skills", b"/nothing", b"/metrics"])
async def test_an_expectation_that_nobody_meets_is_a_problem_too(offline: Lab, path: bytes) -> None:
    """417 wherever it is sent, with the safe headers, and nothing of it is quoted."""
    answer = await send_raw(offline.running.url, get(path, b"Expect: " + CANARY))
    assert (answer.status, answer.json()["code"]) == (417, "http_417")
    check_answer(answer)


async def test_an_expectation_that_is_met_goes_on(offline: Lab) -> None:
    """`100-continue`, as curl sends it before a larger body."""
    sent = EXECUTE + b"Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}"
    assert (await send_raw(offline.running.url, sent)).status == 100


@pytest.mark.parametrize("encoding", [b"gzip", b"deflate"])
async def test_a_body_that_cannot_be_unpacked_is_no_fault_of_ours(
    offline: Lab, caplog: pytest.LogCaptureFixture, encoding: bytes
) -> None:
    """Its sender is told, and whoever watches over errors is left alone."""
    sent = EXECUTE + b"Content-Encoding: " + encoding + b"\r\nContent-Length: %d\r\n\r\n" % len(CANARY) + CANARY
    answer = await send_raw(offline.running.url, sent)
    assert (answer.status, answer.json()["code"]) == (400, "malformed_body")
    await asyncio.sleep(0.1)  # what aiohttp does with the rest comes after the answer
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


@pytest.mark.parametrize("case", NO_HTTP)
async def test_what_is_no_http_is_a_problem_too(offline: Lab, case: str) -> None:
    """400, and the connection is closed; nothing of what came is quoted."""
    answer = await send_raw(offline.running.url, NO_HTTP[case])
    assert (answer.status, answer.json()["code"]) == (400, "malformed_request")
    assert answer.headers["connection"] == "close"
    check_answer(answer)
    assert (await offline.running.get("/health/live"))[0] == 200


@pytest.mark.parametrize("encoding", ["foo", "gzip, gzip", "compress", "br", "zstd", "x" * 200])
async def test_an_encoding_that_nobody_knows_is_a_problem(offline: Lab, encoding: str) -> None:
    """415 that says which are known."""
    sent = b"POST /v1/expand HTTP/1.1\r\nHost: localhost\r\nContent-Encoding: %s\r\n" % encoding.encode()
    answer = await send_raw(offline.running.url, sent + JSON + b"Content-Length: 2\r\n\r\n{}")
    assert (answer.status, answer.json()["code"]) == (415, "unsupported_encoding")
    assert "gzip" in answer.headers["accept-encoding"]
    check_answer(answer)


def check_answer(answer: RawAnswer) -> None:
    """It is a problem with a request's id and the safe headers, and tells nothing of what was sent."""
    assert answer.headers["content-type"].startswith("application/problem+json")
    assert answer.json()["instance"] == answer.headers["x-request-id"]
    check_safe(answer.headers)
    assert CANARY.decode() not in answer.body


def check_safe(headers: Any) -> None:
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["content-security-policy"].startswith("default-src 'none'")
    assert "frame-ancestors 'none'" in headers["content-security-policy"]


@pytest.mark.parametrize(("path", "cache"), [
    ("/v1/skills", "no-store"), ("/nothing", "no-store"), ("/health/live", "no-store"), ("/docs", "no-store"),
    ("/docs/swagger-ui.css", "public, max-age=86400"),
])  # fmt: skip
async def test_every_answer_has_the_safe_headers(offline: Lab, path: str, cache: str) -> None:
    """Only the page's own files may be cached."""
    async with offline.running.client.get(offline.running.url + path) as response:
        check_safe(response.headers)
        assert response.headers["Cache-Control"] == cache
        assert "Access-Control-Allow-Origin" not in response.headers


async def test_a_stream_has_them_too(offline: Lab) -> None:
    """Its headers are gone before the handler returns."""
    body = {"messages": [user("echo jam")], "stream": True}
    async with offline.running.client.post(offline.running.url + "/v1/turns", json=body) as response:
        check_safe(response.headers)
        await response.read()


async def test_a_key_has_so_many_requests_a_minute(start_lab: OpenLab) -> None:
    """Then 429 with Retry-After; answers say what is left; another key, and what needs no key, are not touched."""
    keys = [make_key("a", "use"), make_key("b", "use")]
    settings = {"api_keys": tuple(write_setting(made.key) for made in keys), "allow_anonymous": False}
    async with start_lab(**OFFLINE, **settings, requests_per_minute_per_key=2) as lab:

        async def ask(number: int, path: str = "/v1/skills") -> Any:
            headers = {"Authorization": f"Bearer {keys[number].secret}", "X-Tenant-ID": f"t{number}"}
            async with lab.running.client.get(lab.running.url + path, headers=headers) as response:
                return response, await response.json()

        left = [(await ask(0))[0].headers["RateLimit"] for _ in range(2)]
        assert left == ['"key";r=1;t=30', '"key";r=0;t=60']
        response, problem = await ask(0)
        assert (response.status, problem["code"], problem["limit"]) == (429, "rate_limited", 2)
        assert problem["limit_name"] == "SHORTLIST_REQUESTS_PER_MINUTE_PER_KEY"
        assert 1 <= int(response.headers["Retry-After"]) <= 30
        assert response.headers["RateLimit-Policy"] == '"key";q=2;w=60'
        assert (await ask(1))[0].status == 200
        assert (await ask(0, "/health/live"))[0].status == 200


async def test_a_tenant_has_so_many_requests_a_minute(start_lab: OpenLab) -> None:
    """Whatever comes for it counts; other tenants are served."""
    async with start_lab(**OFFLINE, requests_per_minute_per_tenant=1) as lab:

        async def ask(tenant: str) -> Any:
            headers = {"X-Tenant-ID": tenant}
            async with lab.running.client.get(lab.running.url + "/v1/skills", headers=headers) as response:
                return response.status, await response.json()

        assert (await ask("a"))[0] == 200
        status, problem = await ask("a")
        assert (status, problem["limit_name"]) == (429, "SHORTLIST_REQUESTS_PER_MINUTE_PER_TENANT")
        assert (await ask("b"))[0] == 200


async def test_what_one_limit_refuses_takes_nothing_of_the_other(start_lab: OpenLab) -> None:
    """A key over its limit leaves its tenant's other keys what is theirs, and a busy tenant the key's other tenants."""
    keys = [make_key("a", "use"), make_key("b", "use")]
    settings = {"api_keys": tuple(write_setting(made.key) for made in keys), "allow_anonymous": False}
    limits = {"requests_per_minute_per_key": 2, "requests_per_minute_per_tenant": 3}
    async with start_lab(**OFFLINE, **settings, **limits) as lab:

        async def ask(number: int, tenant: str) -> int:
            headers = {"Authorization": f"Bearer {keys[number].secret}", "X-Tenant-ID": tenant}
            async with lab.running.client.get(lab.running.url + "/v1/skills", headers=headers) as response:
                assert (response.status == 429) == ("r=0" in response.headers["RateLimit"] and "Retry-After" in response.headers)
                return response.status

        assert [await ask(0, "t") for _ in range(10)] == [200] * 2 + [429] * 8
        assert [await ask(1, "t") for _ in range(10)] == [200] + [429] * 9
        assert [await ask(1, "u") for _ in range(2)] == [200, 429]


async def test_one_tenant_cannot_take_every_place(start_lab: OpenLab) -> None:
    """Its turn over the limit is told to come back, while another tenant's runs; a place that is free is taken again."""
    turn = {"messages": [user("linger until released")]}
    async with start_lab(**OFFLINE, turns_parallel=3, turns_parallel_per_tenant=1) as lab:
        running = lab.running
        first = asyncio.create_task(running.post("/v1/turns", turn, X_Tenant_ID="a"))
        await wait_until(lambda: lab.log)
        for path, body in (("/v1/turns", turn), ("/v1/preprocess", turn), ("/v1/execute", {"name": "lab-echo"})):
            status, problem = await running.post(path, body, X_Tenant_ID="a")
            assert (status, problem["code"], problem["limit"]) == (429, "tenant_busy", 1)
            assert problem["limit_name"] == "SHORTLIST_TURNS_PARALLEL_PER_TENANT"
        echo = {"messages": [user("echo jam")]}
        assert (await running.post("/v1/turns", echo, X_Tenant_ID="b"))[0] == 200
        lab.release.set()
        assert (await first)[0] == 200
        assert (await running.post("/v1/turns", echo, X_Tenant_ID="a"))[0] == 200


ORIGIN = "https://chat.example.com"


async def test_pages_of_listed_origins_may_call(start_lab: OpenLab) -> None:
    """A preflight needs no key; the answer names that origin alone; a page of another origin gets no such header."""
    key = make_key("a", "use")
    settings = {"api_keys": (write_setting(key.key),), "allow_anonymous": False, "cors_origins": (ORIGIN,)}
    async with start_lab(**OFFLINE, **settings) as lab:

        async def ask(method: str, origin: str, **headers: str) -> Any:
            sent = {"Origin": origin, **{name.replace("_", "-"): value for name, value in headers.items()}}
            async with lab.running.client.request(method, lab.running.url + "/v1/expand", json={}, headers=sent) as response:
                return response.status, response.headers

        status, headers = await ask("OPTIONS", ORIGIN, Access_Control_Request_Method="POST")
        assert (status, headers["Access-Control-Allow-Origin"], headers["Vary"]) == (204, ORIGIN, "Origin")
        assert {"Authorization", "Content-Type"} <= set(headers["Access-Control-Allow-Headers"].split(", "))
        assert "Access-Control-Allow-Credentials" not in headers
        status, headers = await ask("POST", ORIGIN, Authorization=f"Bearer {key.secret}")
        assert (status, headers["Access-Control-Allow-Origin"]) == (200, ORIGIN)
        status, headers = await ask("POST", ORIGIN)
        assert (status, headers["Access-Control-Allow-Origin"]) == (401, ORIGIN)
        for other in ("https://evil.example", "null", ORIGIN + ".evil.example"):
            status, headers = await ask("OPTIONS", other, Access_Control_Request_Method="POST")
            assert status == 405
            assert "Access-Control-Allow-Origin" not in headers
