"""A skill of app.yml and the services that it needs."""

from __future__ import annotations

from types import MappingProxyType
from typing import Annotated

from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.manifest.part import (
    ICON_TEXT,
    ID_TEXT,
    SWITCH_TEXT,
    Examples,
    ManifestPart,
    NamedPart,
    Text,
    Word,
    describe_guards,
)
from apps.sdk.skill import Effect, Source

MAX_TIMEOUT = 600
"""Seconds."""
MAX_EXCLUDED = 100
"""Paths of one skill; each is walked through every result."""


def is_true(value: Json) -> bool:
    """True for `true` alone: other programs use the key too, with values of their own."""
    return value is True


class ProviderManifest(ManifestPart):
    """A service that a skill needs; a text stands for `{name: text}`."""

    model_config = ConfigDict(extra="allow")  # `reading` sees the skill's own keys only; these are checked with the skill

    OPAQUE = MappingProxyType(
        {
            "scope": "What the credential must permit, for whoever sets it up.",
            "region": "Where the provider runs, for user interfaces.",
            "api_key_vault_path": "Where a vault keeps the credential, for other services.",
        }
    )

    name: Word | None = Field(
        default=None, description="The provider's name; the credential is looked up by it, whatever the case.", examples=["Brave"]
    )
    id: Word | None = Field(default=None, description="Stands for a name that is missing.", examples=["brave"])
    display_name: Word | None = Field(
        default=None, description="Stands for a name and an id that are missing.", examples=["Brave Search"]
    )
    no_api_key: bool | None = Field(default=None, description="true: it works without a credential.", examples=[True])
    requires_api_key: bool | None = Field(default=None, description="false: it works without a credential.", examples=[False])

    @model_validator(mode="before")
    @classmethod
    def _read_text(cls, given: Json) -> Json:
        return {"name": given} if isinstance(given, str) else given


class SkillManifest(NamedPart):
    """One callable of the app."""

    OPAQUE = MappingProxyType(
        {
            "icon_image": ICON_TEXT,
            "pricing": "What a use costs, for billing.",
            "api_config": "How a public API exposes it, for gateways.",
            "suggestions_follow_up_requests": "Messages that a user interface may offer next.",
            "full_model_reference": "The model behind it, for billing.",
            "skill_config": "Settings of the skill's own code.",
        }
    )
    GUARDS = describe_guards(
        "effect", "default_enabled", "sources", "providers",
        confirm="there is no 'confirm': what changes something is marked with 'effect: write'",
    )  # fmt: skip

    id: Word = Field(description=ID_TEXT, examples=["search"])
    description: Text | None = Field(
        default=None, description="What the main model reads.", examples=["Searches the web and gives back titles and addresses."]
    )
    preprocessor_hint: Text | None = Field(
        default=None,
        description="What the shortlisting model reads: one or two sentences.",
        examples=["For questions about recent events and anything that may have changed."],
    )
    examples: Examples = Field(
        default_factory=list,
        description="Messages that should select the skill; they sharpen the ranking.",
        examples=[["who won the match last night?", "find reviews of this phone"]],
    )
    class_path: Word | None = Field(
        default=None,
        description="Import path of the class, `apps.<app>.skills.<module>.<Class>`.",
        examples=["apps.web.skills.search.SearchSkill"],
    )
    http: JsonObject | None = Field(
        default=None, description="A remote skill over HTTP.", examples=[{"url": "https://skills.example.com/search"}]
    )
    mcp: JsonObject | None = Field(
        default=None, description="A tool of an MCP server.", examples=[{"server": "files", "tool": "search"}]
    )
    tool_schema: Json = Field(
        default=None,
        description="JSON Schema of the arguments; an object schema. The entries of a `requests` array run one by one.",
        examples=[
            {
                "type": "object",
                "properties": {
                    "requests": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {"query": {"type": "string", "description": "What to look for."}},
                            "required": ["query"],
                        },
                    }
                },
                "required": ["requests"],
            }
        ],
    )
    exclude_fields_for_llm: Annotated[list[Word], Field(max_length=MAX_EXCLUDED)] = Field(
        default_factory=list,
        description="Dot paths left out of the model's copy of a result.",
        examples=[["hash", "meta_url.favicon"]],
    )
    output_example: Json = Field(
        default=None,
        description="An example result; lint checks the paths above against it.",
        examples=[[{"title": "Example", "hash": "5d41", "meta_url": {"favicon": "icon.png"}}]],
    )
    providers: list[ProviderManifest] = Field(
        default_factory=list,
        description="Services of which one must have a credential, unless one works without.",
        examples=[["Brave", {"name": "Open-Meteo", "no_api_key": True}]],
    )
    default_enabled: bool | None = Field(default=None, description=SWITCH_TEXT, examples=[False])
    standard: bool = Field(default=True, description="false: only through toolsets, picks or a profile's list.", examples=[False])
    internal: Annotated[bool, BeforeValidator(is_true)] = Field(
        default=False, description="true: not for people to choose; models may use it all the same.", examples=[True]
    )
    resident: bool = Field(default=False, description="true: always sent in full.", examples=[True])
    effect: Effect = Field(default="read", description="write when it changes something.", examples=["write"])
    idempotent: bool = Field(default=False, description="true: it may be retried.", examples=[True])
    timeout: Annotated[float, Field(gt=0, le=MAX_TIMEOUT, allow_inf_nan=False)] | None = Field(
        default=None, description="Seconds, per request.", examples=[20]
    )
    sources: Annotated[list[Source], Field(min_length=1)] | None = Field(
        default=None, description="Where it may be used; everywhere when left out.", examples=[["chat", "api"]]
    )
    follow_ups: list[Word] = Field(
        default_factory=list, description="Tool names that are promoted together with it.", examples=[["web-read"]]
    )
