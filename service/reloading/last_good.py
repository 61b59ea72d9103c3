"""Which version of each app counts when the apps' files have changed: the new one, unless it breaks what worked."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass

from apps.sdk.catalog import App, Catalog, Kept, SkillSpec
from apps.sdk.findings import Finding
from apps.sdk.hashing import hash_apps

_LINE = re.compile(r"\bline \d+")


@dataclass(frozen=True, slots=True)
class CatalogDiff:
    """What differs between two catalogs, as app ids; `kept` are all that run an older version than that of their files."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is no difference at all."""
        return not (self.added or self.changed or self.removed)


def keep_last_good(running: Catalog, candidate: Catalog) -> Catalog:
    """The catalog to run next: `candidate`, with the running version of each app whose new one has an error that it had not.

    An app that is kept shows the new version's findings. An app or a skill in which nothing changed stays the same object.
    """
    apps = tuple(_keep_app(running.by_app.get(app.id), app) for app in candidate.apps)
    return Catalog(apps, hash_apps(apps), candidate.findings)


def diff_catalogs(before: Catalog, after: Catalog) -> CatalogDiff:
    """What differs. An app differs too when only its code, its findings or its lines do."""
    return CatalogDiff(
        added=tuple(app.id for app in after.apps if app.id not in before.by_app),
        changed=tuple(app.id for app in after.apps if app.id in before.by_app and not _is_same(before.by_app[app.id], app)),
        removed=tuple(app.id for app in before.apps if app.id not in after.by_app),
        kept=tuple(app.id for app in after.apps if app.kept),
    )


def _keep_app(running: App | None, candidate: App) -> App:
    if running is None:
        return candidate
    problem = _find_new_error(running, candidate)
    if problem is not None:
        known = running.kept.findings if running.kept else running.findings
        kept = dataclasses.replace(running, findings=candidate.findings, kept=Kept(problem, known))
        return running if kept == running else kept
    carried = _carry_skills(running, candidate)
    return running if _is_same(running, carried) else carried


def _carry_skills(running: App, candidate: App) -> App:
    """`candidate` with the running skills that are in it unchanged, so that what they hold outlives an edit beside them."""
    old = {skill.tool_name: skill for skill in running.skills}
    skills = tuple(
        old[skill.tool_name] if _is_same_skill(old.get(skill.tool_name), skill) else skill for skill in candidate.skills
    )
    is_carried = any(skill is not own for skill, own in zip(skills, candidate.skills, strict=True))
    return dataclasses.replace(candidate, skills=skills) if is_carried else candidate


def _is_same_skill(one: SkillSpec | None, other: SkillSpec) -> bool:
    """Equal, and made from the same class. JSON is compared by its hash: to Python, 1 is True."""
    if one is None or one.content_hash != other.content_hash or type(one.implementation) is not type(other.implementation):
        return False
    return one == other


def _find_new_error(running: App, candidate: App) -> str | None:
    """The first thing that is broken in `candidate` and was not in the version that runs, with its place.

    What an item says that was set aside before too is nothing new, so that its author may work on it; a placeholder without a
    class is set aside without being an error.
    """
    set_aside = {item.id for item in running.quarantined}
    errors = [finding for finding in candidate.findings if finding.severity == "error"]
    places = {finding.position for finding in errors}
    for item in candidate.quarantined:
        if item.id not in set_aside and item.position in places:
            return f"{item.position}: {item.reason}"
    known = {_identify(finding) for finding in (running.kept.findings if running.kept else running.findings)}
    old_reasons = {(item.position, item.reason) for item in candidate.quarantined}
    for finding in errors:
        if _identify(finding) not in known and (finding.position, finding.message) not in old_reasons:
            return f"{finding.position}: {finding.message}"
    return None


def _identify(finding: Finding) -> tuple[str, str]:
    """What stays of an error when lines are added above it."""
    return finding.code, _LINE.sub("line", finding.message)


def _is_same(one: App, other: App) -> bool:
    """Whether nothing differs, in content, code, findings or lines."""
    skills = len(one.skills) == len(other.skills) and all(map(_is_same_skill, one.skills, other.skills))
    rest = dataclasses.replace(one, skills=()) == dataclasses.replace(other, skills=())
    return skills and rest and hash_apps([one]) == hash_apps([other])
