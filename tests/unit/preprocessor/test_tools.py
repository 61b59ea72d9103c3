"""A skill as a main model is shown it."""

from __future__ import annotations

from apps.sdk.chat import ToolDefinition
from apps.sdk.schemas.dialects.profiles import LOCAL
from apps.sdk.schemas.dialects.tool_schemas import ToolSchemas
from preprocessor.tools import build_definition
from tests.support.catalogs import make_skill


def test_a_definition_is_the_skills_own() -> None:
    """The schema gets an `id` and a limit; the catalog's copy stays as the author wrote it."""
    skill = make_skill("web-search", description="Finds pages.", arguments={"query": {"type": "string"}})
    definition = build_definition(skill, ToolSchemas(LOCAL, 5))
    assert isinstance(definition, ToolDefinition)
    requests = definition.parameters["properties"]["requests"]
    assert (definition.name, definition.description) == ("web-search", "Finds pages.")
    assert (requests["maxItems"], set(requests["items"]["properties"])) == (5, {"id", "query"})
    assert "maxItems" not in skill.parameters["properties"]["requests"]


def test_what_is_sent_is_openais_format() -> None:
    """On the wire it is a function with name, description and parameters."""
    definition = build_definition(make_skill("web-search", parameters={"type": "object", "properties": {}}), ToolSchemas())
    assert isinstance(definition, ToolDefinition)
    wire = definition.to_wire()
    function = {"name": "web-search", "description": "Does search.", "parameters": {"type": "object", "properties": {}}}
    assert wire == {"type": "function", "function": function}
