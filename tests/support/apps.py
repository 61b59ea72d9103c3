"""Small apps for tests, written to a directory of the test's own."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent

from apps.sdk.jsontypes import JsonObject

ECHO_MODULE = """
from apps.sdk.skill import Skill


class EchoSkill(Skill):
    async def execute(self, request, context):
        return {"echo": request}
"""

REQUESTS_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "requests": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"query": {"type": "string", "description": "What to do."}},
                "required": ["query"],
            },
        }
    },
    "required": ["requests"],
}


def write_app(directory: Path, app_id: str, manifest: str | JsonObject, modules: dict[str, str] | None = None) -> Path:
    """Write `directory/app_id/app.yml` and a `skills/<name>.py` for each of `modules`; returns the app's folder.

    A mapping is written as JSON, which is YAML too.
    """
    folder = directory / app_id
    skills = folder / "skills"
    skills.mkdir(parents=True, exist_ok=True)
    text = dedent(manifest) if isinstance(manifest, str) else json.dumps(manifest, indent=2, ensure_ascii=False)
    (folder / "app.yml").write_text(text, encoding="utf-8")
    for package in (folder, skills):
        (package / "__init__.py").touch()
    for name, source in (modules or {}).items():
        (skills / f"{name}.py").write_text(dedent(source), encoding="utf-8")
    return folder


def skill_manifest(app_id: str, skill_id: str, **changes: object) -> JsonObject:
    """A complete skill of the module `echo`; `changes` replace keys, and None takes one away."""
    whole: JsonObject = {
        "id": skill_id,
        "name": skill_id.capitalize(),
        "description": f"What {skill_id} of {app_id} is for.",
        "preprocessor_hint": f"Use it to {skill_id}.",
        "examples": [f"please {skill_id} this"],
        "class_path": f"apps.{app_id}.skills.echo.EchoSkill",
        "tool_schema": REQUESTS_SCHEMA,
    }
    return {key: value for key, value in (whole | changes).items() if value is not None}


def write_echo_app(directory: Path, app_id: str, *skill_ids: str, **changes: object) -> Path:
    """Write an app whose skills give back what they are asked; `changes` go into each skill."""
    examples = {skill_id: [f"please {skill_id} this for {app_id}"] for skill_id in skill_ids}
    skills = [skill_manifest(app_id, skill_id, **{"examples": examples[skill_id], **changes}) for skill_id in skill_ids]
    return write_app(directory, app_id, {"name": app_id.capitalize(), "skills": skills}, {"echo": ECHO_MODULE})
