"""The texts of a skill that the index reads, each with its weight."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from apps.sdk.catalog import App, SkillSpec
from apps.sdk.jsontypes import Json

MAX_FIELD = 4_000
"""Characters read of one text; a longer one gains nothing."""
MAX_ARGUMENTS = 200
MAX_DEPTH = 6
MAX_EXAMPLES = 20
MAX_EXAMPLE = 500
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


def list_fields(skill: SkillSpec, app: App) -> tuple[Field, ...]:
    """What the skill says about itself. Weights: names outweigh prose, incidental words of examples count least."""
    arguments = list(islice(_walk_arguments(skill.parameters, MAX_DEPTH), MAX_ARGUMENTS))
    return (
        Field((skill.skill_id,), 1.6),
        Field((skill.name[:MAX_FIELD],), 1.3, has_phrases=True),
        Field((app.id, app.name[:MAX_FIELD]), 0.35),
        Field((skill.hint[:MAX_FIELD],), 1.0, has_phrases=True),
        Field((skill.description[:MAX_FIELD],), 0.9, is_long=True),
        Field(tuple(name for name, _ in arguments), 0.5, is_long=True),
        Field((" ".join(text for _, text in arguments)[:MAX_FIELD],), 0.4, is_long=True),
        Field(list_examples(skill), 0.35, has_phrases=True),
    )


def list_examples(skill: SkillSpec) -> tuple[str, ...]:
    return tuple(example[:MAX_EXAMPLE] for example in skill.examples[:MAX_EXAMPLES])


def _walk_arguments(schema: Json, depth: int) -> Iterator[tuple[str, str]]:
    """Every argument as (name, description and enum texts), outer ones first."""
    if depth == 0 or not isinstance(schema, dict):
        return
    properties = schema.get("properties")
    for name, argument in properties.items() if isinstance(properties, dict) else ():
        if isinstance(argument, dict):
            yield ("" if name in WRAPPERS else str(name), "" if name == "id" else _describe(argument))
            yield from _walk_arguments(argument, depth - 1)
    yield from _walk_arguments(schema.get("items"), depth - 1)
    for keyword in ("anyOf", "oneOf", "allOf"):
        branches = schema.get(keyword)
        for branch in branches[:10] if isinstance(branches, list) else ():
            yield from _walk_arguments(branch, depth - 1)


def _describe(argument: dict[str, Json]) -> str:
    enum = argument.get("enum")
    values = [value for value in enum[:50] if isinstance(value, str)] if isinstance(enum, list) else []
    description = argument.get("description")
    return " ".join([description if isinstance(description, str) else "", *values])[:MAX_FIELD]
