"""The ids of apps and items: whether they are legal, and what an item is called whose id is not."""

from __future__ import annotations

from apps.sdk.findings import Finding, Position, report
from apps.sdk.jsontypes import Json, JsonPath
from apps.sdk.loading.place import Place
from apps.sdk.names import (
    APP_ID_RULE,
    MAX_TOOL_NAME,
    RESERVED_APP_IDS,
    SKILL_ID_RULE,
    is_app_id,
    is_skill_id,
    suggest_id,
    tool_name,
)
from apps.sdk.shown import spell_out

MAX_SHOWN = 100
"""Characters of an illegal id that a finding repeats."""


def check_app_id(app_id: str, position: Position) -> Finding | None:
    """Why a folder's name cannot be an app's id (`app-id`), or None."""
    if app_id in RESERVED_APP_IDS:
        return report("app-id", position, f"the app id '{app_id}' is reserved")
    if is_app_id(app_id):
        return None
    suggestion = suggest_id(app_id, hyphens=False)
    message = f"the folder's name '{app_id[:MAX_SHOWN]}' is no app id: only {APP_ID_RULE}"
    return report("app-id", position, message, f"rename it to '{suggestion}'" if suggestion else None)


def check_item_id(item_id: str, place: Place) -> Finding | None:
    """Why the item at `place` cannot have that id (`item-id`, `tool-name-length`), or None."""
    if not is_skill_id(item_id):
        suggestion = suggest_id(item_id)
        message = f"{item_id[:MAX_SHOWN]!r} is no legal id: only {SKILL_ID_RULE}"
        return report("item-id", place.at("id"), message, f"write '{suggestion}'" if suggestion else None)
    name = tool_name(place.app_id, item_id)
    if len(name) > MAX_TOOL_NAME:
        message = f"the name '{name[:MAX_SHOWN]}' has {len(name)} characters; at most {MAX_TOOL_NAME} are allowed"
        return report("tool-name-length", place.at("id"), message, "shorten the id here or the app's")
    return None


def label_item(value: Json, app_id: str, path: JsonPath) -> str:
    """What an item is called that is set aside: by its id if it has one, else by its place in the file."""
    item_id = value.get("id") if isinstance(value, dict) else None
    if isinstance(item_id, str) and item_id.strip():
        return tool_name(app_id, spell_out(item_id.strip()[:MAX_SHOWN]))
    return f"{app_id}-{path[0]}[{path[1]}]"
