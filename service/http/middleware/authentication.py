"""No handler runs without the scope that its route needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler, Middleware

from service.access.keys import Scope
from service.http.door import Door
from service.http.principal import PRINCIPAL
from service.http.problems import Forbidden

Needs: TypeAlias = Mapping[tuple[str, str], Scope | None]
"""The scope that each method and path template needs; None = it is open."""


def require_keys(door: Door, needs: Needs) -> Middleware:
    """The middleware that raises `Unauthenticated` and `Forbidden`; what `needs` does not list takes an administrator."""

    @web.middleware
    async def require(request: web.Request, handler: Handler) -> web.StreamResponse:
        resource = request.match_info.route.resource
        if resource is None:  # no such path or method, which the public description tells too
            return await handler(request)
        method = hdrs.METH_GET if request.method == hdrs.METH_HEAD else request.method
        needed = needs.get((method, resource.canonical), "admin")
        if needed is not None:
            key = request[PRINCIPAL] = await door.identify(request)
            if not key.covers(needed):
                raise Forbidden(f"This takes a key with the scope {needed}; this one has {key.scope}.", needed)
        return await handler(request)

    return require
