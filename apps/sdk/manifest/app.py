"""The app.yml dialect: its keys, their types and bounds, other spellings in use, and keys that are kept but never read."""

from __future__ import annotations

from types import MappingProxyType
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from apps.sdk.jsontypes import Json
from apps.sdk.manifest.part import (
    ICON_TEXT,
    ID_TEXT,
    KEY_TEXT,
    MAX_WORD,
    SWITCH_TEXT,
    Examples,
    ManifestPart,
    NamedPart,
    Text,
    TextKey,
    Word,
    describe_guards,
)
from apps.sdk.manifest.skill import ProviderManifest, SkillManifest

__all__ = [
    "MAX_WORD",
    "PARTS",
    "AppManifest",
    "FocusModeManifest",
    "InstructionManifest",
    "ManifestPart",
    "MemoryManifest",
    "ProviderManifest",
    "SkillManifest",
]


def join_steps(value: Json) -> Json:
    """A list of texts as one text with a line each; None for what is neither a text nor a list of texts."""
    steps = value if isinstance(value, list) else [value]
    return "\n".join(steps) if all(isinstance(step, str) for step in steps) else None


class InstructionManifest(ManifestPart):
    """A part of the system prompt, sent only when a skill of the app is."""

    OPAQUE = MappingProxyType({"for_embed_types": "For which embeds it is written, for user interfaces."})

    instruction: Text = Field(description="The text for the main model.", examples=["Prefer web-read when the user gives a URL."])
    categories: list[Word] = Field(
        default_factory=list, description="Only for these categories; empty: always.", examples=[["research"]]
    )


class FocusModeManifest(NamedPart):
    """Named instructions that a chat can activate."""

    ALIASES = MappingProxyType({"systemprompt": "system_prompt"})
    OPAQUE = MappingProxyType({"icon_image": ICON_TEXT, "discount": "What its use costs less, for billing."})
    GUARDS = describe_guards("default_enabled", "allowed_skills", "denied_skills", "allowed_apps", "allowed_models")
    TRANSLATED = MappingProxyType(
        {**NamedPart.TRANSLATED, "system_prompt": "systemprompt_translation_key", "process": "process_translation_key"}
    )

    id: Word = Field(description=ID_TEXT, examples=["research"])
    description: Text | None = Field(
        default=None, description="What it is for.", examples=["Looks a question up in several sources and compares them."]
    )
    preprocessor_hint: Text | None = Field(
        default=None,
        description="What the shortlisting model reads: one or two sentences.",
        examples=["The user wants a question answered from several sources."],
    )
    examples: Examples = Field(
        default_factory=list, description="Messages that should select the mode.", examples=[["compare what the papers say"]]
    )
    system_prompt: Text | None = Field(
        default=None, description="The instructions while it is active.", examples=["Name a source for every claim."]
    )
    systemprompt_translation_key: TextKey = Field(
        default=None,
        description="Where `texts/<language>.yml` has the instructions; a `system_prompt` beside it counts instead.",
        examples=["app_focus_modes.web.research.systemprompt"],
    )
    process: Annotated[Text | None, BeforeValidator(join_steps)] = Field(
        default=None, description="What happens while it is active, for people.", examples=["Asks back, searches, then compares."]
    )
    process_translation_key: TextKey = Field(
        default=None,
        description=KEY_TEXT.format("process", "process"),
        examples=["app_focus_modes.web.research.process"],
    )
    default_enabled: bool | None = Field(default=None, description=SWITCH_TEXT, examples=[False])
    allowed_skills: list[Word] | None = Field(
        default=None, description="Only these: `app-skill`, `app:skill` or `app:*`.", examples=[["web:*", "math-calculate"]]
    )
    denied_skills: list[Word] = Field(default_factory=list, description="All but these.", examples=[["web:read"]])
    allowed_apps: list[Word] | None = Field(default=None, description="Only skills of these apps.", examples=[["web"]])
    allowed_models: list[Word] | None = Field(
        default=None, description="Only with these main models.", examples=[["openai/gpt-4o"]]
    )
    recommended_model: Word | None = Field(
        default=None, description="The main model it was written for.", examples=["openai/gpt-4o"]
    )


class MemoryManifest(NamedPart):
    """An entry that the client may be asked for."""

    OPAQUE = MappingProxyType(
        {
            "icon_image": ICON_TEXT,
            "example_translation_keys": "Translation keys of examples, for user interfaces.",
            "example_entries": "Example entries, for user interfaces.",
        }
    )
    id: Word = Field(description=ID_TEXT, examples=["bookmarks"])
    description: Text | None = Field(
        default=None, description="What it holds; the shortlisting model reads it.", examples=["Pages that the user has saved."]
    )
    type: Literal["single", "list"] = Field(default="list", description="One entry, or many.", examples=["list"])
    entry_schema: Json = Field(
        default=None,
        alias="schema",
        description="JSON Schema of one entry; further keywords, such as `is_title`, are for user interfaces.",
        examples=[{"type": "object", "properties": {"title": {"type": "string", "is_title": True}}}],
    )


class AppManifest(NamedPart):
    """An app.yml."""

    ALIASES = MappingProxyType({"focuses": "focus_modes", "memory": "settings_and_memories"})
    OPAQUE = MappingProxyType(
        {
            "icon_image": ICON_TEXT,
            "category": "Where a store lists the app.",
            "last_updated": "When the app was last changed, for a store.",
            "embed_types": "How results are shown, for user interfaces.",
            "marketing_discovery": "How a store presents the app.",
            "embeds": "How results are shown, for user interfaces.",
            "provider_display_order": "In which order a user interface lists providers.",
            "model_aliases": "Short names of models, for user interfaces.",
            "expose_in_api": "Whether a public API lists the app, for gateways.",
        }
    )
    GUARDS = describe_guards("default_enabled")
    id: Word | None = Field(default=None, description="May only repeat the folder's name.", examples=["web"])
    app_id: Word | None = Field(default=None, description="May only repeat the folder's name.", examples=["web"])
    description: Text | None = Field(
        default=None, description="What the app is for.", examples=["Search the web and read pages."]
    )
    default_enabled: bool | None = Field(default=None, description=SWITCH_TEXT, examples=[False])
    instructions: list[InstructionManifest] = Field(
        default_factory=list,
        description="Parts of the system prompt, sent only when a skill of the app is.",
        examples=[[{"instruction": "Prefer web-read when the user gives a URL."}]],
    )
    skills: list[SkillManifest] = Field(
        default_factory=list,
        description="What the app can do, in the order in which it is listed.",
        examples=[[{"id": "search", "class_path": "apps.web.skills.search.SearchSkill", "tool_schema": {"type": "object"}}]],
    )
    focus_modes: list[FocusModeManifest] = Field(
        default_factory=list,
        description="Named instructions that a chat can activate.",
        examples=[[{"id": "research", "system_prompt": "Name a source for every claim."}]],
    )
    settings_and_memories: list[MemoryManifest] = Field(
        default_factory=list,
        description="Entries that the client may be asked for.",
        examples=[[{"id": "bookmarks", "type": "list", "schema": {"type": "object"}}]],
    )


PARTS: tuple[type[ManifestPart], ...] = (
    AppManifest,
    InstructionManifest,
    SkillManifest,
    ProviderManifest,
    FocusModeManifest,
    MemoryManifest,
)
