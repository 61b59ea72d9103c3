"""So many requests a minute with one key and for one tenant, in this process."""

from __future__ import annotations

import math
from typing import Final

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from service.access.buckets import Share, TokenBuckets
from service.http.principal import PRINCIPAL
from service.http.problems import RateLimited
from service.http.reading import read_scope

SHARES: Final = web.RequestKey("shares", dict[str, Share])
SETTINGS: Final = {"key": "SHORTLIST_REQUESTS_PER_MINUTE_PER_KEY", "tenant": "SHORTLIST_REQUESTS_PER_MINUTE_PER_TENANT"}


def limit_rates(*, per_key: int, per_tenant: int) -> Middleware:
    """The middleware that raises `RateLimited`; 0 = any number. What needs no key is not counted."""
    buckets = {kind: TokenBuckets(limit) for kind, limit in (("key", per_key), ("tenant", per_tenant)) if limit}

    @web.middleware
    async def limit(request: web.Request, handler: Handler) -> web.StreamResponse:
        key = request.get(PRINCIPAL)
        if key is not None and buckets:
            tenant, _ = read_scope(request)
            names = {"key": key.id or f"name {key.name}", "tenant": tenant}
            # what one bucket refuses takes nothing of the other: a key over its limit would leave its tenant's others nothing
            refusing = {kind: bucket for kind, bucket in buckets.items() if not bucket.holds(names[kind])}
            request[SHARES] = {kind: bucket.take(names[kind]) for kind, bucket in (refusing or buckets).items()}
            for kind, share in request[SHARES].items():
                if share.refused:
                    raise RateLimited(SETTINGS[kind], share.limit, share.wait)
        return await handler(request)

    return limit


async def send_rate_limits(request: web.Request, response: web.StreamResponse) -> None:
    """Say what is left, as the IETF's draft on rate limit headers (httpapi-ratelimit-headers, 10) writes it."""
    shares = request.get(SHARES)
    if shares:
        response.headers["RateLimit-Policy"] = ", ".join(f'"{kind}";q={share.limit};w=60' for kind, share in shares.items())
        response.headers["RateLimit"] = ", ".join(
            f'"{kind}";r={share.left};t={math.ceil(share.full_after)}' for kind, share in shares.items()
        )
