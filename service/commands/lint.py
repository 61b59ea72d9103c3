"""`shortlist lint`."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from apps.sdk.catalog import Catalog
from apps.sdk.findings import Finding
from apps.sdk.loader import AppsDirectoryMissing, find_folders, load_catalog
from apps.sdk.loading.app import MANIFEST
from apps.sdk.shown import find_working_directory, spell_out
from service.commands.failures import UsageError
from service.commands.finding_formats import FORMATS, count_severities
from service.commands.output import keep_output_clean, print_lines, print_remark


@dataclass(frozen=True, slots=True)
class Target:
    """A folder to look at: one of apps, or, with `app`, that of a single one inside `directory`."""

    directory: Path
    app: Path | None = None


def lint_apps(directories: Sequence[Path], *, strict: bool, output_format: str) -> int:
    """Print the findings; 1 when one is an error, or with `strict` a warning. Raises `UsageError`."""
    write = FORMATS.get(output_format)
    if write is None:
        raise UsageError(f"--format: one of {', '.join(FORMATS)}, not {spell_out(output_format)}")
    findings = [finding for finding in find_faults(directories) if strict or finding.severity in {"error", "warning", "hint"}]
    print_lines(write(findings))
    counts = count_severities(findings)
    print_remark(", ".join(f"{name}: {count}" for name, count in counts.items()))
    return 1 if counts["errors"] or (strict and counts["warnings"]) else 0


def find_faults(directories: Sequence[Path]) -> list[Finding]:
    """The findings about the apps in `directories`, each a folder of apps or an app's own. Raises `UsageError`.

    An app's neighbours are loaded as well, since it may name them; what is wrong with those is left out.
    """
    if not directories:
        raise UsageError("there is no folder to look at: name one, or set SHORTLIST_APPS_DIRS")
    try:
        targets = [_read_target(directory) for directory in directories]
        with keep_output_clean():
            catalog = load_catalog(list(dict.fromkeys(target.directory for target in targets)))
    except AppsDirectoryMissing as error:
        raise UsageError(spell_out(str(error))) from error
    places = tuple(_choose_places(targets, catalog))
    return [finding for finding in catalog.findings if _lies_in(finding, places)]


def _read_target(directory: Path) -> Target:
    shown = spell_out(str(directory))
    try:
        place = Path(os.path.abspath(directory))  # noqa: PTH100 - symlinks keep their name
        kind = place.stat().st_mode
    except OSError as error:
        missing = isinstance(error, FileNotFoundError | NotADirectoryError)
        raise UsageError(f"{shown}: {'there is no such folder' if missing else error.strerror}") from error
    if not stat.S_ISDIR(kind):
        raise UsageError(f"{shown} is a file: name the folder of the app, or that of the apps")
    if os.path.lexists(place / MANIFEST):
        return Target(place.parent, place)
    if not any(find_folders(place)):
        raise UsageError(f"{shown} holds no apps: there is no {MANIFEST}, neither in it nor in a folder below it")
    return Target(place)


def _choose_places(targets: Sequence[Target], catalog: Catalog) -> Iterator[Path]:
    """The folders whose findings are wanted. Raises `UsageError` for an app's folder that is never read as one."""
    found = [app.path for app in catalog.apps]
    told = [finding.position.file for finding in catalog.findings]
    for target in targets:
        place = target.app or target.directory
        if target.app and place not in found and not any(_is_below(file, place) for file in told):
            raise UsageError(f"{spell_out(str(place))}: a folder of that name is not read as an app; rename it")
        yield place


def _lies_in(finding: Finding, places: Sequence[Path]) -> bool:
    return any(_is_below(finding.position.file, place) for place in places)


def _is_below(file: str, place: Path) -> bool:
    """Of a file as findings name it: in printable characters, from the working directory when it lies below it."""
    here = spell_out(str(find_working_directory() or ""))
    return Path(here, file).is_relative_to(spell_out(str(place)))
