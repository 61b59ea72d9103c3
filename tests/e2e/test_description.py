"""The service's description of itself: OpenAPI, the page that shows it, the README's table; each held against what is served."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import aiohttp
import pytest
from jsonschema import Draft202012Validator

from apps.sdk.jsontypes import Json, JsonObject
from service.http.app import create_app
from service.http.docs import ASSETS
from service.http.door import Door
from service.http.openapi import LANGUAGE_PARAMETER, describe_service
from service.http.problems import KINDS
from service.http.routes import ROUTES, Route
from tests.e2e.lab import Lab, user
from tests.support.readme import ROOT

DESCRIPTION = describe_service(ROUTES)
OPERATIONS = [(path, method, operation) for path, item in DESCRIPTION["paths"].items() for method, operation in item.items()]
ECHO = {"name": "lab-echo", "arguments": {"requests": [{"query": "jam"}]}}


def walk(value: Json) -> Iterator[JsonObject]:
    """Every object in it."""
    if isinstance(value, dict):
        yield value
        for item in value.values():
            yield from walk(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from walk(item)


def make_validator(schema: JsonObject) -> Draft202012Validator:
    """For a schema of the description, with its references."""
    return Draft202012Validator({**schema, "components": DESCRIPTION["components"]})


def test_the_description_covers_exactly_the_routes() -> None:
    """Each route once, and nothing else."""
    described = {(method.upper(), path) for path, method, _ in OPERATIONS}
    assert described == {(route.method, route.path) for route in ROUTES}
    assert len({operation["operationId"] for _, _, operation in OPERATIONS}) == len(ROUTES)


async def test_the_application_serves_exactly_the_routes(offline: Lab) -> None:
    """The route table is the only place where routes are made."""
    services = offline.running.services
    app = create_app(services, Door(services.keyring, "nobody"))
    served = {(route.method, route.resource.canonical) for route in app.router.routes() if route.resource}
    described = {(route.method, route.path) for route in ROUTES}
    assert served == described | {("HEAD", path) for method, path in described if method == "GET"}


def test_the_description_is_valid_openapi() -> None:
    """Version 3.1: what the specification requires of each object, schemas of draft 2020-12, references that lead somewhere."""
    assert re.fullmatch(r"3\.1\.\d", DESCRIPTION["openapi"])
    assert DESCRIPTION["info"].keys() >= {"title", "version"}
    for name, schema in DESCRIPTION["components"]["schemas"].items():
        assert re.fullmatch(r"[A-Za-z0-9._-]+", name)
        Draft202012Validator.check_schema(schema)
    for reference in (item["$ref"] for item in walk(DESCRIPTION) if isinstance(item.get("$ref"), str)):
        assert reference.removeprefix("#/components/schemas/") in DESCRIPTION["components"]["schemas"]
    for path, method, operation in OPERATIONS:
        assert path.startswith("/")
        assert operation["responses"]
        assert all(response["description"] for response in operation["responses"].values())
        parameters = operation["parameters"]
        assert {item["name"] for item in parameters if item["in"] == "path"} == set(re.findall(r"\{(\w+)\}", path))
        assert all(item["required"] for item in parameters if item["in"] == "path")
        assert len({(item["in"], item["name"]) for item in parameters}) == len(parameters)
        assert ("requestBody" in operation) == (method in {"post", "put", "patch"} and "deactivations" not in path)
        bodies = [operation.get("requestBody", {}), *operation["responses"].values()]
        for media in (media for body in bodies for media in body.get("content", {}).values()):
            Draft202012Validator.check_schema(media["schema"])


async def test_the_served_description_is_this_one(offline: Lab) -> None:
    """As JSON, the same that lies in the repository."""
    status, served = await offline.running.get("/openapi.json")
    assert (status, served) == (200, json.loads((ROOT / "service" / "openapi.json").read_text()))


ANSWERS: list[tuple[str, str, JsonObject | None]] = [
    ("POST", "/v1/turns", {"messages": [user("echo jam")]}),
    ("POST", "/v1/preprocess", {"messages": [user("echo jam")]}),
    ("POST", "/v1/expand", {"intent": {"disabled": ["lab-s*"], "picks": ["lab-echo"]}}),
    ("POST", "/v1/execute", ECHO),
    ("PUT", "/v1/overrides/skill/lab-off", {"enabled": True}),
    ("POST", "/v1/conversations", {"title": "Jam", "intent": {"disabled": ["lab-s*"]}}),
    ("POST", "/v1/conversations/ID/fork", {}),
    ("PATCH", "/v1/conversations/ID", {"title": None, "intent": {"enabled": True}}),
    ("DELETE", "/v1/users/anonymous", None),
    *(
        ("GET", route.path.replace("/conversations/{id}", "/conversations/ID").replace("/users/{id}", "/users/anonymous"), None)
        for route in ROUTES
        if route.method == "GET" and route.answer
    ),
]


async def make_conversation(lab: Lab) -> str:
    """The id of one with a turn."""
    _, made = await lab.running.post("/v1/conversations", {})
    await lab.running.post("/v1/turns", {"conversation_id": made["id"], "messages": [user("echo jam")]})
    return str(made["id"])


@pytest.mark.parametrize(("method", "path", "body"), ANSWERS, ids=[f"{method} {path}" for method, path, _ in ANSWERS])
async def test_answers_and_bodies_are_as_described(offline: Lab, method: str, path: str, body: JsonObject | None) -> None:
    """What is sent and what comes back fit the schemas, down to the last field."""
    template = re.sub("skill/lab-off", "{kind}/{id}", re.sub("/(ID|anonymous)", "/{id}", path))
    operation = DESCRIPTION["paths"][template][method.lower()]
    if "ID" in path:
        path = path.replace("ID", await make_conversation(offline))
    if body is not None:
        make_validator(operation["requestBody"]["content"]["application/json"]["schema"]).validate(body)
    async with offline.running.client.request(method, offline.running.url + path, json=body) as response:
        answer = await response.json()
    schema = operation["responses"][str(response.status)]["content"]["application/json"]["schema"]
    make_validator(schema).validate(answer)
    model = DESCRIPTION["components"]["schemas"][schema["$ref"].rsplit("/", 1)[-1]]
    assert answer.keys() == model["properties"].keys()


@pytest.mark.parametrize("body", [{}, {"messages": [], "x": 1}, {"messages": [{"role": "user"}]}], ids=str)
async def test_problems_are_as_described(offline: Lab, body: JsonObject) -> None:
    """And what the schema of a body refuses, the service refuses."""
    operation = DESCRIPTION["paths"]["/v1/turns"]["post"]
    assert not make_validator(operation["requestBody"]["content"]["application/json"]["schema"]).is_valid(body)
    status, problem = await offline.running.post("/v1/turns", body)
    assert status == 422
    make_validator(operation["responses"]["default"]["content"]["application/problem+json"]["schema"]).validate(problem)
    assert problem["code"] in KINDS


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.path}")
def test_every_route_is_in_the_readme(route: Route) -> None:
    """The README's tables name each path; `/docs/{asset}` is a part of `/docs`."""
    table = "\n".join(line for line in (ROOT / "README.md").read_text().splitlines() if line.startswith("|"))
    if route.path != "/docs/{asset}":
        assert f"{route.path}`" in table


