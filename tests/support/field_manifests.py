"""A folder of apps as one real deployment has it: 36 manifests with the keys, shapes and counts of its dialect.

The same bytes every time. What stands behind the keys is made up; how often each stands there is not. `COUNTS` says it.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import yaml

from apps.sdk.jsontypes import JsonObject
from tests.support.field_items import Block, make_embed, make_memory, make_mode, make_skill, pick

APP_IDS = (
    "3d", "ai", "audio", "books", "calendar", "code", "contacts", "design", "docs", "events", "files", "finance", "fitness",
    "games", "health", "home", "images", "jobs", "language", "legal", "mail", "maps", "math", "movies", "music", "news",
    "nutrition", "pdf", "plants", "reminder", "sheets", "shopping", "social_media", "study", "travel", "web",
)  # fmt: skip
EMPTY_APP, APPS_WITHOUT_SKILLS = "plants", ("contacts", "legal")

COUNTS: JsonObject = {
    "app": {
        "name_translation_key": 35, "description_translation_key": 35, "icon_image": 35, "category": 34, "last_updated": 33,
        "skills": 33, "embed_types": 28, "settings_and_memories": 24, "memory": 2, "marketing_discovery": 22, "instructions": 15,
        "focuses": 13, "focus_modes": 2, "app_id": 3, "embeds": 2, "provider_display_order": 1, "model_aliases": 1,
        "expose_in_api": 1, "default_enabled": 1,
    },
    "skill": {
        "id": 62, "name_translation_key": 62, "description_translation_key": 62, "class_path": 56, "tool_schema": 54,
        "preprocessor_hint": 52, "providers": 49, "icon_image": 44, "pricing": 20, "exclude_fields_for_llm": 19, "api_config": 17,
        "suggestions_follow_up_requests": 14, "internal": 7, "full_model_reference": 6, "skill_config": 1,
    },
    "focus": {
        "id": 30, "name_translation_key": 30, "description_translation_key": 30, "systemprompt": 12, "system_prompt": 10,
        "systemprompt_translation_key": 9, "process_translation_key": 11, "preprocessor_hint": 11, "icon_image": 5, "discount": 1,
        "allowed_models": 1, "recommended_model": 1, "allowed_apps": 1, "allowed_skills": 2, "denied_skills": 1,
    },
    "memory": {
        "id": 41, "name_translation_key": 41, "description_translation_key": 41, "type": 41, "schema": 39, "icon_image": 32,
        "example_translation_keys": 29, "example_entries": 27,
    },
}  # fmt: skip
"""How many items of each kind have each key."""

MODULE = """
from apps.sdk.skill import Skill


class FieldSkill(Skill):
    async def execute(self, request, context):
        return {"asked": request}
"""


class _Dumper(yaml.SafeDumper):
    """Writes no anchors: each manifest says what it says in full."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def _write_block(dumper: yaml.SafeDumper, text: Block) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", f"{text}\n", style="|")


_Dumper.add_representer(Block, _write_block)


def write_field_apps(directory: Path) -> Path:
    """Write the 36 folders into `directory`, which is returned."""
    for app_id, manifest in make_manifests().items():
        skills = directory / app_id / "skills"
        skills.mkdir(parents=True)
        text = yaml.dump(manifest, Dumper=_Dumper, sort_keys=False, allow_unicode=True) if manifest else ""
        (directory / app_id / "app.yml").write_text(text, encoding="utf-8")
        (skills / "field.py").write_text(MODULE, encoding="utf-8")
        (skills / "broken.py").write_text("import a_module_that_is_not_installed\n", encoding="utf-8")
    return directory


def make_manifests() -> dict[str, JsonObject]:
    """The manifests by app; the empty file is an empty mapping."""
    filled = [app_id for app_id in APP_IDS if app_id != EMPTY_APP]
    skills, modes, memories, embeds = map(iter, (range(62), range(30), range(41), range(68)))
    manifests: dict[str, JsonObject] = {EMPTY_APP: {}}
    working = 0
    for number, app_id in enumerate(filled):
        manifest = _make_head(number, app_id)
        if app_id not in APPS_WITHOUT_SKILLS:
            manifest["skills"] = [make_skill(next(skills), app_id, turn) for turn in range(1 if working < 4 else 2)]
            working += 1
        if number < 28:
            manifest["embed_types"] = [make_embed(next(embeds)) for _ in range(3 if number < 12 else 2)]
        if 5 <= number < 20:
            key = "focus_modes" if number < 7 else "focuses"
            manifest[key] = [make_mode(next(modes), app_id) for _ in range(2)]
        if number >= 9:
            key = "memory" if number < 11 else "settings_and_memories"
            manifest[key] = [make_memory(next(memories), app_id) for _ in range(2 if number < 24 else 1)]
        manifests[app_id] = manifest
    return {app_id: manifests[app_id] for app_id in APP_IDS}


def list_translation_keys(manifests: dict[str, JsonObject]) -> Iterator[str]:
    """Every translation key in use."""
    for manifest in manifests.values():
        for part in (manifest, *(item for items in manifest.values() if isinstance(items, list) for item in items)):
            if isinstance(part, dict):
                yield from (str(value).strip() for key, value in part.items() if key.endswith("_translation_key"))


def _make_head(number: int, app_id: str) -> JsonObject:
    head: JsonObject = {
        "name_translation_key": app_id if number % 2 else f"apps.{app_id}",
        "description_translation_key": Block(f"{app_id}.description") if number % 7 == 0 else f"{app_id}.description",
        "icon_image": Block(f"{app_id}.svg") if number % 4 == 0 else f"{app_id}.svg",
    }
    optional: JsonObject = {
        "category": (34, "work"),
        "last_updated": (33, date(2025, 11, 3)),
        "marketing_discovery": (22, {"headline_key": f"marketing.{app_id}", "no": {"y": 1}, "on": ["a", "b"]}),
        "embeds": (2, [{"id": "card"}]),
    }
    head |= {key: value for key, (count, value) in optional.items() if pick(number, count, 35)}
    if pick(number, 15, 35):
        head["instructions"] = [
            {
                "instruction": f"Prefer the {app_id} app for its own subject.",
                "categories": ["general"],
                "for_embed_types": ["card"],
            },
            {"instruction": "Name the source."},
        ]
    singles: dict[int, JsonObject] = {
        1: {"app_id": app_id},
        2: {"app_id": f"{app_id}\n"},
        3: {"app_id": "somewhere_else"},
        4: {"provider_display_order": ["Brave", "Google"]},
        5: {"model_aliases": {"fast": "small-model", "best": "large-model"}},
        6: {"expose_in_api": True},
        7: {"default_enabled": False},
    }
    return head | singles.get(number, {})
