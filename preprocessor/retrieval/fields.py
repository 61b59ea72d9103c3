"""The texts of a skill that the index reads, each with its weight."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from apps.sdk.catalog import App, SkillSpec
from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.schemas.references import follow

MAX_FIELD = 4_000
"""Characters read of one text; a longer one gains nothing."""
MAX_SCHEMAS = 400
MAX_DEPTH = 6
"""How much of a skill's parameters is read: schemas, and levels of them."""
WRAPPERS = frozenset({"requests", "id"})
"""Argument names that every skill has; they say nothing about one."""


@dataclass(frozen=True, slots=True)
class Field:
    """Texts with the weight of one occurrence of a word in them; 1.0 is a full match. `is_long` ones are length-normalised.

    Of those that `has_phrases`, pairs of words are read too.
    """

    texts: tuple[str, ...]
    weight: float
    is_long: bool = False
    has_phrases: bool = False


EXAMPLES = Field((), 0.35, has_phrases=True)
"""What the examples weigh together; their texts are counted one by one."""


def list_fields(skill: SkillSpec, app: App) -> tuple[Field, ...]:
    """What the skill says about itself, examples apart. Names outweigh prose, incidental words of examples count least."""
    arguments = list(_walk_arguments(skill.parameters))
    return (
        Field((skill.skill_id,), 1.6),
        Field((skill.name[:MAX_FIELD],), 1.3, has_phrases=True),
        Field((app.id, app.name[:MAX_FIELD]), 0.35),
        Field((skill.hint[:MAX_FIELD],), 1.0, has_phrases=True),
        Field((skill.description[:MAX_FIELD],), 0.9, is_long=True),
        Field(tuple(name for name, _ in arguments), 0.5, is_long=True),
        Field((" ".join(text for _, text in arguments)[:MAX_FIELD],), 0.4, is_long=True),
    )


def _walk_arguments(parameters: JsonObject) -> Iterator[tuple[str, str]]:
    """Every argument as (name, description and enum texts), outer ones first, those behind references too."""
    waiting: deque[tuple[Json, int]] = deque([(parameters, 0)])
    for _ in range(MAX_SCHEMAS):
        if not waiting:
            break
        written, depth = waiting.popleft()
        schema = follow(written, parameters)
        if not isinstance(schema, dict) or depth == MAX_DEPTH:
            continue
        properties = schema.get("properties")
        for name, argument in properties.items() if isinstance(properties, dict) else ():
            yield ("" if name in WRAPPERS else name, "" if name == "id" else _describe(follow(argument, parameters)))
            waiting.append((argument, depth + 1))
        branches = [schema[key] for key in ("anyOf", "oneOf", "allOf") if isinstance(schema.get(key), list)]
        waiting.extend((part, depth + 1) for part in (schema.get("items"), *(part for branch in branches for part in branch)))


def _describe(argument: Json) -> str:
    if not isinstance(argument, dict):
        return ""
    enum = argument.get("enum")
    values = [value for value in enum[:50] if isinstance(value, str)] if isinstance(enum, list) else []
    description = argument.get("description")
    return " ".join([description if isinstance(description, str) else "", *values])[:MAX_FIELD]
