"""What the index reads of a skill."""

from __future__ import annotations

from typing import Any

import pytest

from apps.sdk.jsontypes import JsonObject
from preprocessor.retrieval.fields import MAX_SCHEMAS, list_fields
from preprocessor.retrieval.lexical import LexicalIndex
from tests.support.catalogs import make_app, make_catalog, make_skill


def read(parameters: JsonObject) -> tuple[str, ...]:
    """Names and texts of the arguments."""
    skill = make_skill("web-search", parameters=parameters)
    return tuple(text for field in list_fields(skill, make_app("web", skill))[5:] for text in field.texts if text)


def test_arguments_behind_references_are_read() -> None:
    """A reference on the way, at the items or at an argument itself, hides nothing from the index."""
    parameters = {
        "type": "object",
        "properties": {"requests": {"$ref": "#/$defs/Requests"}},
        "$defs": {
            "Requests": {"type": "array", "items": {"$ref": "#/$defs/Request"}},
            "Request": {"type": "object", "properties": {"birthplace": {"$ref": "#/$defs/Town"}}},
            "Town": {"type": "string", "description": "Municipality", "enum": ["Ulm"]},
        },
    }
    assert read(parameters)[0] == "birthplace"
    assert read(parameters)[1].split() == ["Municipality", "Ulm"]
    catalog = make_catalog(make_app("web", make_skill("web-search", parameters=parameters), make_skill("web-read")))
    assert [hit.name for hit in LexicalIndex(catalog).rank("municipality", catalog.skills, 5)] == ["web-search"]


@pytest.mark.timeout(20)
def test_schemas_that_multiply_are_bounded() -> None:
    """A tree that refers to itself many times over is read as far as the limits go."""
    tree: Any = {"anyOf": [{"$ref": "#/$defs/t"}] * 50, "properties": {"leaf": {"type": "string"}}}
    assert 0 < len(read({"type": "object", "properties": {"a": {"$ref": "#/$defs/t"}}, "$defs": {"t": tree}})) <= MAX_SCHEMAS
