"""What every handler reads from a request beside its body."""

from __future__ import annotations

import re

from aiohttp import web

from apps.sdk.languages import is_language
from apps.sdk.skill import Source
from service.http.problems import InvalidHeader, InvalidParameter
from service.services import SERVICES, Services
from service.turns.request import Caller

SAFE_NAME = re.compile(r"[A-Za-z0-9_.@:+-]{1,128}")
LANGUAGE = "lang"
TENANT, USER, TIMEOUT = "X-Tenant-ID", "X-User-ID", "X-Turn-Timeout"
DEFAULT_TENANT, DEFAULT_USER = "default", "anonymous"


def get_services(request: web.Request) -> Services:
    return request.app[SERVICES]


def read_scope(request: web.Request) -> tuple[str, str]:
    """Tenant and user. Raises `InvalidHeader`."""
    return _read_name(request, TENANT, DEFAULT_TENANT), _read_name(request, USER, DEFAULT_USER)


def read_caller(request: web.Request, source: Source) -> Caller:
    """On whose behalf the request is. Raises `InvalidHeader`."""
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
    """The language that the caller's texts should be in, None when the caller does not say. Raises `InvalidParameter`."""
    given = request.query.getall(LANGUAGE, [])
    if not given:
        return None
    if len(given) > 1 or not is_language(given[0]):
        raise InvalidParameter(LANGUAGE, "one language tag, for example de or pt-BR")
    return given[0]


def _read_name(request: web.Request, header: str, default: str) -> str:
    text = request.headers.get(header, default)
    if not SAFE_NAME.fullmatch(text):
        raise InvalidHeader(header, "1 to 128 letters, digits or any of _ . @ : + -")
    return text
