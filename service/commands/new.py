"""`shortlist new`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import apps
from apps.sdk.loading.app import MANIFEST
from apps.sdk.names import find_close_names
from apps.sdk.scaffold.folders import create_app, create_skill
from apps.sdk.scaffold.identifiers import check_app_id
from apps.sdk.scaffold.refusals import NotInserted, Refused, ScaffoldError
from service.commands.failures import CommandFailed, UsageError
from service.commands.output import escape_controls, print_lines, print_remark, show_path


def make_app(app_id: str, *, name: str | None, skill_id: str, directory: Path | None, settings_places: Sequence[Path]) -> int:
    """Make an app with one skill in `directory`, by default the settings' first. Raises `UsageError`, `CommandFailed`."""
    place = choose_directory(directory, settings_places)
    others = [Path(apps.__path__[0]), *settings_places]
    try:
        made = create_app(place, app_id, name=name, skill_id=skill_id, others=others)
    except ScaffoldError as error:
        raise translate(error) from error
    print_lines(f"created {show_path(path)}" for path in made)
    if os.path.realpath(place) not in map(os.path.realpath, settings_places):
        named = escape_controls(",".join(map(str, (*settings_places, place))))
        print_remark(f"to use it: export SHORTLIST_APPS_DIRS={named}")
    return 0


def make_skill(app_id: str, skill_id: str, *, name: str | None, directory: Path | None, settings_places: Sequence[Path]) -> int:
    """Add a skill to an app in `directory`, by default the settings' first that has it. Raises `UsageError`, `CommandFailed`."""
    try:
        check_app_id(app_id)
        folder = find_app(app_id, [choose_directory(directory, ())] if directory else settings_places)
        changed, *made = create_skill(folder, skill_id, name=name)
    except ScaffoldError as error:
        if isinstance(error, NotInserted):
            print_remark(str(translate(error)))
            print_lines(error.snippet.splitlines())
            return 1
        raise translate(error) from error
    print_lines([f"changed {show_path(changed)}", *(f"created {show_path(path)}" for path in made)])
    return 0


def choose_directory(directory: Path | None, settings_places: Sequence[Path]) -> Path:
    """The folder of apps to write to. Raises `UsageError` when it is not there."""
    place = directory or next(iter(settings_places), None)
    if place is None:
        raise UsageError("there is no folder of apps: name one with --directory, or set SHORTLIST_APPS_DIRS")
    if not place.is_dir():
        raise UsageError(f"{escape_controls(str(place))}: there is no such folder; make it first")
    return place


def find_app(app_id: str, places: Sequence[Path]) -> Path:
    """The app's folder in the first of `places` that has it. Raises `Refused`."""
    for place in places:
        if os.path.lexists(place / app_id / MANIFEST):
            return place / app_id
    others = [path.parent.name for place in places for path in place.glob(f"*/{MANIFEST}")]
    close = find_close_names(app_id, others)
    shown = ", ".join(map(str, places))
    advice = f"did you mean {' or '.join(close)}?" if close else f"`shortlist new app {app_id}` makes it"
    raise Refused(f"there is no app {app_id} in {shown}; {advice}")


def translate(error: ScaffoldError) -> UsageError | CommandFailed:
    """The same as a failure of a command."""
    text = escape_controls(str(error))
    return UsageError(text) if isinstance(error, Refused) else CommandFailed(text)
