"""`shortlist new`."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path

import apps
from apps.sdk.loading.app import MANIFEST
from apps.sdk.near_names import SEVERAL, ask, find_near
from apps.sdk.scaffold.folders import SCHEMA, create_app, create_skill, find_schema
from apps.sdk.scaffold.identifiers import check_app_id
from apps.sdk.scaffold.refusals import NotInserted, Refused, ScaffoldError
from apps.sdk.shown import show_path, spell_out
from service.commands.failures import CommandFailed, UsageError
from service.commands.output import print_lines, print_remark


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
        named = spell_out(shlex.quote(",".join(map(str, (*settings_places, place)))))
        print_remark(f"to use it: export SHORTLIST_APPS_DIRS={named}")
        if find_schema(place) is None:
            print_remark(_explain_schema(place))
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
        raise UsageError(f"{spell_out(str(place))}: there is no such folder; make it first")
    return place


def _explain_schema(place: Path) -> str:
    copy = spell_out(shlex.quote(str(place / SCHEMA)))
    return f"for checks while you type: shortlist schema --output {copy}; apps made after that name it in their first line"


def find_app(app_id: str, places: Sequence[Path]) -> Path:
    """The app's folder in the first of `places` that has it. Raises `Refused`."""
    for place in places:
        if os.path.lexists(place / app_id / MANIFEST):
            return place / app_id
    others = [path.parent.name for place in places for path in place.glob(f"*/{MANIFEST}")]
    close = find_near(app_id, others, SEVERAL)
    shown = ", ".join(map(str, places))
    advice = ask(*close) if close else f"`shortlist new app {app_id}` makes it"
    raise Refused(f"there is no app {app_id} in {shown}; {advice}")


def translate(error: ScaffoldError) -> UsageError | CommandFailed:
    """The same as a failure of a command."""
    text = spell_out(str(error))
    return UsageError(text) if isinstance(error, Refused) else CommandFailed(text)
