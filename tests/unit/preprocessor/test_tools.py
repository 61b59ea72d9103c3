"""A skill as a main model is shown it, and the skills that it cannot be shown."""

from __future__ import annotations

from apps.sdk.chat import ToolDefinition
from apps.sdk.schemas.dialects.profiles import COMMON, GEMINI, LOCAL
from apps.sdk.schemas.dialects.tool_schemas import ToolSchemas
from preprocessor.tools import build_definition, find_refused
from tests.support.catalogs import make_app, make_catalog, make_skill


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


VAST = make_skill("web-vast", arguments={"size": {"enum": [f"{'long ' * 40}{number}" for number in range(700)]}})


def test_what_a_family_cannot_be_sent_is_known_with_its_reason() -> None:
    """By the configured family, not by another; what is fine is not named."""
    catalog = make_catalog(make_app("web", VAST, make_skill("web-search")))
    [(name, reason)] = find_refused(catalog, ToolSchemas(GEMINI)).items()
    assert name == "web-vast"
    assert reason.endswith("at most 120,000 can be sent")
    assert find_refused(catalog, ToolSchemas(COMMON)) == {}
