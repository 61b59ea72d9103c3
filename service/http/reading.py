"""What every handler reads from a request beside its body."""

from __future__ import annotations

import re
from collections.abc import Mapping

from aiohttp import web

from apps.sdk.languages import is_language
from apps.sdk.skill import Source
from service.access.keys import TENANT_FORM
from service.http.principal import PRINCIPAL
from service.http.problems import MAX_QUOTED, Forbidden, InvalidHeader, InvalidParameter, NotFound
from service.services import SERVICES, Services
from service.store.conversations import Owner
from service.turns.request import Caller

LANGUAGE = "lang"
TENANT, USER, TIMEOUT = "X-Tenant-ID", "X-User-ID", "X-Turn-Timeout"
DEFAULT_TENANT, DEFAULT_USER = "default", "anonymous"


def get_services(request: web.Request) -> Services:
    return request.app[SERVICES]


def read_scope(request: web.Request) -> tuple[str, str]:
    """Tenant and user; a key that is bound to a tenant decides. Raises `InvalidHeader`, `Forbidden`."""
    key = request.get(PRINCIPAL)
    own = key.tenant if key else None
    tenant = _read_name(request, TENANT, own or DEFAULT_TENANT)
    if own is not None and tenant != own:
        raise Forbidden(f"The key is bound to another tenant than {TENANT} says; leave the header out.")
    return tenant, _read_name(request, USER, DEFAULT_USER)


def read_owner(request: web.Request) -> Owner:
    """Whose the conversations are. Raises `InvalidHeader`, `Forbidden`."""
    return Owner(*read_scope(request))


def read_caller(request: web.Request, source: Source) -> Caller:
    """On whose behalf the request is. Raises `InvalidHeader`, `Forbidden`."""
    tenant, user = read_scope(request)
    return Caller(tenant, user, source)


def read_timeout(request: web.Request) -> float | None:
    """Seconds that the turn may take, None when the caller does not say. Raises `InvalidHeader`."""
    text = request.headers.get(TIMEOUT)
    if text is None:
        return None
    if not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,3})?", text) or float(text) <= 0:
        raise InvalidHeader(TIMEOUT, "a number of seconds above 0")
    return float(text)


def read_language(request: web.Request) -> str | None:
    """The language that the caller's texts should be in, None when the caller does not say.

    Raises `InvalidParameter`, for any other query parameter too: a misspelt one would be a wish that nobody hears.
    """
    tag = read_query(request, LANGUAGE).get(LANGUAGE)
    if tag is not None and not is_language(tag):
        raise InvalidParameter(LANGUAGE, "one language tag, for example de or pt-BR")
    return tag


def read_query(request: web.Request, *names: str) -> dict[str, str]:
    """The query parameters, each given once at most. Raises `InvalidParameter`, for one that is not of `names` too."""
    for name in request.query:
        if name not in names:
            raise InvalidParameter(name[:MAX_QUOTED], f"left out: this takes {', '.join(names)}")
        if len(request.query.getall(name)) > 1:
            raise InvalidParameter(name, "given once")
    return dict(request.query)


def read_number(query: Mapping[str, str], name: str, default: int, *, least: int, most: int) -> int:
    """A whole number of the query. Raises `InvalidParameter`."""
    text = query.get(name)
    if text is None:
        return default
    if not re.fullmatch(r"[0-9]{1,18}", text) or not least <= int(text) <= most:
        raise InvalidParameter(name, f"a whole number from {least} to {most}")
    return int(text)


def require_name(text: str) -> str:
    """A user's id from a path. Raises `NotFound` for what none can be."""
    if not TENANT_FORM.fullmatch(text):
        raise NotFound("There is no such user.")
    return text


def _read_name(request: web.Request, header: str, default: str) -> str:
    given = request.headers.getall(header, [default])
    if len(given) > 1 or not TENANT_FORM.fullmatch(given[0]):
        raise InvalidHeader(header, "given once, as 1 to 128 letters, digits or any of _ . @ : + -")
    return given[0]
