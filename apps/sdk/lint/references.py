"""Names of other skills and apps, which must be in the catalog."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from apps.sdk.catalog import FocusMode
from apps.sdk.findings import Finding, report
from apps.sdk.loading.app import LoadedApp
from apps.sdk.loading.place import Place
from apps.sdk.names import match_skills, name_whole_app, resolve_name
from apps.sdk.near_names import SEVERAL, ask, find_near


def check_references(apps: Sequence[LoadedApp]) -> Iterator[Finding]:
    """Names in `follow_ups` and in limits of focus modes that the catalog does not have. Yields `unknown-reference`."""
    by_app = {loaded.app.id: frozenset(skill.tool_name for skill in loaded.app.skills) for loaded in apps}
    skills = frozenset().union(*by_app.values())
    quarantined = frozenset(item.id for loaded in apps for item in loaded.app.quarantined)
    for loaded in apps:
        for skill, place in loaded.skills():
            for index, name in enumerate(skill.follow_ups):
                if name not in skills:
                    yield _report_skill(name, skills, quarantined, place, ("follow_ups", index))
        for mode, place in loaded.focus_modes():
            yield from _check_focus_mode(mode, place, by_app, quarantined)


def _check_focus_mode(
    mode: FocusMode, place: Place, by_app: Mapping[str, frozenset[str]], quarantined: Collection[str]
) -> Iterator[Finding]:
    for key, patterns in (("allowed_skills", mode.allowed_skills or ()), ("denied_skills", mode.denied_skills)):
        meant = match_skills(patterns, by_app)
        for index, pattern in enumerate(patterns):
            app_id = name_whole_app(pattern)
            if app_id is not None:
                yield from _check_app(app_id, by_app, place, (key, index))
            elif not meant[pattern]:
                yield _report_skill(pattern, frozenset().union(*by_app.values()), quarantined, place, (key, index))
    for index, app_id in enumerate(mode.allowed_apps or ()):
        yield from _check_app(app_id, by_app, place, ("allowed_apps", index))


def _check_app(app_id: str, app_ids: Collection[str], place: Place, path: tuple[str, int]) -> Iterator[Finding]:
    if app_id not in app_ids:
        yield report("unknown-reference", place.at(*path), f"there is no app {app_id[:100]!r}")


def _report_skill(
    name: str, skills: Collection[str], quarantined: Collection[str], place: Place, path: tuple[str, int]
) -> Finding:
    if "*" in name:
        return report("unknown-reference", place.at(*path), f"there is no skill like {name[:100]!r}")
    if name.replace(":", "-", 1) in quarantined:
        return report("unknown-reference", place.at(*path), f"the skill {name[:100]!r} is quarantined")
    meant = resolve_name(name, skills).name
    close = (meant,) if meant else find_near(name, skills, SEVERAL)
    return report("unknown-reference", place.at(*path), f"there is no skill {name[:100]!r}", ask(*close) if close else None)
