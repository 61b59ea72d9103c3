"""An administrator's switches for apps, skills and focus modes."""

from __future__ import annotations

from typing import get_args

from aiohttp import web

from preprocessor.availability import OverrideKind
from service.http.json_body import read_json
from service.http.problems import NotFound
from service.http.reading import get_services, read_scope
from service.http.responses import answer_json
from service.http.schemas import OverrideBody
from service.services import Services
from service.store.overrides import StoredOverride
from service.views.catalog import OverridesView, OverrideView


async def get_overrides(request: web.Request) -> web.Response:
    """All of the tenant."""
    tenant, _ = read_scope(request)
    stored = await get_services(request).overrides.list(tenant)
    return answer_json(OverridesView(overrides=tuple(map(_view, stored))))


async def put_override(request: web.Request) -> web.Response:
    """Set one; what the catalog does not have is refused, so that a typing error is noticed."""
    services = get_services(request)
    tenant, _ = read_scope(request)
    kind, id_ = read_target(request)
    body = await read_json(request, OverrideBody)
    require_known(services, kind, id_)
    return answer_json(_view(await services.overrides.put(tenant, kind, id_, enabled=body.enabled, reason=body.reason)))


async def delete_override(request: web.Request) -> web.Response:
    """Take one back."""
    tenant, _ = read_scope(request)
    kind, id_ = read_target(request)
    if not await get_services(request).overrides.delete(tenant, kind, id_):
        raise NotFound(f"There is no override of this {kind}.")
    return web.Response(status=204)


def read_target(request: web.Request, item: str = "id") -> tuple[OverrideKind, str]:
    """Of what the path speaks, its part `item` names. Raises `NotFound`."""
    written = request.match_info["kind"]
    for kind in get_args(OverrideKind):
        if kind == written:
            return kind, request.match_info[item]
    raise NotFound(f"What can be switched is of {', '.join(get_args(OverrideKind))}.")


def require_known(services: Services, kind: OverrideKind, item: str) -> None:
    """Raise `NotFound` for what the catalog does not have."""
    catalog = services.apps.catalog
    if item not in {"app": catalog.by_app, "skill": catalog.skills, "focus_mode": catalog.focus_modes}[kind]:
        raise NotFound(f"There is no such {kind}.")


def _view(stored: StoredOverride) -> OverrideView:
    return OverrideView(
        kind=stored.kind, id=stored.id, enabled=stored.enabled, reason=stored.reason, updated_at=stored.updated_at.isoformat()
    )
