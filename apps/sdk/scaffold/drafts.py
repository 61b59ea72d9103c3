"""The text of every file of a new app or skill, from the templates beside this module."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from string import Template
from textwrap import indent

from apps.sdk.manifest.placeholders import find_placeholder
from apps.sdk.manifest.scalars import is_ambiguous, read_plain
from apps.sdk.names import humanize
from apps.sdk.scaffold.identifiers import SkillNames
from apps.sdk.scaffold.refusals import Refused

MAX_NAME = 100
"""Characters of a name that people read."""

PEOPLE = (
    "Ada",
    "Grace",
    "Alan",
    "Edsger",
    "Barbara",
    "Donald",
    "Emmy",
    "Kurt",
    "Hedy",
    "Claude",
    "Mary",
    "Leslie",
    "Radia",
    "Tony",
)
"""Whom the examples of a new skill name."""

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_-]*(?: [A-Za-z0-9_-]+)*", re.ASCII)


@dataclass(frozen=True, slots=True)
class SkillDraft:
    """A skill to be written: its item of app.yml, which begins with a dash at the margin, and its files by path in the app."""

    names: SkillNames
    item: str
    files: Mapping[str, str]


def draft_skill(names: SkillNames, name: str | None) -> SkillDraft:
    """A skill that works as it is; `name` is what people read, by default the id in words. Raises `Refused`."""
    shown = check_name(name) if name is not None else humanize(names.skill_id)
    first, second, third = choose_people(names.tool_name)
    values = {
        "app_id": names.app_id,
        "app_words": humanize(names.app_id).lower(),
        "first": first,
        "second": second,
        "third": third,
        "class_name": names.class_name,
        "class_path": names.class_path,
        "id": write_scalar(names.skill_id),
        "module": names.module,
        "name": write_scalar(shown),
        "request_class": names.request_class,
        "skill_id": names.skill_id,
        "title": humanize(names.skill_id),
        "tool_name": names.tool_name,
        "words": names.words,
    }
    return SkillDraft(
        names,
        _fill("skill.yml", values),
        {
            f"skills/{names.module}.py": _fill("skill.py", values),
            f"tests/test_{names.app_id}_{names.module}.py": _fill("test_skill.py", values),
        },
    )


def draft_app(name: str | None, skill: SkillDraft, schema: str | None) -> Mapping[str, str]:
    """The files of an app with one skill; `schema` is the path from its folder to that of the editors, if there is one."""
    shown = check_name(name) if name is not None else humanize(skill.names.app_id)
    values = {
        "schema_line": f"# yaml-language-server: $schema={schema}\n" if schema else "",
        "name": write_scalar(shown),
        "words": humanize(skill.names.app_id).lower(),
        "skill": indent(skill.item, "  ").rstrip("\n"),
    }
    return {"app.yml": _fill("app.yml", values), **skill.files}


def choose_people(tool_name: str) -> tuple[str, str, str]:
    """Three of `PEOPLE`, others for most other skills: examples that share them would be each other's best match."""
    start = zlib.crc32(tool_name.encode())
    first, second, third = (PEOPLE[(start + step) % len(PEOPLE)] for step in (0, 1, 2))
    return first, second, third


def check_name(name: str) -> str:
    """The name as it is written; raises `Refused` for one that nobody can read, or that a template left."""
    stripped = name.strip()
    if not stripped or len(stripped) > MAX_NAME:
        raise Refused(f"a name has 1 to {MAX_NAME} characters")
    if not stripped.isprintable():
        raise Refused("a name is one line of characters that print")
    if placeholder := find_placeholder(stripped):
        raise Refused(f"the name holds the placeholder {placeholder!r}, which nobody filled")
    return stripped


def write_scalar(text: str) -> str:
    """`text` as a YAML scalar that every reader takes for that text."""
    if _PLAIN.fullmatch(text) and read_plain(text) == text and not is_ambiguous(text):
        return text
    return json.dumps(text, ensure_ascii=False)


def _fill(template: str, values: Mapping[str, str]) -> str:
    text = files("apps.sdk.scaffold").joinpath("templates", f"{template}.tmpl").read_text(encoding="utf-8")
    return Template(text).substitute(values)
