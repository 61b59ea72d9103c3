"""Made-up apps in any number, alike in size to real ones; the same every time."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice, product
from pathlib import Path

import yaml

from apps.sdk.jsontypes import JsonObject
from tests.support.apps import write_app

SEED = 20_240_229

VARIANTS = ("", "team", "personal", "shared", "archived", "public")
DOMAINS = (
    "calendar", "invoices", "contacts", "recipes", "flights", "hotels", "weather", "news", "music", "films", "books", "tasks",
    "notes", "mail", "photos", "maps", "trains", "shopping", "stocks", "payroll", "fitness", "medicine", "garden", "energy",
    "parcels", "tickets", "surveys", "courses", "languages", "sports", "museums", "events", "rentals", "repairs", "insurance",
    "taxes", "grants", "patents", "laws", "meetings", "projects", "servers", "backups", "domains", "builds", "incidents",
    "campaigns", "leads", "orders", "stock_rooms",
)  # fmt: skip
ACTIONS = (
    ("find", "Search {what} by words, dates and people."),
    ("create", "Create an entry in {what} from what the user said."),
    ("update", "Change an entry of {what} that exists already."),
    ("cancel", "Cancel or take back an entry of {what}."),
    ("share", "Share something from {what} with somebody."),
    ("summarise", "Sum up {what} over a period."),
    ("compare", "Compare two entries of {what} side by side."),
    ("export", "Export {what} as a table, a PDF or a calendar file."),
    ("remind", "Set a reminder about an entry of {what}."),
    ("forecast", "Estimate how {what} will develop in the next weeks."),
)
EXAMPLES = (
    "{action} the {what} of last week",
    "could you {action} my {what} for Friday?",
    "please {action} everything about {what} from Ada",
    "I need to {action} {what} before the holidays",
)
PROPERTIES: JsonObject = {
    "query": {"type": "string", "description": "Words to look for.", "maxLength": 300},
    "from": {"type": "string", "format": "date", "description": "First day, as YYYY-MM-DD."},
    "until": {"type": "string", "format": "date", "description": "Last day, as YYYY-MM-DD."},
    "person": {"type": "string", "description": "Whose: a name or an address."},
    "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 10, "description": "Most entries to give back."},
    "order": {"type": "string", "enum": ["newest", "oldest", "best"], "default": "best", "description": "What comes first."},
    "place": {"type": "string", "description": "A town or an address."},
    "amount": {"type": "number", "minimum": 0, "description": "In the account's currency."},
    "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 10, "description": "Labels that must all be there."},
    "urgent": {"type": "boolean", "default": False, "description": "Whether it cannot wait."},
}
MESSAGE = "Find the invoices of last week and share the meetings of Friday with Ada, please."
"""A message that several of the skills fit."""
MODULE = '''"""{docstring}"""

from apps.sdk.jsontypes import JsonObject
from apps.sdk.skill import Skill, SkillContext


class {name}Skill(Skill):
    async def execute(self, request: JsonObject, context: SkillContext) -> JsonObject:
        return {{"results": [{{"title": "An entry", "request": request}}]}}
'''


def write_apps(directory: Path, apps: int, skills: int = 10) -> Path:
    """Write `apps` apps of `skills` skills each, at most 300 of 10; a module a skill, as in the bundled apps."""
    chance = random.Random(SEED)
    for variant, domain in islice(product(VARIANTS, DOMAINS), apps):
        app_id = f"{variant}_{domain}" if variant else domain
        what = app_id.replace("_", " ")
        manifest = make_manifest(app_id, what, skills, chance)
        modules = {
            action: MODULE.format(docstring=text.format(what=what), name=action.capitalize()) for action, text in ACTIONS[:skills]
        }
        write_app(directory, app_id, yaml.dump(manifest, Dumper=yaml.CSafeDumper, sort_keys=False), modules)
    return directory


def make_manifest(app_id: str, what: str, skills: int, chance: random.Random) -> JsonObject:
    """An app.yml's content."""
    return {
        "name": what.capitalize(),
        "description": f"Everything about {what}.",
        "skills": list(islice(_make_skills(app_id, what, chance), skills)),
    }


def _make_skills(app_id: str, what: str, chance: random.Random) -> Iterator[JsonObject]:
    for action, text in ACTIONS:
        hint = text.format(what=what)
        yield {
            "id": f"{action}_{app_id}",
            "name": f"{action.capitalize()} {what}",
            "description": f"{hint} Gives back a list of entries with title, date and people, best first.",
            "preprocessor_hint": f"{hint} Not for anything outside {what}.",
            "examples": [example.format(action=action, what=what) for example in chance.sample(EXAMPLES, 2)],
            "class_path": f"apps.{app_id}.skills.{action}.{action.capitalize()}Skill",
            "tool_schema": make_schema(chance),
        }


def make_schema(chance: random.Random) -> JsonObject:
    """`requests` with three to six properties each."""
    names = ["query", *chance.sample([name for name in PROPERTIES if name != "query"], chance.randint(2, 5))]
    item = {"type": "object", "properties": {name: PROPERTIES[name] for name in names}, "required": ["query"]}
    return {"type": "object", "properties": {"requests": {"type": "array", "items": item}}, "required": ["requests"]}
