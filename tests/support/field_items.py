"""The items of the field's manifests: skills, focus modes, memories and embed types, by number."""

from __future__ import annotations

from apps.sdk.jsontypes import Json, JsonObject

VERBS = ("search", "get-posts", "create_list", "read", "look-up", "summarize_page", "compare")
UNFINISHED = frozenset({9, 19, 29, 39, 49, 59})
"""Skills without a class, by number; the first four have no schema either."""
NO_SCHEMA = frozenset({9, 19, 29, 39, 4, 14, 24, 34})
BROKEN = {2: "skills.gone.GoneSkill", 22: "skills.broken.FieldSkill", 42: "skills.field.OtherSkill"}
"""Skills whose class cannot be had: no module, one that raises, no such class."""
NO_PROMPT = frozenset({4, 10, 16, 22, 26, 28})
"""Focus modes with a translation key for their prompt and nothing else."""
BARE = frozenset({7, 21})
"""Focus modes without any prompt."""

PROVIDERS: tuple[Json, ...] = (
    ["Brave"],
    ["Brave", "Google"],
    [{"name": "Brave", "no_api_key": False, "api_key_vault_path": "kv/brave"}],
    [{"name": "Open-Meteo", "no_api_key": True}],
    [{"id": "serp", "display_name": "Serp", "requires_api_key": True, "region": "eu", "scope": "search"}],
    ["Brave", {"name": "Mastodon", "requires_api_key": False, "region": "EU"}],
)
PRICING: tuple[Json, ...] = (
    {"per_unit": {"credits": 5, "unit_name": "request"}},
    {"fixed": 20},
    {"per_minute": 3},
    {"per_second": 0.5},
    {"per_started_minute": 4},
)


class Block(str):
    """A text that is written as a block scalar, so that it ends with a line break."""

    __slots__ = ()


def pick(number: int, count: int, total: int) -> bool:
    """Whether `number` is one of `count` that lie evenly among `total`."""
    return number * count // total != (number + 1) * count // total


def make_skill(number: int, app_id: str, turn: int) -> JsonObject:
    """Skill `number` of 62, the `turn`th of its app."""
    skill_id = VERBS[(number * 2 + turn) % len(VERBS)]
    key = f"app_skills.{app_id}.{skill_id.replace('-', '_')}" if number % 3 else f"{skill_id}_{number}"
    skill: JsonObject = {
        "id": skill_id,
        "name_translation_key": key,
        "description_translation_key": f"{key}.description",
        "class_path": _write_class_path(number, app_id),
        "tool_schema": None if number in NO_SCHEMA else _make_schema(number),
        "preprocessor_hint": f"Use it to {skill_id.replace('_', ' ').replace('-', ' ')} in {app_id}."
        if pick(number, 52, 62)
        else None,
        "providers": PROVIDERS[number % len(PROVIDERS)] if pick(number, 49, 62) else None,
        "icon_image": Block(f"{skill_id}.svg") if pick(number, 44, 62) else None,
        "pricing": PRICING[number % len(PRICING)] if pick(number, 20, 62) else None,
        "exclude_fields_for_llm": ["hash", "meta_url.favicon", "thumbnail.original"] if pick(number, 19, 62) else None,
        "api_config": {"expose_get": True, "expose_post": number % 2 == 0} if pick(number, 17, 62) else None,
        "suggestions_follow_up_requests": ["Tell me more", "Compare them"] if pick(number, 14, 62) else None,
        "internal": True if pick(number, 7, 62) else None,
        "full_model_reference": "provider/model" if pick(number, 6, 62) else None,
        "skill_config": {"default_limit": 10, "off": "no"} if number == 30 else None,
    }
    return {key: value for key, value in skill.items() if value is not None}


def _write_class_path(number: int, app_id: str) -> str | None:
    if number in UNFINISHED:
        return None
    path = f"apps.{app_id}.{BROKEN.get(number, 'skills.field.FieldSkill')}"
    return Block(path) if number % 20 == 0 else path


