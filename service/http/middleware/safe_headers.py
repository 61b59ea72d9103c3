"""Headers that keep browsers and caches from doing anything clever with an answer."""

from __future__ import annotations

from aiohttp import hdrs, web


async def send_safe_headers(_: web.Request, response: web.StreamResponse) -> None:
    """Types are as declared; nothing is cached unless its handler says so."""
    response.headers.setdefault("X-Content-Type-Options", "nosniff")
    response.headers.setdefault(hdrs.CACHE_CONTROL, "no-store")
