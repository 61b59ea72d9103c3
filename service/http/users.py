"""What a user switched off, and the erasure of all that is stored of one."""

from __future__ import annotations

from dataclasses import asdict

from aiohttp import web

from service.http.overrides import read_target, require_known
from service.http.problems import InvalidHeader, NotFound
from service.http.reading import USER, get_services, read_owner, require_name
from service.http.responses import answer_json
from service.store.conversations import Owner
from service.views.conversations import DeactivationsView, ErasureView, describe_deactivation


async def get_deactivations(request: web.Request) -> web.Response:
    """All of the user."""
    stored = await get_services(request).deactivations.list(_read_user(request))
    return answer_json(DeactivationsView(deactivations=tuple(map(describe_deactivation, stored))))


async def put_deactivation(request: web.Request) -> web.Response:
    """Switch an app, a skill or a focus mode off for one user; what the catalog does not have is refused."""
    services = get_services(request)
    owner = _read_user(request)
    kind, item = read_target(request, "item")
    require_known(services, kind, item)
    await services.deactivations.put(owner, kind, item)
    return web.Response(status=204)


async def delete_deactivation(request: web.Request) -> web.Response:
    """Switch it on again for the user."""
    kind, item = read_target(request, "item")
    if not await get_services(request).deactivations.delete(_read_user(request), kind, item):
        raise NotFound(f"The user has not switched off this {kind}.")
    return web.Response(status=204)


async def delete_user(request: web.Request) -> web.Response:
    """Erase all that is stored of a user; turns that run are stopped."""
    services = get_services(request)
    owner = _read_user(request)
    erased = await services.erase_user(owner)
    services.conversation_turns.stop(owner)
    services.deactivations.forget(owner)
    return answer_json(ErasureView(erased=asdict(erased)))


def _read_user(request: web.Request) -> Owner:
    """The user of the path; the header may only repeat it. Raises `InvalidHeader`, `NotFound`."""
    owner = read_owner(request)
    user = require_name(request.match_info["id"])
    if USER in request.headers and owner.user != user:
        raise InvalidHeader(USER, "left out, or the user of the path")
    return Owner(owner.tenant, user)
