"""Who needs no key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from service.access.addresses import is_loopback_only

if TYPE_CHECKING:
    from service.settings import Settings

Anonymous: TypeAlias = Literal["nobody", "local", "everybody"]
"""Who needs no key. `local`: requests whose Host names this machine, unlike those of a page whose own name leads here."""


async def choose_anonymous(settings: Settings) -> Anonymous:
    """As the settings have it. Raises `OSError` for a host that does not exist."""
    match settings.allow_anonymous:
        case True:
            return "everybody"
        case False:
            return "nobody"
        case None:
            return "local" if await is_loopback_only(settings.host) else "nobody"
