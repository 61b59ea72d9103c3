"""Catalogs of tools from elsewhere, written as apps, so that our own loader, ranking and exposure work on them.

A catalog is a folder with `tools.jsonl`: an object a line with name, app, description and parameters (a JSON Schema, or null).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from apps.sdk.jsontypes import JsonObject
from apps.sdk.names import MAX_TOOL_NAME, RESERVED_APP_IDS, suggest_id
from tests.support.apps import ECHO_MODULE, write_app

MAX_SKILLS = 100
"""Tools of one app; more of them are several apps, since a manifest may have 1 MiB."""
MAX_APP_ID = 24
"""Characters, so that most skills keep their own name within `MAX_TOOL_NAME`."""
NO_ARGUMENTS: JsonObject = {"type": "object", "properties": {"query": {"type": "string", "description": "What is wanted."}}}
"""Where a catalog says nothing of the arguments."""


@dataclass(frozen=True, slots=True)
class Converted:
    """A catalog as apps: where they lie, and each tool's name here by its name there; equal names have one line each."""

    directory: Path
    names: dict[str, str]


def convert_catalog(catalog: Path, directory: Path) -> Converted:
    """Write an app for each app of the catalog. Names are made legal; a hash tells apart those that become the same."""
    by_app: dict[str, list[JsonObject]] = {}
    for tool in read_lines(catalog / "tools.jsonl"):
        by_app.setdefault(str(tool["app"] or catalog.name), []).append(tool)
    names: dict[str, str] = {}
    taken: set[str] = set(RESERVED_APP_IDS)
    for app, tools in split_apps(by_app):
        app_id = make_id(app, MAX_APP_ID, taken, hyphens=False)
        skills = dict(make_skills(app_id, tools))
        write_app(
            directory, app_id, {"name": app[:100], "description": app, "skills": list(skills.values())}, {"echo": ECHO_MODULE}
        )
        names |= {str(tool["name"]): f"{app_id}-{skill_id}" for tool, skill_id in zip(tools, skills, strict=True)}
    return Converted(directory, names)


def split_apps(by_app: Mapping[str, list[JsonObject]]) -> Iterator[tuple[str, list[JsonObject]]]:
    """Each app with its tools, `MAX_SKILLS` at a time."""
    return ((app, tools[at : at + MAX_SKILLS]) for app, tools in by_app.items() for at in range(0, len(tools), MAX_SKILLS))


def make_skills(app_id: str, tools: Iterable[JsonObject]) -> Iterator[tuple[str, JsonObject]]:
    """Each tool as a skill by its id."""
    taken: set[str] = set()
    for tool in tools:
        skill_id = make_id(str(tool["name"]), MAX_TOOL_NAME - len(app_id) - 1, taken)
        yield (
            skill_id,
            {
                "id": skill_id,
                "description": tool["description"] or tool["name"],
                "class_path": f"apps.{app_id}.skills.echo.EchoSkill",
                "tool_schema": tool["parameters"] or NO_ARGUMENTS,
            },
        )


def make_id(name: str, limit: int, taken: set[str], *, hyphens: bool = True) -> str:
    """A legal id that is not in `taken` yet; it is then."""
    wanted = suggest_id(name, hyphens=hyphens) or "unnamed"
    made = wanted[:limit].strip("_-")
    if made in taken or len(wanted) > limit:
        digest = hashlib.sha256(f"{name}\n{len(taken)}".encode()).hexdigest()[:6]
        made = f"{made[: limit - 7].strip('_-')}_{digest}"
    taken.add(made)
    return made


def read_lines(file: Path) -> Iterator[JsonObject]:
    """The objects of a `.jsonl` file."""
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)
