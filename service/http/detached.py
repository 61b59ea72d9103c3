"""Work that goes on when its client leaves."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from aiohttp import web

from service.http.idempotency import HEADER
from service.http.middleware.problem_answers import log_problem, map_error
from service.http.reading import get_services


async def see_through(request: web.Request, work: Coroutine[Any, Any, web.StreamResponse]) -> web.StreamResponse:
    """Await the work; a client that leaves cancels it, unless the setting says otherwise or it sent an Idempotency-Key.

    A key is a promise that the request runs once, and a connection that drops is what it is for: the work ends, its answer is
    kept, and the client's next try gets it.
    """
    services = get_services(request)
    if services.settings.on_disconnect == "cancel" and HEADER not in request.headers:
        return await work
    task = services.tasks.start(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        task.add_done_callback(lambda done: _log_failure(request, done))
        raise


def _log_failure(request: web.Request, task: asyncio.Task[web.StreamResponse]) -> None:
    error = None if task.cancelled() else task.exception()
    if isinstance(error, Exception):
        log_problem(request, map_error(error), error)
