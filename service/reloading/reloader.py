"""The owner of hot reload: from a change of the files to the snapshot that the next turn gets."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

import structlog

from apps.sdk.loader import AppsDirectoryMissing
from apps.sdk.loading.file_stamps import Stamp
from apps.sdk.threads import run_in_thread
from service.apps_in_use import AppsInUse, log_findings
from service.metrics import Metrics
from service.reloading.loading import LoadCrashed, Reloaded, find_place, load_next
from service.reloading.stamps import stamp_apps

QUIET: Final = 0.2
"""Seconds without a change before a load, so that files which are being written are not read by halves."""
SETTLING: Final = 25
"""Such pauses at most; then the load begins all the same, and another follows if it must."""
INTERVAL: Final = 0.5
"""Seconds between two looks at the files' stamps, which take milliseconds."""
THREAD: Final = "apps reload"
LISTED: Final = 20
"""App ids that a log line names."""


class Reloader:
    """Loads the apps anew when their files have changed since `seen`; one load at a time.

    A load that takes longer than `time_limit` seconds is told of as hanging, and waited for: Python imports a module once at
    a time, so another load would hang at the same place. `problem` says why the files cannot be loaded, None while they can.
    """

    def __init__(
        self,
        apps: AppsInUse,
        directories: Sequence[Path],
        metrics: Metrics,
        *,
        seen: Stamp,
        time_limit: float,
        quiet: float = QUIET,
        interval: float = INTERVAL,
    ) -> None:
        self._apps = apps
        self._directories = directories
        self._metrics = metrics
        self._seen = seen
        self._time_limit = time_limit
        self._quiet = quiet
        self._interval = interval
        self.problem: str | None = None

    async def run(self) -> None:
        """Follow the files until cancelled."""
        while True:
            await self.check()
            await asyncio.sleep(self._interval)

    async def check(self) -> None:
        """Load if anything has changed since the last load began. Never raises."""
        stamp = await self._stamp()
        if stamp != self._seen:
            self._seen = await self._settle(stamp)
            await self._reload()

    async def _stamp(self) -> Stamp:
        return await run_in_thread(partial(stamp_apps, self._directories), "apps stamp")

    async def _settle(self, stamp: Stamp) -> Stamp:
        """Wait until the files have rested."""
        for _ in range(SETTLING):
            await asyncio.sleep(self._quiet)
            before, stamp = stamp, await self._stamp()
            if stamp == before:
                break
        return stamp

    async def _reload(self) -> None:
        began = time.monotonic()
        try:
            reloaded = await self._load()
        except (AppsDirectoryMissing, LoadCrashed) as error:
            self._fail(f"the apps cannot be loaded again: {error}")
        except Exception as error:  # noqa: BLE001 - a mistake of ours must not end the watch
            self._fail(f"the apps cannot be loaded again: {type(error).__name__}", error)
        else:
            self._take(reloaded, time.monotonic() - began)

    async def _load(self) -> Reloaded:
        loading = run_in_thread(partial(load_next, self._apps.preprocessor, self._directories), THREAD)
        try:
            await asyncio.wait([loading], timeout=self._time_limit)
            if not loading.done():
                self._tell_hanging()
            return await loading
        finally:
            loading.cancel()

    def _tell_hanging(self) -> None:
        place = find_place(THREAD, self._directories)
        where = f", last seen at {place}" if place else ""
        self.problem = (
            f"loading the apps again has taken more than {self._time_limit:g} s{where}; the versions that run are kept; "
            "if it never ends, restart the service"
        )
        structlog.get_logger(__name__).warning("catalog_reload_hangs", seconds=self._time_limit, place=place)

    def _fail(self, problem: str, error: Exception | None = None) -> None:
        self.problem = problem
        self._metrics.count_reload("failed")
        structlog.get_logger(__name__).warning("catalog_reload_failed", reason=problem, exc_info=error)

    def _take(self, reloaded: Reloaded, seconds: float) -> None:
        known = frozenset(self._apps.preprocessor.catalog.findings)
        self.problem = None
        self._apps.use(reloaded.preprocessor)
        self._metrics.count_reload(reloaded.outcome)
        catalog, diff = reloaded.preprocessor.catalog, reloaded.diff
        reasons = {app.id: app.kept.reason for app in catalog.apps if app.kept}
        structlog.get_logger(__name__).info(
            "catalog_reloaded",
            outcome=reloaded.outcome,
            digest=catalog.digest,
            seconds=round(seconds, 3),
            added=diff.added[:LISTED],
            changed=diff.changed[:LISTED],
            removed=diff.removed[:LISTED],
            kept=[f"{app_id}: {reasons[app_id]}" for app_id in diff.kept[:LISTED]],
        )
        log_findings(finding for finding in catalog.findings if finding not in known)
