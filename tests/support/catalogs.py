"""Small catalogs, built directly: no files, no discovery."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from apps.sdk.catalog import App, Catalog, FocusMode, Memory, SkillSpec
from apps.sdk.findings import Position
from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.skill import Skill

HERE = Position("app.yml")


class ScriptedAvailability(Skill):
    """A skill whose `available` gives, raises or does what it was made with; it counts how often it was asked."""

    def __init__(self, answer: Json) -> None:
        self.answer = answer
        self.asked = 0

    def available(self, secrets: Mapping[str, str]) -> Json:
        self.asked += 1
        answer = self.answer(secrets) if callable(self.answer) else self.answer
        if isinstance(answer, BaseException):
            raise answer
        return answer


def make_skill(tool_name: str, **changes: Any) -> SkillSpec:
    """A skill with a `requests` schema; `arguments` are the properties of one request."""
    app_id, _, skill_id = tool_name.partition("-")
    readable = skill_id.replace("_", " ").replace("-", " ")
    skill = SkillSpec(
        tool_name=tool_name,
        app_id=app_id,
        skill_id=skill_id,
        name=changes.pop("name", readable.capitalize()),
        description=changes.pop("description", f"Does {readable}."),
        hint=changes.pop("hint", f"For {readable}."),
        parameters=changes.pop("parameters", None) or make_parameters(changes.pop("arguments", {})),
        implementation=changes.pop("implementation", Skill()),
        content_hash=tool_name,
        position=HERE,
    )
    return replace(skill, **changes)


def make_parameters(arguments: JsonObject) -> JsonObject:
    item = {"type": "object", "properties": arguments}
    return {"type": "object", "properties": {"requests": {"type": "array", "items": item}}, "required": ["requests"]}


def make_mode(mode_id: str, **changes: Any) -> FocusMode:
    mode = FocusMode(mode_id, mode_id.partition("-")[0], mode_id, f"{mode_id} mode", f"When {mode_id} helps.", "Focus.")
    return replace(mode, **changes)


def make_memory(memory_id: str, **changes: Any) -> Memory:
    memory = Memory(memory_id, memory_id.partition("-")[0], memory_id, f"The user's {memory_id}.", "list", {"type": "object"})
    return replace(memory, **changes)


def make_app(app_id: str, *items: SkillSpec | FocusMode | Memory, **changes: Any) -> App:
    app = App(
        app_id,
        app_id.capitalize(),
        f"The {app_id} app.",
        Path(app_id),
        skills=tuple(item for item in items if isinstance(item, SkillSpec)),
        focus_modes=tuple(item for item in items if isinstance(item, FocusMode)),
        memories=tuple(item for item in items if isinstance(item, Memory)),
    )
    return replace(app, **changes)


def make_catalog(*apps: App) -> Catalog:
    return Catalog(tuple(sorted(apps, key=lambda app: app.id)), digest="fixture")


def make_bundled_like() -> Catalog:
    """Apps like the bundled ones: what the ranking has to tell apart without any model."""
    text = {"type": "string", "description": "The expression, for example 17.5% of 2340"}
    zone = {"type": "string", "description": "Time zone or city"}
    return make_catalog(
        make_app(
            "math",
            make_skill(
                "math-calculate",
                description="Evaluates an arithmetic expression exactly: sums, products, powers, roots and percentages.",
                hint="Arithmetic and percentages, done exactly.",
                examples=("What is 17.5 % of 2,340?", "12 * (3 + 4.5)", "what is the square root of 144"),
                arguments={"expression": text},
            ),
            make_skill(
                "math-convert_units",
                description="Converts a quantity from one unit to another: length, mass, volume, temperature, speed.",
                hint="Converts quantities between units of measurement, such as miles and kilometres.",
                examples=("Convert 26.2 miles to kilometres", "how many pounds are 70 kg", "100 fahrenheit in celsius"),
                arguments={"value": {"type": "number"}, "from_unit": {"type": "string"}, "to_unit": {"type": "string"}},
            ),
        ),
        make_app(
            "time",
            make_skill(
                "time-now",
                name="Current time",
                description="The current date and time in a time zone or city.",
                hint="What time or date it is now, anywhere.",
                examples=("What time is it in New York right now?", "what's today's date?"),
                arguments={"zone": zone},
            ),
            make_skill(
                "time-convert",
                name="Convert between time zones",
                description="Converts a clock time from one time zone to another.",
                hint="Converts a given clock time between cities or time zones.",
                examples=("What time is it in Tokyo when it is 9:30 in Berlin?", "3 pm London in Sydney time"),
                arguments={"time": {"type": "string", "description": "The clock time"}, "from_zone": zone, "to_zone": zone},
            ),
            make_skill(
                "time-difference",
                name="Difference between dates",
                description="How long it is between two dates or times: days, weeks, hours or workdays.",
                hint="The time between two dates.",
                examples=("How many days are there between 3 March 2024 and 24 December 2026?", "how long until Christmas"),
                arguments={"start": {"type": "string"}, "end": {"type": "string"}},
            ),
            make_skill(
                "time-add",
                name="Add to a date",
                description="Adds or subtracts years, months, weeks, days or hours.",
                hint="Calendar arithmetic: which date is some time before or after another.",
                examples=("What date is 90 days after 15 January 2025?", "what day is 3 weeks from today"),
                arguments={"date": {"type": "string"}, "days": {"type": "integer"}},
            ),
        ),
    )
