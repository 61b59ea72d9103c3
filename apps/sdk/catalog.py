"""The immutable snapshot of everything discovered.

Catalog order is apps by id, then skills as declared; it never depends on directories, load order or process.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.skill import Effect, Skill, Source

Severity: TypeAlias = Literal["error", "warning", "hint"]


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place in a file; lines and columns count from 1."""

    file: str
    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong with what an author wrote. `code` is stable, e.g. `unknown-key`."""

    position: Position
    code: str
    severity: Severity
    message: str
    suggestion: str | None = None

    def __str__(self) -> str:
        text = f"{self.position}: {self.severity}: {self.message} [{self.code}]"
        return f"{text}; {self.suggestion}" if self.suggestion else text


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
    """

    tool_name: str
    app_id: str
    skill_id: str
    name: str
    description: str
    hint: str
    parameters: JsonObject
    implementation: Skill
    content_hash: str
    position: Position
    examples: tuple[str, ...] = ()
    exclude_fields: tuple[str, ...] = ()
    output_example: Json = None
    providers: tuple[Provider, ...] = ()
    default_enabled: bool | None = None
    standard: bool = True
    resident: bool = False
    effect: Effect = "read"
    idempotent: bool = False
    timeout: float | None = None
    sources: frozenset[Source] | None = None
    follow_ups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FocusMode:
    """Named instructions that a chat can activate; `id` is `<app_id>-<mode_id>`."""

    id: str
    app_id: str
    name: str
    description: str
    hint: str
    system_prompt: str
    examples: tuple[str, ...] = ()
    default_enabled: bool | None = None
    allowed_skills: tuple[str, ...] | None = None
    denied_skills: tuple[str, ...] = ()
    allowed_apps: tuple[str, ...] | None = None
    allowed_models: tuple[str, ...] | None = None
    recommended_model: str | None = None


@dataclass(frozen=True, slots=True)
class Memory:
    """An entry that the client may be asked for; `id` is `<app_id>-<memory_id>`; `schema` describes one entry."""

    id: str
    app_id: str
    name: str
    description: str
    type: Literal["single", "list"]
    schema: JsonObject


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A skill, focus mode or app that cannot be used, and why; it is advertised nowhere."""

    id: str
    reason: str
    position: Position


@dataclass(frozen=True, slots=True)
class App:
    """One folder with an `app.yml`."""

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


@dataclass(frozen=True, slots=True, eq=False)
class Catalog:
    """Every app, with look-ups in catalog order. `digest` is the same wherever the same content was loaded."""

    apps: tuple[App, ...]
    digest: str
    findings: tuple[Finding, ...] = ()
    skills: Mapping[str, SkillSpec] = field(init=False)
    focus_modes: Mapping[str, FocusMode] = field(init=False)
    memories: Mapping[str, Memory] = field(init=False)
    by_app: Mapping[str, App] = field(init=False)

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "skills", {skill.tool_name: skill for app in self.apps for skill in app.skills})
        put(self, "focus_modes", {mode.id: mode for app in self.apps for mode in app.focus_modes})
        put(self, "memories", {memory.id: memory for app in self.apps for memory in app.memories})
        put(self, "by_app", {app.id: app for app in self.apps})

    @property
    def quarantined(self) -> tuple[Quarantined, ...]:
        return tuple(item for app in self.apps for item in app.quarantined)
