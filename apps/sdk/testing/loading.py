"""One skill of the app that a test belongs to, loaded as the service loads it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from apps.sdk.catalog import App, SkillSpec
from apps.sdk.loader import load_one_app
from apps.sdk.loading.app import MANIFEST
from apps.sdk.loading.held_modules import HeldModules
from apps.sdk.names import tool_name
from apps.sdk.near_names import SEVERAL, find_near


class NoSuchSkill(AssertionError):
    """The skill is not there, or the loader set it aside."""


@dataclass(frozen=True, slots=True)
class LoadedSkill:
    """A skill and the modules that it was loaded from: another folder may hold an app of the same id."""

    spec: SkillSpec
    modules: HeldModules


def find_skill(place: str | Path, skill_id: str) -> LoadedSkill:
    """The skill `skill_id`, or `<app_id>-<skill_id>`, of the app whose folder holds `place`. Raises `NoSuchSkill`."""
    app = load_one_app(find_app_folder(place))
    for skill in app.skills:
        if skill_id in {skill.skill_id, skill.tool_name}:
            return LoadedSkill(skill, HeldModules.hold())
    raise NoSuchSkill("\n".join(_explain(app, skill_id)))


def find_app_folder(place: str | Path) -> Path:
    """The nearest folder with an app.yml: `place` itself or one above it. Raises `NoSuchSkill`."""
    start = Path(os.path.abspath(place))  # noqa: PTH100 - a symlink keeps its name, which is the app's id
    for folder in (start, *start.parents):
        if (folder / MANIFEST).is_file():
            return folder
    raise NoSuchSkill(f"there is no {MANIFEST} in {start} or any folder above it")


def _explain(app: App, skill_id: str) -> list[str]:
    """Why there is no such skill, a line each: what set it aside, or names that look like it; then what was found."""
    names = {skill_id, tool_name(app.id, skill_id), app.id}
    reasons = [f"{item.id} is set aside: {item.position}: {item.reason}" for item in app.quarantined if item.id in names]
    if not reasons:
        ids = [skill.skill_id for skill in app.skills] + [item.id.removeprefix(f"{app.id}-") for item in app.quarantined]
        close = ", ".join(find_near(skill_id, ids, SEVERAL))
        known = ", ".join(ids) or "none"
        reasons = [f"the app {app.id} has no skill {skill_id!r}; " + (f"close: {close}" if close else f"there are: {known}")]
    return [*reasons, *(f"  {finding}" for finding in app.findings)]
