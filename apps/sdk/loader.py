"""From directories of apps to the catalog: discover, load each app, run the rules, freeze."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from apps.sdk.catalog import App, Catalog
from apps.sdk.findings import Finding, Position, group_findings, report
from apps.sdk.hashing import hash_apps
from apps.sdk.lint.rules import check_apps
from apps.sdk.loading.app import MANIFEST, LoadedApp, load_app
from apps.sdk.loading.file_stamps import SKIPPED_FOLDERS
from apps.sdk.loading.modules import make_importable
from apps.sdk.shown import show_path

NO_APPS = SKIPPED_FOLDERS | {"sdk"}
"""Folders beside apps that are never read as one; nor are those whose name begins with a dot."""


class AppsDirectoryMissing(Exception):
    """A directory of apps is not there or cannot be read."""

    def __init__(self, directory: Path, reason: str) -> None:
        super().__init__(f"the apps directory {directory} cannot be used: {reason}")
        self.directory = directory
        self.reason = reason


def load_catalog(directories: Sequence[Path]) -> Catalog:
    """The catalog of every app in `directories`; of two apps with one id the one in the earlier directory counts.

    Never raises for what authors wrote: that becomes findings and quarantined items. Raises `AppsDirectoryMissing`.
    """
    places = [_make_absolute(directory) for directory in directories]
    folders, findings = _choose_folders([folder for place in places for folder in find_folders(place)])
    make_importable(places)
    loaded = sorted((load_app(folder, show_path(folder / MANIFEST)) for folder in folders), key=lambda item: item.app.id)
    findings += check_apps(loaded)
    by_file = group_findings(chain(findings, *(item.app.findings for item in loaded)))
    apps = tuple(_add_findings(item, by_file) for item in loaded)
    return Catalog(apps, hash_apps(apps), tuple(chain(*by_file.values())))


def load_one_app(folder: Path) -> App:
    """The app in `folder` alone, as a catalog would hold it; what it says of other apps is unknown then.

    Never raises for what authors wrote. `import apps.<id>` finds its modules from then on. Raises `AppsDirectoryMissing`.
    """
    place = _make_absolute(folder)
    loaded = load_app(place, show_path(place / MANIFEST))
    return _add_findings(loaded, group_findings(chain(loaded.app.findings, check_apps([loaded]))))


def add_app(catalog: Catalog, app: App) -> Catalog:
    """The catalog with one app more, in place of one of the same id."""
    others = (other for other in catalog.apps if other.id != app.id)
    apps = tuple(sorted((*others, app), key=lambda item: item.id))
    return Catalog(apps, hash_apps(apps), catalog.findings)


def find_folders(directory: Path) -> Iterator[Path]:
    """The folders of apps in `directory`, by name. Raises `AppsDirectoryMissing`."""
    try:
        folders = sorted(directory.iterdir())
    except OSError as error:
        raise AppsDirectoryMissing(directory, error.strerror or type(error).__name__) from error
    for folder in folders:
        if folder.name not in NO_APPS and not folder.name.startswith(".") and os.path.lexists(folder / MANIFEST):
            yield folder


def _choose_folders(folders: Sequence[Path]) -> tuple[list[Path], list[Finding]]:
    """One folder per app id, the first that was found, and a finding for each other one."""
    chosen: dict[str, Path] = {}
    findings: list[Finding] = []
    for folder in folders:
        first = chosen.setdefault(folder.name, folder)
        if first != folder:
            shown = show_path(folder / MANIFEST)
            message = f"the app {folder.name!r} is also in {show_path(first / MANIFEST)}, which counts; {shown} is not read"
            findings.append(report("app-duplicate", Position(shown), message))
    return list(chosen.values()), findings


def _add_findings(loaded: LoadedApp, by_file: Mapping[str, Sequence[Finding]]) -> App:
    """The app with all the findings about its files, by position."""
    files = sorted({loaded.document.file, *(finding.position.file for finding in loaded.app.findings)})
    return dataclasses.replace(loaded.app, findings=tuple(chain(*(by_file.get(file, ()) for file in files))))


def _make_absolute(directory: Path) -> Path:
    try:
        return Path(os.path.abspath(directory))  # noqa: PTH100 - symlinks keep their name
    except OSError as error:
        raise AppsDirectoryMissing(directory, "the working directory is gone") from error
