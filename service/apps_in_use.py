"""The one snapshot that new turns are given, and how it is swapped for the next."""

from __future__ import annotations

from collections.abc import Iterable

import structlog

from apps.sdk.catalog import Catalog
from apps.sdk.findings import Finding
from preprocessor.name_patterns import NameIndex
from preprocessor.pipeline import Preprocessor
from preprocessor.toolsets import Toolsets, list_unknown_members
from service.metrics import Metrics


class AppsInUse:
    """Holds the preprocessor, whose catalog and index belong together. Who asked before a swap keeps what it was given."""

    def __init__(self, preprocessor: Preprocessor, metrics: Metrics) -> None:
        self._metrics = metrics
        self.use(preprocessor)

    @property
    def preprocessor(self) -> Preprocessor:
        return self._preprocessor

    @property
    def catalog(self) -> Catalog:
        return self._preprocessor.catalog

    @property
    def toolsets(self) -> Toolsets:
        return self._preprocessor.toolsets

    def use(self, preprocessor: Preprocessor) -> None:
        """Give this one from now on."""
        self._preprocessor = preprocessor
        count_catalog(self._metrics, preprocessor.catalog)


def count_catalog(metrics: Metrics, catalog: Catalog) -> None:
    """Tell the metrics what there is."""
    metrics.set_catalog(
        apps=len(catalog.apps),
        skills=len(catalog.skills),
        focus_modes=len(catalog.focus_modes),
        quarantined=len(catalog.quarantined),
    )


def log_findings(findings: Iterable[Finding]) -> None:
    """Say what is wrong with the apps, so that it is not only in readiness and `/v1/apps`; what it says is the authors' text."""
    log = structlog.get_logger(__name__)
    for finding in findings:
        if finding.severity == "error":
            log.warning("app_finding", place=str(finding.position), code=finding.code, reason=finding.message)


def log_unknown_members(apps: AppsInUse) -> None:
    """Say which skills toolsets and overlays name in vain."""
    log = structlog.get_logger(__name__)
    for reason in list_unknown_members(apps.toolsets, NameIndex(apps.catalog.skills)):
        log.warning("toolset_member", reason=reason)
