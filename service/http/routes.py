"""Every route of the service: the one table that the application and its OpenAPI description are made from."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from aiohttp import web
from pydantic import BaseModel

from service.access.keys import Scope
from service.http import catalog, docs, health, overrides, schemas, stages, turns
from service.views import catalog as views
from service.views.preparation import ExpansionView, PreprocessView
from service.views.results import ExecutionView
from service.views.turn import TurnView

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(frozen=True, slots=True)
class Route:
    """One operation. `scoped`: takes tenant and user; `idempotent`: takes an Idempotency-Key; `timed`: takes a deadline.

    `translated`: takes the language of its texts; `needs`: the scope of the key, None = it is open.
    """

    method: Literal["GET", "POST", "PUT", "DELETE"]
    path: str
    handler: Handler
    summary: str
    tag: str
    body: type[BaseModel] | None = None
    answer: type[BaseModel] | None = None
    media_type: str | None = None
    streams: bool = False
    scoped: bool = False
    idempotent: bool = False
    timed: bool = False
    translated: bool = False
    needs: Scope | None = "use"


ROUTES: tuple[Route, ...] = (
    Route(
        "POST",
        "/v1/turns",
        turns.post_turn,
        "Answer a message",
        "turns",
        schemas.TurnBody,
        TurnView,
        streams=True,
        scoped=True,
        idempotent=True,
        timed=True,
    ),
    Route(
        "POST",
        "/v1/preprocess",
        stages.post_preprocess,
        "Shortlist for a message",
        "stages",
        schemas.PreprocessBody,
        PreprocessView,
        scoped=True,
        timed=True,
    ),
    Route(
        "POST",
        "/v1/expand",
        stages.post_expand,
        "Expand an intent",
        "stages",
        schemas.ExpandBody,
        ExpansionView,
        scoped=True,
    ),
    Route(
        "POST",
        "/v1/execute",
        stages.post_execute,
        "Run one call",
        "stages",
        schemas.ExecuteBody,
        ExecutionView,
        scoped=True,
        idempotent=True,
        timed=True,
    ),
    Route(
        "GET",
        "/v1/apps",
        catalog.get_apps,
        "Every app, with what is wrong with it",
        "catalog",
        answer=views.AppsView,
        scoped=True,
        translated=True,
    ),
    Route(
        "GET",
        "/v1/skills",
        catalog.get_skills,
        "Every skill",
        "catalog",
        answer=views.SkillsView,
        scoped=True,
        translated=True,
    ),
    Route(
        "GET",
        "/v1/focus-modes",
        catalog.get_focus_modes,
        "Every focus mode",
        "catalog",
        answer=views.FocusModesView,
        scoped=True,
        translated=True,
    ),
    Route(
        "GET",
        "/v1/overrides",
        overrides.get_overrides,
        "Every override",
        "admin",
        answer=views.OverridesView,
        scoped=True,
        needs="admin",
    ),
    Route(
        "PUT",
        "/v1/overrides/{kind}/{id}",
        overrides.put_override,
        "Enable or disable an app, a skill or a focus mode",
        "admin",
        schemas.OverrideBody,
        views.OverrideView,
        scoped=True,
        needs="admin",
    ),
    Route(
        "DELETE",
        "/v1/overrides/{kind}/{id}",
        overrides.delete_override,
        "Take an override back",
        "admin",
        scoped=True,
        needs="admin",
    ),
    Route("GET", "/health/live", health.get_live, "Whether the process runs", "health", answer=views.LiveView, needs=None),
    Route("GET", "/health/ready", health.get_ready, "Whether it can take turns", "health", answer=views.ReadyView, needs=None),
    Route("GET", "/metrics", health.get_metrics, "Prometheus metrics", "health", media_type="text/plain"),
    Route("GET", "/openapi.json", docs.get_openapi, "This description", "docs", media_type="application/json", needs=None),
    Route("GET", "/docs", docs.get_docs, "This description, readable", "docs", media_type="text/html", needs=None),
    Route(
        "GET",
        "/docs/{asset}",
        docs.get_asset,
        "What the readable one is made of",
        "docs",
        media_type="application/octet-stream",
        needs=None,
    ),
)
