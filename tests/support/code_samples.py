"""The smallest folder of apps for each code: what a finding with it looks like."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

from apps.sdk.codes import Code
from apps.sdk.findings import MAX_PER_FILE
from apps.sdk.jsontypes import Json
from tests.support.apps import ECHO_MODULE, skill_manifest

Sample: TypeAlias = Mapping[str, str | bytes]
"""Content by path below the folder of apps; the module `echo` is added to the app `one`."""


_TYPED = """
from pydantic import BaseModel

from apps.sdk.skill import Skill


class Request(BaseModel):
    place: str


class TypedSkill(Skill):
    async def execute(self, request: Request, context):
        return request
"""


def write_sample(directory: Path, sample: Sample) -> Path:
    """Write the files; returns the folder of apps."""
    module = {"one/skills/echo.py": ECHO_MODULE, "one/skills/plain.py": ECHO_MODULE.replace("async def", "def")}
    for name, content in (*module.items(), *sample.items()):
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return directory


def _app(text: str | bytes) -> Sample:
    return {"one/app.yml": text}


def _skill(**changes: Json) -> Sample:
    return _app(json.dumps({"skills": [skill_manifest("one", "a", **changes)]}))


def _skills(*ids: str, **changes: Json) -> Sample:
    return _app(json.dumps({"skills": [skill_manifest("one", skill_id, **changes) for skill_id in ids]}))


def _mode(**changes: Json) -> Sample:
    return _app(json.dumps({"focuses": [{"id": "m", "description": "d", "system_prompt": "p", **changes}]}))


def _argument(schema: Json, **others: Json) -> Sample:
    return _skill(tool_schema={"type": "object", "properties": {"q": {"description": "d", **schema}}, **others})


def _texts(*files: tuple[str, str], key: str = "search") -> Sample:
    app = json.dumps({"skills": [skill_manifest("one", "search", name=None, name_translation_key=key)]})
    return {"one/app.yml": app, **{f"one/texts/{name}": text for name, text in files}}


SAMPLES: Mapping[Code, Sample] = {
    "file-unreadable": {"one/app.yml/file": ""},
    "file-too-large": _app(b"#" * 1_100_000),
    "file-not-utf8": _app(b"\xff\xfe"),
    "yaml-character": _app(b"name: \x01"),
    "yaml-syntax": _app("name: ["),
    "yaml-depth": _app("a: " + "[" * 70 + "]" * 70),
    "yaml-size": _app(f"a: [{'a, ' * 100_001}]"),
    "yaml-alias": _app("a: *gone"),
    "yaml-merge": _app("a: {<<: text}"),
    "yaml-key": _app("? [a]\n: b"),
    "yaml-duplicate-key": _app("name: a\nname: b"),
    "yaml-tag": _app("name: !!binary aa"),
    "yaml-ambiguous": _app("name: no"),
    "findings-more": _app(f"x-labels: [{'no, ' * MAX_PER_FILE}no, no]"),
    "app-id": {"One/app.yml": ""},
    "app-duplicate": {},
    "app-empty": _app("name: One"),
    "app-id-differs": _app("app_id: two"),
    "unknown-key": _app("nmae: One"),
    "guard-key": _skill(efect="write"),
    "guard-empty": _app("focuses: [{id: m, description: d, system_prompt: p, allowed_skills: }]"),
    "opaque-key": _app("category: work"),
    "alias-twice": _app("focuses: []\nfocus_modes: []"),
    "missing-key": _app("skills: [{name: a}]"),
    "wrong-value": _app("name: 5"),
    "item-id": _app("skills: [{id: a b}]"),
    "item-duplicate": _skills("a", "a"),
    "text-placeholder": _skill(description="Find {{thing}}."),
    "text-missing": _texts(("en.yml", "other: x")),
    "texts-main": _texts(("de.yml", "search: x")),
    "no-texts": _app("memory: [{id: a, description_translation_key: a}]"),
    "text-language": _texts(("german.yml", "search: x")),
    "texts-incomplete": _texts(("en.yml", "search: x"), ("de.yml", "other: x")),
    "text-unused": _texts(("en.yml", "other: x")),
    "no-description": _app("memory: [{id: a}]"),
    "text-hidden": _skill(description="Find\u202e it."),
    "text-length": _skill(description="long " * 300),
    "no-examples": _skill(examples=None),
    "same-example": _skills("a", "b", examples=["Find it"]),
    "tool-name-length": _skills("a" * 61),
    "tool-name-long": _skills("a" * 58),
    "similar-names": _skills("a-b", "a_b"),
    "skill-unfinished": _skill(class_path=None),
    "skill-unsupported": _skill(class_path=None, mcp={"server": "s", "tool": "t"}),
    "skill-import": _skill(class_path="apps.one.skills.gone.EchoSkill"),
    "skill-class": _skill(class_path="os.system"),
    "skill-not-async": _skill(class_path="apps.one.skills.plain.EchoSkill"),
    "exclude-path": _skill(exclude_fields_for_llm=["b"], output_example={"a": 1}),
    "unknown-reference": _skill(follow_ups=["one-b"]),
    "tool-schema": _skill(tool_schema=None),
    "memory-schema": _app("memory: [{id: a, schema: {type: strin}}]"),
    "schema-required": _argument({}, required=["query"]),
    "schema-requests": _skill(tool_schema={"properties": {"requests": {"type": "array", "items": {"type": "string"}}}}),
    "schema-enum": _argument({"enum": [1, 1]}),
    "schema-default": _argument({"type": "integer", "default": "ten"}),
    "schema-keyword": _argument({"minLenght": 1}),
    "schema-draft": _argument({"nullable": True, "type": "string"}),
    "schema-empty": _argument({"enum": None}),
    "schema-extension": _argument({"unit": "m"}),
    "schema-told": _argument({"type": "string", "not": {"pattern": "^x"}}),
    "schema-model": {**_skill(class_path="apps.one.skills.typed.TypedSkill"), "one/skills/typed.py": _TYPED},
    "argument-description": _argument({"description": ""}),
    "focus-without-prompt": _mode(system_prompt=None),
    "focus-without-skills": _mode(allowed_skills=["one:gone"]),
}
"""By code; `app-duplicate` needs two folders."""
