"""The app.yml dialect: its keys, their types and bounds, other spellings in use, and keys that are kept but never read.

`OPAQUE` keys belong to other readers of the same file (user interfaces, billing); `ALIASES` map another spelling to ours.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from apps.sdk.catalog import Provider
from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.skill import Effect, Source

MAX_TIMEOUT = 600
"""Seconds."""

MAX_EXAMPLES = 20
MAX_EXCLUDED = 100

Text: TypeAlias = Annotated[str, StringConstraints(strict=True, strip_whitespace=True)]
Word: TypeAlias = Annotated[str, StringConstraints(strict=True, strip_whitespace=True, min_length=1, max_length=300)]

_NO_ALIASES: Mapping[str, str] = MappingProxyType({})
_TRANSLATION_KEYS = frozenset({"name_translation_key", "description_translation_key"})


class ManifestPart(BaseModel):
    """A mapping of app.yml."""

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore", populate_by_name=False)

    ALIASES: ClassVar[Mapping[str, str]] = _NO_ALIASES
    OPAQUE: ClassVar[frozenset[str]] = frozenset()

    @classmethod
    def keys(cls) -> frozenset[str]:
        """The keys that are read, in our spelling."""
        return frozenset(field.alias or name for name, field in cls.model_fields.items())


class ProviderManifest(ManifestPart):
    """A service that a skill needs; a text stands for `{name: text}`."""

    model_config = ConfigDict(extra="allow")  # `reading` sees the skill's own keys only; these are checked with the skill

    OPAQUE = frozenset({"scope", "region", "api_key_vault_path"})

    name: Word | None = Field(default=None, description="The provider's name; the credential is looked up by it.")
    id: Word | None = None
    display_name: Word | None = None
    no_api_key: bool | None = Field(default=None, description="It works without a credential.")
    requires_api_key: bool | None = None

    @model_validator(mode="before")
    @classmethod
    def _read_text(cls, given: Json) -> Json:
        return {"name": given} if isinstance(given, str) else given

    def to_provider(self) -> Provider | None:
        name = self.name or self.id or self.display_name
        return Provider(name, no_api_key=self.no_api_key is True or self.requires_api_key is False) if name else None


class InstructionManifest(ManifestPart):
    """A part of the system prompt, sent only when a skill of the app is."""

    OPAQUE = frozenset({"for_embed_types"})

    instruction: Text = Field(description="The text for the main model.")
    categories: list[Word] = Field(default_factory=list, description="Only for these categories; empty: always.")


class SkillManifest(ManifestPart):
    """One callable of the app."""

    OPAQUE = _TRANSLATION_KEYS | frozenset(
        [
            "icon_image",
            "pricing",
            "api_config",
            "suggestions_follow_up_requests",
            "internal",
            "full_model_reference",
            "skill_config",
        ]
    )

    id: Word = Field(description="Lower-case letters, digits, underscores and hyphens.")
    name: Word | None = Field(default=None, description="What people read.")
    description: Text | None = Field(default=None, description="What the main model reads.")
    preprocessor_hint: Text | None = Field(default=None, description="What the shortlisting model reads: one or two sentences.")
    examples: Annotated[list[Word], Field(max_length=MAX_EXAMPLES)] = Field(
        default_factory=list, description="Messages that should select the skill; they sharpen the ranking."
    )
    class_path: Word | None = Field(default=None, description="Import path of the class, `apps.<app>.skills.<module>.<Class>`.")
    http: JsonObject | None = Field(default=None, description="A remote skill over HTTP.")
    mcp: JsonObject | None = Field(default=None, description="A tool of an MCP server.")
    tool_schema: Json = Field(default=None, description="JSON Schema of the arguments; an object schema.")
    exclude_fields_for_llm: Annotated[list[Word], Field(max_length=MAX_EXCLUDED)] = Field(
        default_factory=list, description="Dot paths left out of the model's copy."
    )
    output_example: Json = Field(default=None, description="An example result; lint checks the paths above against it.")
    providers: list[ProviderManifest] = Field(default_factory=list, description="Which credentials the skill needs.")
    default_enabled: bool | None = Field(default=None, description="false ships it switched off.")
    standard: bool = Field(default=True, description="Part of the standard set.")
    resident: bool = Field(default=False, description="Always sent in full.")
    effect: Effect = Field(default="read", description="write when it changes something.")
    idempotent: bool = Field(default=False, description="It may be retried.")
    timeout: Annotated[float, Field(gt=0, le=MAX_TIMEOUT, allow_inf_nan=False)] | None = Field(
        default=None, description="Seconds, per request."
    )
    sources: Annotated[list[Source], Field(min_length=1)] | None = Field(
        default=None, description="Where it may be used; everywhere when left out."
    )
    follow_ups: list[Word] = Field(default_factory=list, description="Tool names that are promoted together with it.")


class FocusModeManifest(ManifestPart):
    """Named instructions that a chat can activate."""

    ALIASES = MappingProxyType({"systemprompt": "system_prompt"})
    OPAQUE = _TRANSLATION_KEYS | frozenset(
        ["systemprompt_translation_key", "process_translation_key", "process", "icon_image", "discount"]
    )

    id: Word = Field(description="Lower-case letters, digits, underscores and hyphens.")
    name: Word | None = Field(default=None, description="What people read.")
    description: Text | None = Field(default=None, description="What it is for.")
    preprocessor_hint: Text | None = Field(default=None, description="What the shortlisting model reads.")
    examples: Annotated[list[Word], Field(max_length=MAX_EXAMPLES)] = Field(
        default_factory=list, description="Messages that should select the mode."
    )
    system_prompt: Text | None = Field(default=None, description="The instructions while it is active.")
    default_enabled: bool | None = Field(default=None, description="false ships it switched off.")
    allowed_skills: list[Word] | None = Field(default=None, description="Only these: `app-skill`, `app:skill` or `app:*`.")
    denied_skills: list[Word] = Field(default_factory=list, description="All but these.")
    allowed_apps: list[Word] | None = Field(default=None, description="Only skills of these apps.")
    allowed_models: list[Word] | None = Field(default=None, description="Only with these main models.")
    recommended_model: Word | None = Field(default=None, description="The main model it was written for.")


class MemoryManifest(ManifestPart):
    """An entry that the client may be asked for."""

    OPAQUE = _TRANSLATION_KEYS | frozenset(["icon_image", "example_translation_keys", "example_entries"])

    id: Word = Field(description="Lower-case letters, digits, underscores and hyphens.")
    name: Word | None = Field(default=None, description="What people read.")
    description: Text | None = Field(default=None, description="What it holds.")
    type: Literal["single", "list"] = Field(default="list", description="One entry, or many.")
    entry_schema: Json = Field(default=None, alias="schema", description="JSON Schema of one entry.")


class AppManifest(ManifestPart):
    """An app.yml."""

    ALIASES = MappingProxyType({"focuses": "focus_modes", "memory": "settings_and_memories"})
    OPAQUE = _TRANSLATION_KEYS | frozenset(
        {
            "icon_image",
            "category",
            "last_updated",
            "embed_types",
            "marketing_discovery",
            "embeds",
            "provider_display_order",
            "model_aliases",
            "expose_in_api",
        }
    )

    id: Word | None = Field(default=None, description="May only repeat the folder's name.")
    app_id: Word | None = Field(default=None, description="May only repeat the folder's name.")
    name: Word | None = Field(default=None, description="What people read.")
    description: Text | None = Field(default=None, description="What the app is for.")
    default_enabled: bool | None = Field(default=None, description="false ships it switched off.")
    instructions: list[InstructionManifest] = Field(default_factory=list)
    skills: list[SkillManifest] = Field(default_factory=list)
    focus_modes: list[FocusModeManifest] = Field(default_factory=list)
    settings_and_memories: list[MemoryManifest] = Field(default_factory=list)


PARTS: tuple[type[ManifestPart], ...] = (
    AppManifest,
    InstructionManifest,
    SkillManifest,
    ProviderManifest,
    FocusModeManifest,
    MemoryManifest,
)


def app_schema() -> JsonObject:
    """The JSON Schema (draft-07) of an app.yml, for editors: every spelling in use is known, everything else is not."""
    schema = AppManifest.model_json_schema(ref_template="#/definitions/{model}")
    definitions: JsonObject = schema.pop("$defs")
    for part in PARTS:
        _open_spellings(definitions.get(part.__name__, schema), part)
    provider = definitions["ProviderManifest"]
    definitions["ProviderManifest"] = {"anyOf": [{"type": "string", "minLength": 1}, provider]}
    return {"$schema": "http://json-schema.org/draft-07/schema#", **schema, "definitions": definitions}


def render_app_schema() -> str:
    """The text of app.schema.json."""
    return json.dumps(app_schema(), indent=2, ensure_ascii=False) + "\n"


def _open_spellings(schema: JsonObject, part: type[ManifestPart]) -> None:
    properties = schema["properties"]
    for name, value in list(properties.items()):
        if name not in schema.get("required", ()) and "type" in value:
            properties[name] = {key: value[key] for key in value if key != "type"} | {"type": [value["type"], "null"]}
            if "enum" in value:
                properties[name]["enum"] = [*value["enum"], None]
    properties |= {alias: properties[name] for alias, name in part.ALIASES.items()}
    properties |= dict.fromkeys(sorted(part.OPAQUE), True)
    schema |= {"additionalProperties": False, "patternProperties": {"^x-": True}}
