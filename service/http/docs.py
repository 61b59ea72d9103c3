"""The service's own description, as OpenAPI and as a page that needs no network."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from aiohttp import web

from apps.sdk.jsontypes import JsonObject
from service.http.problems import NotFound

OPENAPI = web.AppKey("openapi", JsonObject)
ASSETS = {"swagger-ui-bundle.js": "text/javascript", "swagger-ui.css": "text/css", "start.js": "text/javascript"}
"""What the page is made of: the Swagger UI files that the package swagger-ui-py carries, and our one line that starts it."""

PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Shortlist</title><link rel="stylesheet" href="docs/swagger-ui.css"></head>
<body><div id="ui"></div><script src="docs/swagger-ui-bundle.js"></script><script src="docs/start.js"></script></body>
</html>
"""
START = 'SwaggerUIBundle({url: "/openapi.json", dom_id: "#ui", deepLinking: true, validatorUrl: null});\n'
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Swagger UI sets styles on its elements; no script stands in the page."""


async def get_openapi(request: web.Request) -> web.Response:
    """The OpenAPI document."""
    return web.json_response(request.app[OPENAPI])


async def get_docs(_: web.Request) -> web.Response:
    """The readable page."""
    return web.Response(text=PAGE, content_type="text/html", headers={"Content-Security-Policy": PAGE_POLICY})


async def get_asset(request: web.Request) -> web.StreamResponse:
    """A file of the readable page."""
    name = request.match_info["asset"]
    if name not in ASSETS:
        raise NotFound("The page has no such file.")
    if name == "start.js":
        return web.Response(text=START, content_type=ASSETS[name])
    headers = {"Cache-Control": "public, max-age=86400", "Content-Type": ASSETS[name]}
    return web.FileResponse(_find_assets() / name, headers=headers)


def _find_assets() -> Path:
    """Where swagger-ui-py keeps its files; found without importing it, which would cost a template engine."""
    spec = find_spec("swagger_ui")
    assert spec is not None
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0]) / "static"
