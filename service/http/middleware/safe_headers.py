"""Headers that keep browsers and caches from doing anything clever with an answer."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from aiohttp import hdrs, web

SAFE_HEADERS: Final = MappingProxyType(
    {
        "X-Content-Type-Options": "nosniff",
        hdrs.CACHE_CONTROL: "no-store",
        "Referrer-Policy": "no-referrer",
        "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    }
)
"""Types are as declared, nothing is cached, no address is passed on, and nothing is run or shown in a frame."""


async def send_safe_headers(_: web.Request, response: web.StreamResponse) -> None:
    """Send each, unless the handler says something else."""
    add_safe_headers(response)


def add_safe_headers(response: web.StreamResponse) -> None:
    """Put each in that is missing."""
    for name, value in SAFE_HEADERS.items():
        response.headers.setdefault(name, value)
