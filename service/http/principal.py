"""With which key a request came, and what that allows."""

from __future__ import annotations

from typing import Final

from aiohttp import web

from service.access.keys import AccessKey, Scope
from service.http.problems import Forbidden

PRINCIPAL: Final = web.RequestKey("principal", AccessKey)
"""The request's key; missing where none was looked at."""
ANONYMOUS: Final = AccessKey("", "anonymous", "admin", "")
"""Stands in where a key is optional and none was sent."""


def may(request: web.Request, scope: Scope) -> bool:
    """Whether the request's key allows what needs `scope`."""
    key = request.get(PRINCIPAL)
    return key is not None and key.covers(scope)


def require_every_tenant(request: web.Request) -> None:
    """Refuse a key that is one tenant's. Raises `Forbidden`."""
    key = request.get(PRINCIPAL)
    if key is not None and key.tenant is not None:
        raise Forbidden("This tells of every tenant, and the key is bound to one.")
