"""Focus modes that leave nothing to work with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from apps.sdk.catalog import FocusMode
from apps.sdk.findings import Finding, report
from apps.sdk.loading.app import LoadedApp
from apps.sdk.names import match_skills


def check_limits(apps: Sequence[LoadedApp]) -> Iterator[Finding]:
    """Focus modes under which no skill of the catalog may be used. Yields `focus-without-skills`."""
    by_app = {loaded.app.id: frozenset(skill.tool_name for skill in loaded.app.skills) for loaded in apps}
    for loaded in apps:
        for mode, place in loaded.focus_modes():
            if (mode.allowed_skills or mode.allowed_apps) and not _list_left(mode, by_app):
                key = "allowed_skills" if mode.allowed_skills else "allowed_apps"
                message = f"the limits of the focus mode '{mode.id}' leave no skill of the catalog"
                yield report("focus-without-skills", place.at_key(key), message)


def _list_left(mode: FocusMode, by_app: Mapping[str, frozenset[str]]) -> frozenset[str]:
    apps = by_app if mode.allowed_apps is None else {app_id: by_app[app_id] for app_id in mode.allowed_apps if app_id in by_app}
    denied = match_skills(mode.denied_skills, apps)
    allowed = apps if mode.allowed_skills is None else match_skills(mode.allowed_skills, apps)
    return frozenset().union(*allowed.values()) - frozenset().union(*denied.values())
