"""Focus modes that leave nothing to work with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from apps.sdk.catalog import FocusMode
from apps.sdk.findings import Finding, report
from apps.sdk.loading.app import LoadedApp


def check_limits(apps: Sequence[LoadedApp]) -> Iterator[Finding]:
    by_app = {app.app.id: frozenset(skill.tool_name for skill in app.app.skills) for app in apps}
    for app in apps:
        for mode, place in app.focus_modes():
            if (mode.allowed_skills or mode.allowed_apps) and not _list_left(mode, by_app):
                key = "allowed_skills" if mode.allowed_skills else "allowed_apps"
                message = f"the limits of the focus mode '{mode.id}' leave no skill of the catalog"
                yield report("focus-without-skills", place.at_key(key), message)


def _list_left(mode: FocusMode, by_app: Mapping[str, frozenset[str]]) -> frozenset[str]:
    apps = by_app if mode.allowed_apps is None else {app_id: by_app[app_id] for app_id in mode.allowed_apps if app_id in by_app}
    denied = _match(mode.denied_skills, apps)
    allowed = frozenset().union(*apps.values()) if mode.allowed_skills is None else _match(mode.allowed_skills, apps)
    return allowed - denied


def _match(names: Iterable[str], apps: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """The skills of `apps` that `names` mean: `app-skill`, `app:skill`, `app:*`, or `*` anywhere else."""
    found: set[str] = set()
    for name in names:
        app_id, colon, skill_id = name.partition(":")
        wire = f"{app_id}-{skill_id}" if colon else name
        if skill_id == "*":
            found |= apps.get(app_id, frozenset())
        elif "*" in wire:
            found |= {skill for skills in apps.values() for skill in skills if fnmatchcase(skill, wire)}
        elif wire in apps.get(wire.partition("-")[0], ()):
            found.add(wire)
    return frozenset(found)