def _make_schema(number: int) -> JsonObject:
    """30 with `requests`, one of them with an argument beside it, and 24 flat ones."""
    entry: JsonObject = {
        "query": {"type": "string", "description": "What to look for."},
        "count": {"type": "integer", "description": "How many.", "default": 10, "minimum": 1, "maximum": 50},
        "level": {"type": "integer", "description": "How deep.", "enum": [1, 2, 3], "default": 2},
        "kind": {"type": "string", "enum": ["all", "no", "new"], "description": "Which."},
        "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1, "description": "Any of these."},
        "options": {
            "type": "object",
            "properties": {"safe": {"type": "boolean", "default": True}},
            "additionalProperties": False,
        },
    }
    with_schema = [other for other in range(62) if other not in NO_SCHEMA]
    if with_schema.index(number) >= 30:
        return {"type": "object", "properties": entry, "required": ["query"], "additionalProperties": False}
    items = {"type": "object", "properties": entry, "required": ["query"]}
    requests = {"type": "array", "description": "One entry each.", "minItems": 1, "items": items}
    beside = {"language": {"type": "string", "description": "The language of all.", "default": "en"}} if number == 0 else {}
    return {"type": "object", "properties": {"requests": requests, **beside}, "required": ["requests"]}


def make_mode(number: int, app_id: str) -> JsonObject:
    """Focus mode `number` of 30."""
    mode_id = ("deep_research", "plan-ahead")[number % 2]
    key = f"app_focus_modes.{app_id}.{mode_id.replace('-', '_')}"
    with_text = [other for other in range(30) if other not in NO_PROMPT | BARE]
    spelled_together = number in with_text[:12]
    prompt = Block(f"Work carefully on {app_id}.\nAsk back when in doubt.") if number % 3 else f"Work carefully on {app_id}."
    mode: JsonObject = {
        "id": mode_id,
        "name_translation_key": key,
        "description_translation_key": f"{key}.description",
        "systemprompt": prompt if spelled_together else None,
        "system_prompt": prompt if number in with_text[12:] else None,
        "systemprompt_translation_key": f"{key}.systemprompt" if number in NO_PROMPT or number in with_text[:3] else None,
        "process_translation_key": f"{key}.process" if pick(number, 11, 30) else None,
        "preprocessor_hint": f"The user wants to go deeper into {app_id}." if pick(number, 11, 30) else None,
        "icon_image": "focus.svg" if pick(number, 5, 30) else None,
        "discount": 10 if number == 12 else None,
    }
    gates: dict[int, JsonObject] = {
        0: {"allowed_models": ["large-model"], "recommended_model": "large-model"},
        1: {"allowed_apps": [app_id, "web"]},
        2: {"allowed_skills": [f"{app_id}:*", "web:*"]},
        3: {"allowed_skills": ["web:*"], "denied_skills": [f"{app_id}:*"]},
    }
    return {key: value for key, value in mode.items() if value is not None} | gates.get(number, {})


def make_memory(number: int, app_id: str) -> JsonObject:
    """Memory `number` of 41."""
    memory_id = ("saved-items", "preferred_style")[number % 2]
    key = f"app_settings_memories.{app_id}.{memory_id.replace('-', '_')}"
    schema: JsonObject = {
        "type": "object",
        "properties": {
            "title": {"type": "string", "description": "What it is called.", "is_title": True},
            "place": {"type": "string", "description": "Where it is.", "is_subtitle": True},
            "note": {"type": "string", "description": "Anything else.", "multiline": True},
            "added": {"type": "string", "format": "date", "auto_generated": True},
            "rating": {"type": "integer", "enum": [1, 2, 3, 4, 5], "default": 3},
        },
        "required": ["title"],
    }
    memory: JsonObject = {
        "id": memory_id,
        "name_translation_key": key,
        "description_translation_key": f"{key}.description",
        "type": ("list", "single")[number % 2],
        "schema": schema if pick(number, 39, 41) else None,
        "icon_image": Block("memory.svg") if pick(number, 32, 41) else None,
        "example_translation_keys": [f"{key}.example_1", f"{key}.example_2"] if pick(number, 29, 41) else None,
        "example_entries": [{"title": "An example", "added": "2025-01-02"}] if pick(number, 27, 41) else None,
    }
    return {key: value for key, value in memory.items() if value is not None}


def make_embed(number: int) -> JsonObject:
    """Embed type `number` of 68."""
    return {"id": f"embed_{number}", "category": "app-skill-use", "on": 12.5, "children": {"no": "y", "at": "12:30"}}
