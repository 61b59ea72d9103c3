"""A skill as a main model is shown it, in OpenAI's format."""

from __future__ import annotations

from apps.sdk.catalog import SkillSpec
from apps.sdk.chat import ToolDefinition
from apps.sdk.schemas.parameters import with_request_fields


def build_definition(skill: SkillSpec, requests_per_call: int) -> ToolDefinition:
    """The definition; key order is the author's, so the same skill is the same bytes in every process."""
    return ToolDefinition(skill.tool_name, skill.description, with_request_fields(skill.parameters, limit=requests_per_call))
