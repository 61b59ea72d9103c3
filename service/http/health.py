"""Whether the process runs, whether it can work, and what it has counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from aiohttp import web

from service.http.door import DOOR
from service.http.middleware.draining import DRAIN
from service.http.principal import require_every_tenant
from service.http.problems import Unauthenticated
from service.http.reading import get_services
from service.http.responses import answer_json
from service.services import Services
from service.store.errors import StoreError
from service.views.catalog import LiveView, ReadyView

WITHHELD: Final = "apps have errors; a key with the scope author is told which"
MAX_REASONS: Final = 20
"""Of what is broken; a probe comes every few seconds, and `/v1/apps` has the rest."""


async def get_live(_: web.Request) -> web.Response:
    """The process answers."""
    return answer_json(LiveView())


async def get_ready(request: web.Request) -> web.Response:
    """200 when turns can be taken, be it `degraded`; 503 while starting or shutting down."""
    services = get_services(request)
    catalog = services.apps.catalog
    store_works = await services.check_store()
    blocking = [
        *(["the service is shutting down"] if request.app[DRAIN].begun else []),
        *([services.models.problem or "the models' library is still being loaded"] if not services.models.ready else []),
        *([] if store_works else ["the database does not answer, or cannot be written"]),
    ]
    degraded = list_degraded(services)
    if degraded and not (store_works and await is_author(request)):
        degraded = [WITHHELD]
    view = ReadyView(
        status="not_ready" if blocking else "degraded" if degraded else "ready",
        reasons=(*blocking, *list_first(degraded)),
        models=services.models.description,
        retrieval="lexical only",
        apps=len(catalog.apps),
        skills=len(catalog.skills),
        quarantined=len(catalog.quarantined),
    )
    return answer_json(view, status=503 if blocking else 200)


def list_degraded(services: Services) -> list[str]:
    """What does not work as its author meant it."""
    catalog = services.apps.catalog
    errors = sum(finding.severity == "error" for finding in catalog.findings)
    broken = [f"{item.id} is quarantined: {item.reason}" for item in catalog.quarantined]
    broken += [f"{name} cannot be sent to the models: {reason}" for name, reason in services.apps.preprocessor.refused.items()]
    kept = [f"{app.id} runs an older version than its files: {app.kept.reason}" for app in catalog.apps if app.kept]
    stuck = [services.reloader.problem] if services.reloader and services.reloader.problem else []
    return [*stuck, *broken, *kept, *([f"{errors} errors in apps, see /v1/apps"] if errors else [])]


async def is_author(request: web.Request) -> bool:
    """Whether the caller may know what is wrong with apps; a key that is not taken is as good as none here."""
    try:
        return (await request.app[DOOR].identify(request)).covers("author")
    except (Unauthenticated, StoreError):
        return False


def list_first(reasons: Sequence[str]) -> Sequence[str]:
    """The first `MAX_REASONS`, and how many others there are."""
    others = len(reasons) - MAX_REASONS
    return reasons if others <= 0 else [*reasons[:MAX_REASONS], f"{others} more, see /v1/apps"]


async def get_metrics(request: web.Request) -> web.Response:
    """Prometheus' text format, counted over every tenant. Raises `Forbidden` for a key that is bound to one."""
    require_every_tenant(request)
    metrics = get_services(request).metrics
    return web.Response(body=metrics.render(), headers={"Content-Type": metrics.content_type})
