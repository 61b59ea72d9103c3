"""Names of other skills and apps, which must be in the catalog."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from apps.sdk.catalog import FocusMode
from apps.sdk.findings import Finding, report
from apps.sdk.loading.app import LoadedApp
from apps.sdk.loading.items import Place
from apps.sdk.names import find_close_names, resolve_name


def check_references(apps: Sequence[LoadedApp]) -> Iterator[Finding]:
    app_ids = frozenset(app.app.id for app in apps)
    skills = frozenset(skill.tool_name for app in apps for skill in app.app.skills)
    quarantined = frozenset(item.id for app in apps for item in app.app.quarantined)
    for app in apps:
        for skill, place in app.skills():
            for index, name in enumerate(skill.follow_ups):
                if name not in skills:
                    yield _report_skill(name, skills, quarantined, place, ("follow_ups", index))
        for mode, place in app.focus_modes():
            yield from _check_focus_mode(mode, place, app_ids, skills, quarantined)


def _check_focus_mode(
    mode: FocusMode, place: Place, app_ids: Collection[str], skills: Collection[str], quarantined: Collection[str]
) -> Iterator[Finding]:
    for key, names in (("allowed_skills", mode.allowed_skills or ()), ("denied_skills", mode.denied_skills)):
        for index, name in enumerate(names):
            app_id, colon, skill_id = name.partition(":")
            if colon and skill_id == "*":
                yield from _check_app(app_id, app_ids, place, (key, index))
            elif name not in skills and f"{app_id}-{skill_id}" not in skills and "*" not in name:
                yield _report_skill(name, skills, quarantined, place, (key, index))
    for index, app_id in enumerate(mode.allowed_apps or ()):
        yield from _check_app(app_id, app_ids, place, ("allowed_apps", index))


def _check_app(app_id: str, app_ids: Collection[str], place: Place, path: tuple[str, int]) -> Iterator[Finding]:
    if app_id not in app_ids:
        yield report("unknown-reference", place.at(*path), f"there is no app {app_id[:100]!r}")


def _report_skill(
    name: str, skills: Collection[str], quarantined: Collection[str], place: Place, path: tuple[str, int]
) -> Finding:
    if name in quarantined:
        return report("unknown-reference", place.at(*path), f"the skill {name[:100]!r} is quarantined")
    meant = resolve_name(name, skills).name
    close = (meant,) if meant else find_close_names(name, skills)
    advice = f"did you mean {' or '.join(map(repr, close))}?" if close else None
    return report("unknown-reference", place.at(*path), f"there is no skill {name[:100]!r}", advice)
