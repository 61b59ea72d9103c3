"""The OpenAPI 3.1 description of the service, made from the route table and the models that the handlers really use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from types import MappingProxyType
from typing import Any, TypeAlias, get_args

from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from apps.sdk.jsontypes import JsonObject
from apps.sdk.languages import MAX_TAG
from preprocessor.availability import OverrideKind
from service.access.keys import TENANT_FORM
from service.http.events import LAST_EVENT_ID
from service.http.idempotency import HEADER as IDEMPOTENCY_KEY
from service.http.reading import LANGUAGE, TENANT, TIMEOUT, USER
from service.http.routes import Route

Refs: TypeAlias = Mapping[Any, JsonObject]
"""Where each model's schema is, by model and mode."""

REF = "#/components/schemas/{model}"
PROBLEM: JsonObject = {
    "type": "object",
    "description": "RFC 9457 problem details.",
    "required": ["type", "title", "status", "code"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "instance": {"type": "string", "description": "The request's id."},
        "code": {"type": "string", "description": "Stable; for programs."},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["pointer", "message"],
                "properties": {"pointer": {"type": "string"}, "message": {"type": "string"}},
            },
        },
    },
}
EVENT: JsonObject = {
    "type": "object",
    "description": "One server-sent event; its `id` line counts from 1.",
    "required": ["event", "data"],
    "properties": {"event": {"type": "string"}, "data": {"type": "string", "description": "One JSON object."}},
}

SCHEME = "key"
KEY: JsonObject = {
    "type": "http",
    "scheme": "bearer",
    "description": "A key with the scope that the operation names: `use`, `author`, which includes it, or `admin`, which includes"
    " both. Optional where the service listens on a loopback address only, unless SHORTLIST_ALLOW_ANONYMOUS says otherwise.",
}
LANGUAGE_PATTERN = "^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?(-([A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3}))*$"
HEADERS: Mapping[str, JsonObject] = MappingProxyType(
    {
        TENANT: {"type": "string", "pattern": f"^{TENANT_FORM.pattern}$"},
        USER: {"type": "string", "pattern": f"^{TENANT_FORM.pattern}$"},
        IDEMPOTENCY_KEY: {"type": "string", "pattern": "^[!-~]{1,200}$"},
        LAST_EVENT_ID: {"type": "string", "pattern": "^[0-9]{1,18}$", "description": "Goes on behind this event."},
        TIMEOUT: {"type": "string", "pattern": r"^(?!0*(\.0*)?$)[0-9]{1,6}(\.[0-9]{1,3})?$", "description": "Seconds."},
    }
)
PATH_PARAMETERS: Mapping[str, JsonObject] = MappingProxyType({"kind": {"type": "string", "enum": list(get_args(OverrideKind))}})
LANGUAGE_PARAMETER: JsonObject = {
    "name": LANGUAGE,
    "in": "query",
    "required": False,
    "description": "The language of names and descriptions, say `de` or `pt-BR`; where an app has none in it, its main one.",
    "schema": {"type": "string", "maxLength": MAX_TAG, "pattern": LANGUAGE_PATTERN},
    "example": "de",
}

QUERIES: Mapping[str, JsonObject] = MappingProxyType(
    {
        "limit": {"schema": {"type": "integer", "minimum": 1, "maximum": 500}, "description": "Items on one page."},
        "cursor": {"schema": {"type": "string"}, "description": "The `next` of the page before."},
        "after": {"schema": {"type": "integer", "minimum": 0, "maximum": 2**53}, "description": "What comes behind this one."},
    }
)


def describe_service(routes: Sequence[Route]) -> JsonObject:
    """The document that `/openapi.json` serves."""
    refs, definitions = models_json_schema(_list_models(routes), ref_template=REF)
    schemas = {**definitions.get("$defs", {}), "Problem": PROBLEM, "Event": EVENT}
    paths: dict[str, JsonObject] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _describe_operation(route, refs)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Shortlist",
            "version": version("shortlist"),
            "description": "Shortlists the skills a message needs, shows a model only those, and runs what it calls.",
        },
        "paths": paths,
        "components": {"schemas": dict(sorted(schemas.items())), "securitySchemes": {SCHEME: KEY}},
    }


def _list_models(routes: Sequence[Route]) -> list[tuple[type[BaseModel], JsonSchemaMode]]:
    used: dict[tuple[type[BaseModel], JsonSchemaMode], None] = {}
    for route in routes:
        if route.body:
            used[route.body, "validation"] = None
        if route.answer:
            used[route.answer, "serialization"] = None
    return list(used)


def _describe_operation(route: Route, refs: Refs) -> JsonObject:
    operation: JsonObject = {
        "operationId": route.handler.__name__,
        "summary": route.summary,
        "tags": [route.tag],
        "parameters": _describe_parameters(route),
        "responses": _describe_responses(route, refs),
        "security": [{SCHEME: [route.needs]}] if route.needs else [],
    }
    if route.body:
        operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": refs[route.body, "validation"]}}}
    return operation


def _describe_parameters(route: Route) -> list[JsonObject]:
    names = [part[1:-1] for part in route.path.split("/") if part.startswith("{")]
    parameters: list[JsonObject] = [
        {"name": name, "in": "path", "required": True, "schema": PATH_PARAMETERS.get(name, {"type": "string"})} for name in names
    ]
    headers = [*((TENANT, USER) if route.scoped else ()), *((IDEMPOTENCY_KEY,) if route.idempotent else ())]
    headers += [TIMEOUT] if route.timed else []
    headers += [LAST_EVENT_ID] if route.streams and route.method == "GET" else []
    parameters += [LANGUAGE_PARAMETER] if route.translated else []
    parameters += [{"name": name, "in": "query", "required": False, **QUERIES[name]} for name in route.queries]
    parameters += [{"name": name, "in": "header", "required": False, "schema": HEADERS[name]} for name in headers]
    return parameters


def _describe_responses(route: Route, refs: Refs) -> JsonObject:
    content: JsonObject = {}
    if route.answer:
        content["application/json"] = {"schema": refs[route.answer, "serialization"]}
    if route.streams:
        content["text/event-stream"] = {"schema": {"$ref": REF.format(model="Event")}}
    if route.media_type:
        content[route.media_type] = {"schema": {"type": "string"}}
    status = "201" if route.creates else "200" if content else "204"
    done: JsonObject = {"description": "Done.", **({"content": content} if content else {})}
    problem = {"application/problem+json": {"schema": {"$ref": REF.format(model="Problem")}}}
    return {status: done, "default": {"description": "A problem.", "content": problem}}
