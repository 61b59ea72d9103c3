"""`shortlist lint`."""

from __future__ import annotations

from pathlib import Path

import typer

from apps.sdk.loader import AppsDirectoryMissing, load_catalog


def lint_apps(directories: tuple[Path, ...]) -> int:
    """Print every finding; 1 when one is an error, 2 when a folder is not there."""
    try:
        findings = load_catalog(directories).findings
    except AppsDirectoryMissing as error:
        typer.echo(str(error), err=True)
        return 2
    for finding in findings:
        typer.echo(str(finding))
    errors = sum(finding.severity == "error" for finding in findings)
    typer.echo(f"findings: {len(findings)}, errors: {errors}", err=True)
    return 1 if errors else 0
