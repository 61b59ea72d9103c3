"""`shortlist schema`."""

from __future__ import annotations

from pathlib import Path

import apps.sdk
from apps.sdk.manifest.editor_schema import render_app_schema
from apps.sdk.scaffold.replacing import replace_file
from apps.sdk.shown import show_path
from service.commands.failures import CommandFailed, UsageError
from service.commands.output import print_lines

INSTALLED = Path(apps.sdk.__file__ or "").parent / "app.schema.json"
"""The schema that the bundled apps' app.yml name."""


def show_schema(*, write: bool, output: Path | None) -> int:
    """Print the schema of an app.yml, or write it to its own place or to `output`. Raises `UsageError`, `CommandFailed`."""
    if write and output:
        raise UsageError("--write writes this installation's own file and --output a copy: give one of them")
    place = INSTALLED if write else output
    if place is None:
        print_lines(render_app_schema().splitlines())
        return 0
    try:
        replace_file(place, render_app_schema().encode())
    except OSError as error:
        raise CommandFailed(f"{show_path(place)}: {error.strerror or type(error).__name__}") from error
    print_lines([f"wrote {show_path(place)}"])
    return 0