async def fetch(lab: Lab, path: str) -> tuple[aiohttp.ClientResponse, str]:
    async with lab.running.client.get(lab.running.url + path) as response:
        return response, await response.text()


async def test_the_page_needs_no_network(offline: Lab) -> None:
    """No address of another host in the page or in its policy; each file it names is served with its type."""
    response, page = await fetch(offline, "/docs")
    policy = response.headers["Content-Security-Policy"]
    assert response.content_type == "text/html"
    for text in (page, policy):
        assert not re.search(r"(https?:)?//[a-z0-9]", text, re.IGNORECASE)
    assert {"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"} <= set(policy.split("; "))
    assert "<script>" not in page
    linked: list[Any] = re.findall(r'(?:href|src)="([^"]+)"', page)
    assert {link.removeprefix("docs/") for link in linked} == set(ASSETS)
    for link in linked:
        asset, text = await fetch(offline, f"/{link}")
        assert (asset.status, asset.content_type) == (200, ASSETS[link.removeprefix("docs/")])
        assert text
    _, start = await fetch(offline, "/docs/start.js")
    assert '"/openapi.json"' in start
    assert "http" not in start


SAMPLES = {
    "X-Tenant-ID": ["a", "a.b@c:d+e-f", "x" * 128, "x" * 129, "a b", "a/b", "é"],
    "X-User-ID": ["a", "a,b"],
    "Idempotency-Key": ["k", "x" * 200, "x" * 201, "a b"],
    "X-Turn-Timeout": ["1", "0.5", "10", "999999.999", "0", "0.0", "-1", "1e3", "1234567", "soon", ".5"],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in SAMPLES.items() for value in values])
async def test_a_header_is_taken_exactly_where_its_pattern_fits(offline: Lab, name: str, value: str) -> None:
    """A caller that goes by the description is never refused for a header, and what it excludes is refused."""
    parameters = DESCRIPTION["paths"]["/v1/execute"]["post"]["parameters"]
    (schema,) = (item["schema"] for item in parameters if item["name"] == name)
    status, _ = await offline.running.post("/v1/execute", ECHO, **{name: value})
    assert (status == 200) is bool(re.search(schema["pattern"], value))


@pytest.mark.parametrize("value", ["de", "pt-BR", "zh-Hant-TW", "de-1996", "de_DE", "deutsch", "", "d", "de-", "x" * 40])
async def test_a_language_is_taken_exactly_where_its_pattern_fits(offline: Lab, value: str) -> None:
    """The same for the query."""
    schema = LANGUAGE_PARAMETER["schema"]
    async with offline.running.client.get(offline.running.url + "/v1/skills", params={"lang": value}) as response:
        assert (response.status == 200) is make_validator(schema).is_valid(value)


@pytest.mark.parametrize("reason", ["", "why", "x" * 500, "x" * 501, "a\0b"])
async def test_a_reason_is_taken_exactly_where_its_schema_fits(offline: Lab, reason: str) -> None:
    """And for a text that the database must be able to keep."""
    body, path = {"enabled": True, "reason": reason}, "/v1/overrides/skill/lab-echo"
    schema = DESCRIPTION["paths"]["/v1/overrides/{kind}/{id}"]["put"]["requestBody"]["content"]["application/json"]["schema"]
    async with offline.running.client.put(offline.running.url + path, json=body) as response:
        assert (response.status == 200) is make_validator(schema).is_valid(body)


def test_each_operation_names_the_scope_of_its_key() -> None:
    """As the route table has it; what is open names none."""
    for path, method, operation in OPERATIONS:
        (route,) = (route for route in ROUTES if (route.method, route.path) == (method.upper(), path))
        assert operation["security"] == ([{"key": [route.needs]}] if route.needs else [])
    assert DESCRIPTION["components"]["securitySchemes"]["key"]["scheme"] == "bearer"
