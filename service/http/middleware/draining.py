"""No new work while the service shuts down; health and reads still answer."""

from __future__ import annotations

from typing import Final

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler, Middleware

from service.http.problems import RETRY_SOON, ShuttingDown


class Drain:
    """Whether the service is shutting down; `retry_after`: seconds after which a caller may come again."""

    def __init__(self, retry_after: float = RETRY_SOON) -> None:
        self.retry_after = retry_after
        self._begun = False

    @property
    def begun(self) -> bool:
        return self._begun

    def begin(self) -> None:
        """Refuse new work from now on; there is no way back."""
        self._begun = True


DRAIN: Final = web.AppKey("drain", Drain)


def refuse_while_draining(drain: Drain) -> Middleware:
    """The middleware that raises `ShuttingDown` for new work."""

    @web.middleware
    async def refuse(request: web.Request, handler: Handler) -> web.StreamResponse:
        if drain.begun and request.method == hdrs.METH_POST:
            raise ShuttingDown(drain.retry_after)
        return await handler(request)

    return refuse
