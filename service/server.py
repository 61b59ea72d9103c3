"""The life of a server: open, listen, load the models, serve, drain, close."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import structlog
from aiohttp import web

from apps.sdk.loader import AppsDirectoryMissing
from service.apps_in_use import log_findings, log_unknown_members
from service.config_file import ConfigError
from service.http.app import create_app
from service.http.door import open_door
from service.http.middleware.draining import DRAIN
from service.http.protocol import HeadLimits, ProblemRunner
from service.logs import configure_logging
from service.services import Services
from service.settings import Settings, SettingsMismatch
from service.store.errors import StoreError
from service.wiring import open_services

PURGE_INTERVAL = 600.0
"""Seconds between two clean-ups of what is kept for a time."""


async def serve_until_stopped(settings: Settings) -> int:
    """Serve until SIGTERM or SIGINT; 1 when something must be mended before it can start."""
    configure_logging(settings.log_level, json=settings.log_json)
    stop = asyncio.Event()
    try:
        async with open_services(settings) as services:
            # only now: until here there is nothing to end well, and a signal ends an app that hangs while it is imported
            for signal_number in (signal.SIGTERM, signal.SIGINT):
                asyncio.get_running_loop().add_signal_handler(signal_number, stop.set)
            async with run_server(services):
                await stop.wait()
    except (ConfigError, AppsDirectoryMissing, StoreError, SettingsMismatch, OSError) as error:
        print(f"shortlist cannot start: {error}", file=sys.stderr)  # noqa: T201 - for whoever started it
        return 1
    return 0


@asynccontextmanager
async def run_server(services: Services) -> AsyncIterator[str]:
    """Listen and give the URL; on exit take nothing new, let running turns end, then close.

    Raises `OSError`, and `SettingsMismatch` when every request would need a key and there is none.
    """
    settings = services.settings
    app = create_app(services, await open_door(settings, services.keyring))
    limits = HeadLimits(url=settings.url_limit, header=settings.header_limit, headers=settings.headers_max)
    runner = ProblemRunner(app, limits, shutdown_timeout=settings.shutdown_grace)
    await runner.setup()
    try:
        await web.TCPSite(runner, settings.host, settings.port).start()
        host, port = runner.addresses[0][:2]
        url = f"http://{host}:{port}"
        structlog.get_logger(__name__).info("listening", url=url, models=services.models.description)
        log_findings(services.apps.catalog.findings)
        if settings.has_own_toolsets:
            log_unknown_members(services.apps)
        services.tasks.keep(services.models.load())
        services.tasks.keep(services.idempotency.purge_forever(PURGE_INTERVAL))
        services.tasks.keep(services.event_feed.run())
        services.tasks.keep(services.abandoned_turns.run())
        services.tasks.keep(services.retention.purge_forever(PURGE_INTERVAL))
        if services.reloader is not None:
            services.tasks.keep(services.reloader.run())
        yield url
        app[DRAIN].begin()
        services.event_feed.close()
        services.tasks.begin_grace()
        structlog.get_logger(__name__).info("draining", turns=services.gate.running)
        await asyncio.sleep(settings.drain_delay)
    finally:
        await runner.cleanup()
