"""What is wrong or could be better with apps, one rule module per concern.

The loader runs the same rules, so that lint, the API and readiness show the same findings.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from apps.sdk.catalog import Finding
from apps.sdk.findings import CODES

__all__ = ["CODES", "lint_directories"]


def lint_directories(directories: Sequence[Path]) -> tuple[Finding, ...]:
    """Every finding about the apps in `directories`, by position; raises `AppsDirectoryMissing`."""
    from apps.sdk.loader import load_catalog  # noqa: PLC0415 - the loader imports this package's rules

    return load_catalog(directories).findings
