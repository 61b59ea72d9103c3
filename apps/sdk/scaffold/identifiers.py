"""Ids that may be used, and the names of modules and classes that go with them."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass

from apps.sdk.loader import NO_APPS
from apps.sdk.names import (
    APP_ID_RULE,
    MAX_TOOL_NAME,
    RESERVED_APP_IDS,
    SKILL_ID_RULE,
    humanize,
    is_app_id,
    is_skill_id,
    suggest_id,
    tool_name,
)
from apps.sdk.scaffold.refusals import Refused

_LONGEST_REQUEST_CLASS = 40
_LIKE_TESTS = re.compile(r"test_.*|.*_test|conftest", re.ASCII)


@dataclass(frozen=True, slots=True)
class SkillNames:
    """What a skill is called where. `words` are those of its id, as in a sentence."""

    app_id: str
    skill_id: str
    tool_name: str
    words: str
    module: str
    class_name: str
    request_class: str

    @property
    def class_path(self) -> str:
        return f"apps.{self.app_id}.skills.{self.module}.{self.class_name}"


def check_app_id(app_id: str) -> None:
    """Raise `Refused` for what is no id of an app, or one that no app may have."""
    if app_id in RESERVED_APP_IDS | NO_APPS:
        raise Refused(f"the app id '{app_id}' is reserved: choose another one")
    if not is_app_id(app_id):
        raise Refused(f"{app_id[:100]!r} is no app id: only {APP_ID_RULE}{_advise(suggest_id(app_id, hyphens=False))}")


def name_skill(app_id: str, skill_id: str) -> SkillNames:
    """The names of a skill. Raises `Refused` for an id that none may have, or that is too long beside the app's."""
    if not is_skill_id(skill_id):
        raise Refused(f"{skill_id[:100]!r} is no skill id: only {SKILL_ID_RULE}{_advise(suggest_id(skill_id))}")
    name = tool_name(app_id, skill_id)
    if len(name) > MAX_TOOL_NAME:
        raise Refused(f"the name '{name[:100]}' would have {len(name)} characters; at most {MAX_TOOL_NAME} are allowed")
    words = "".join(part.capitalize() for part in re.split("[_-]+", skill_id))
    request_class = f"{words}Request" if len(words) <= _LONGEST_REQUEST_CLASS else "Request"
    class_name = f"{words}Skill"
    if words[0].isdigit():
        class_name, request_class = f"Skill{words}", f"Request{words}"
    return SkillNames(app_id, skill_id, name, humanize(skill_id).lower(), name_module(skill_id), class_name, request_class)


def name_module(skill_id: str) -> str:
    """A module's name that an import statement takes and that pytest does not take for a test's."""
    name = skill_id.replace("-", "_")
    if name[:1].isdigit() or _LIKE_TESTS.fullmatch(name):
        return f"skill_{name}"
    return f"{name}_" if keyword.iskeyword(name) else name


def _advise(suggestion: str | None) -> str:
    return f"; write '{suggestion}'" if suggestion else ""
