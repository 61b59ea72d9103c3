"""Whom a request is taken from: the holder of a key, or anybody where that is allowed."""

from __future__ import annotations

import re
from typing import Final

import structlog
from aiohttp import hdrs, web

from service.access.addresses import names_loopback
from service.access.anonymous import Anonymous, choose_anonymous
from service.access.keyring import Keyring
from service.access.keys import AccessKey
from service.http.principal import ANONYMOUS
from service.http.problems import Unauthenticated
from service.settings import Settings, SettingsMismatch

BEARER: Final = re.compile(r"bearer +([!-~]{1,512})", re.IGNORECASE)
NEEDED: Final = "Send a key: Authorization: Bearer ..."
REFUSED: Final = "This key is not taken."
NOT_LOCAL: Final = (
    "Without a key only a Host that names this machine is served, for example 127.0.0.1 or localhost. "
    "Send a key, or set SHORTLIST_ALLOW_ANONYMOUS=true."
)
NO_KEY: Final = (
    "it would need a key of every request, and there is none. Make one with `shortlist keys add NAME --scope admin` or set "
    "SHORTLIST_API_KEYS; SHORTLIST_ALLOW_ANONYMOUS=true lets everybody do everything who can reach SHORTLIST_HOST={host}"
)


class Door:
    """Looks at a request's key."""

    def __init__(self, keyring: Keyring, anonymous: Anonymous) -> None:
        self._keyring = keyring
        self._anonymous = anonymous

    async def identify(self, request: web.Request) -> AccessKey:
        """The request's key, or the stand-in for none. Raises `Unauthenticated`, `StoreUnavailable`."""
        given = request.headers.getall(hdrs.AUTHORIZATION, [])
        if not given:
            return self._take_anonymous(request)
        match = BEARER.fullmatch(given[0]) if len(given) == 1 else None
        key = await self._keyring.find(match[1] if match else "")
        if key is None:
            raise Unauthenticated(REFUSED, given=True)
        return key

    def _take_anonymous(self, request: web.Request) -> AccessKey:
        if self._anonymous == "nobody":
            raise Unauthenticated(NEEDED, given=False)
        host = request.headers.get(hdrs.HOST)  # HTTP/1.0 has none, and no browser speaks it
        if self._anonymous == "local" and host is not None and not names_loopback(host):
            raise Unauthenticated(NOT_LOCAL, given=False)
        return ANONYMOUS


DOOR: Final = web.AppKey("door", Door)


async def open_door(settings: Settings, keyring: Keyring) -> Door:
    """The door as the settings have it. Raises `SettingsMismatch` when nobody could come in, `OSError`, `StoreUnavailable`."""
    anonymous = await choose_anonymous(settings)
    if anonymous == "nobody" and await keyring.is_empty():
        raise SettingsMismatch(NO_KEY.format(host=settings.host))
    if anonymous == "everybody":
        structlog.get_logger(__name__).warning("anonymous_access", setting="SHORTLIST_ALLOW_ANONYMOUS", host=settings.host)
    return Door(keyring, anonymous)
