"""A skill as a main model is shown it, in OpenAI's format, and the skills that none can be shown."""

from __future__ import annotations

from apps.sdk.catalog import Catalog, SkillSpec
from apps.sdk.chat import ToolDefinition
from apps.sdk.schemas.dialects.records import Refused
from apps.sdk.schemas.dialects.tool_schemas import ToolSchemas
from apps.sdk.truncation import shorten


def build_definition(skill: SkillSpec, schemas: ToolSchemas) -> ToolDefinition | Refused:
    """The definition for the models' family, the same bytes in every process, or why there is none.

    What the schema's root says in words stands in the function's description, which every model reads.
    """
    adapted = schemas.find(skill)
    if isinstance(adapted, Refused):
        return adapted
    root = adapted.description if adapted.description != skill.description else ""
    description = f"{skill.description}\n{root}" if root else skill.description
    shown = shorten(description, schemas.profile.max_tool_description)
    return ToolDefinition(skill.tool_name, shown, adapted.schema, strict=schemas.profile.all_required)


def find_refused(catalog: Catalog, schemas: ToolSchemas) -> dict[str, str]:
    """The skills, by tool name, whose schemas cannot be written for the models' family, and why. Half a millisecond a skill."""
    found = ((name, schemas.find(skill)) for name, skill in catalog.skills.items())
    return {name: adapted.reason for name, adapted in found if isinstance(adapted, Refused)}
