"""The immutable snapshot of everything discovered.

Catalog order is apps by id, then skills as declared; it never depends on directories, load order or process.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Literal, TypeAlias

from apps.sdk.findings import Finding, Position
from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.languages import widen
from apps.sdk.names import fold_name
from apps.sdk.skill import Effect, Skill, Source

MAX_HINT = 300
"""Characters of a hint that the shortlisting model is shown; a longer one would argue for itself at the others' cost."""


LocalTexts: TypeAlias = Mapping[str, Mapping[str, str]]
"""Texts for people in other languages than the main one, by lower-case language tag, then by the name of the field."""

NO_TRANSLATIONS: LocalTexts = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Provider:
    """A service that a skill needs a credential for, unless `no_api_key`."""

    name: str
    no_api_key: bool = False


@dataclass(frozen=True, slots=True)
class Instruction:
    """A part of the system prompt, sent only when a skill of its app is. `categories` empty = always."""

    text: str
    categories: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SkillSpec:
    """One skill that can run. `parameters` is the author's own schema: what arguments are validated against.

    `content_hash` covers everything a model is shown and everything that decides how a call runs. `timeout` is in seconds,
    None = the service's default. `sources` None = everywhere.
    `implementation` is the author's object, which may do anything when it is compared or printed, so that it is left out of both.
    """

    tool_name: str
    app_id: str
    skill_id: str
    name: str
    description: str
    hint: str
    parameters: JsonObject
    implementation: Skill = field(compare=False, repr=False)
    content_hash: str
    position: Position
    examples: tuple[str, ...] = ()
    exclude_fields: tuple[str, ...] = ()
    output_example: Json = None
    providers: tuple[Provider, ...] = ()
    default_enabled: bool | None = None
    standard: bool = True
    internal: bool = False
    resident: bool = False
    effect: Effect = "read"
    idempotent: bool = False
    timeout: float | None = None
    sources: frozenset[Source] | None = None
    follow_ups: tuple[str, ...] = ()
    translations: LocalTexts = field(default_factory=lambda: NO_TRANSLATIONS, hash=False)

    def choose_secrets(self, secrets: Mapping[str, str]) -> dict[str, str]:
        """Those of `secrets`, by folded provider name, that the skill may see: its own declared providers'."""
        names = dict.fromkeys(fold_name(provider.name) for provider in self.providers)
        return {name: secrets[name] for name in names if name in secrets}


@dataclass(frozen=True, slots=True)
class FocusMode:
    """Named instructions that a chat can activate; `id` is `<app_id>-<mode_id>`; `process` tells people what happens."""

    id: str
    app_id: str
    name: str
    description: str
    hint: str
    system_prompt: str
    process: str | None = None
    examples: tuple[str, ...] = ()
    default_enabled: bool | None = None
    allowed_skills: tuple[str, ...] | None = None
    denied_skills: tuple[str, ...] = ()
    allowed_apps: tuple[str, ...] | None = None
    allowed_models: tuple[str, ...] | None = None
    recommended_model: str | None = None
    translations: LocalTexts = field(default_factory=lambda: NO_TRANSLATIONS, hash=False)


@dataclass(frozen=True, slots=True)
class Memory:
    """An entry that the client may be asked for; `id` is `<app_id>-<memory_id>`; `schema` describes one entry."""

    id: str
    app_id: str
    name: str
    description: str
    type: Literal["single", "list"]
    schema: JsonObject
    translations: LocalTexts = field(default_factory=lambda: NO_TRANSLATIONS, hash=False)


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A skill, focus mode or app that cannot be used, and why; it is advertised nowhere."""

    id: str
    reason: str
    position: Position


@dataclass(frozen=True, slots=True)
class Kept:
    """Why an app runs an older version than that of its files, and what was found in the version that runs."""

    reason: str
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class App:
    """One folder with an `app.yml`; `kept` when it is an older version of it, whose `findings` are then the newer one's."""

    id: str
    name: str
    description: str
    path: Path
    default_enabled: bool | None = None
    instructions: tuple[Instruction, ...] = ()
    skills: tuple[SkillSpec, ...] = ()
    focus_modes: tuple[FocusMode, ...] = ()
    memories: tuple[Memory, ...] = ()
    quarantined: tuple[Quarantined, ...] = ()
    findings: tuple[Finding, ...] = ()
    kept: Kept | None = None
    translations: LocalTexts = field(default_factory=lambda: NO_TRANSLATIONS, hash=False)


def choose_text(item: App | SkillSpec | FocusMode | Memory, name: str, language: str | None) -> Json:
    """The text of the field `name` for people who read `language`: of that tag, else of a wider one, else the main text.

    Models are always shown the main text, which is the field itself.
    """
    found = (item.translations.get(tag, {}).get(name) for tag in widen(language or ""))
    own: Json = getattr(item, name)
    return next(filter(None, found), own)


@dataclass(frozen=True, slots=True, eq=False)
class Catalog:
    """Every app, with look-ups in catalog order. `digest` is the same wherever the same content was loaded.

    `findings` holds those of severity `extra` too, which only `lint --strict` shows.
    `known_names` are the skills' tool names, those of quarantined ones too.
    """

    apps: tuple[App, ...]
    digest: str
    findings: tuple[Finding, ...] = ()
    skills: Mapping[str, SkillSpec] = field(init=False)
    focus_modes: Mapping[str, FocusMode] = field(init=False)
    memories: Mapping[str, Memory] = field(init=False)
    by_app: Mapping[str, App] = field(init=False)
    known_names: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        tables: dict[str, dict[str, SkillSpec | FocusMode | Memory | App]] = {
            "skills": {skill.tool_name: skill for app in self.apps for skill in app.skills},
            "focus_modes": {mode.id: mode for app in self.apps for mode in app.focus_modes},
            "memories": {memory.id: memory for app in self.apps for memory in app.memories},
            "by_app": {app.id: app for app in self.apps},
        }
        for name, table in tables.items():
            object.__setattr__(self, name, MappingProxyType(table))
        object.__setattr__(self, "known_names", frozenset((*self.skills, *(item.id for item in self.quarantined))))

    def why_quarantined(self, name: str) -> str | None:
        """Why a skill, focus mode or app of that id is set aside, and where; None when none is."""
        return next((f"it is set aside: {item.position}: {item.reason}" for item in self.quarantined if item.id == name), None)

    @property
    def quarantined(self) -> tuple[Quarantined, ...]:
        return tuple(item for app in self.apps for item in app.quarantined)
