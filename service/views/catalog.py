"""What the catalog, the overrides and the health checks answer with."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from apps.sdk.jsontypes import JsonObject
from service.views.view import View

FOR_AUTHORS = "null when the key has not the scope author."


class FindingView(View):
    """Something wrong with what an author wrote."""

    file: str
    line: int
    column: int
    code: str
    severity: str
    message: str
    suggestion: str | None


class QuarantinedView(View):
    """What cannot be used, and why."""

    id: str
    reason: str
    file: str
    line: int
    column: int


class AppView(View):
    """An app; `reason` says why it is off."""

    id: str
    name: str
    description: str
    enabled: bool
    reason: str | None
    skills: tuple[str, ...]
    focus_modes: tuple[str, ...]
    memories: tuple[str, ...]
    quarantined: tuple[QuarantinedView, ...] | None = Field(description=FOR_AUTHORS)
    findings: tuple[FindingView, ...] | None = Field(description=FOR_AUTHORS)
    kept: str | None = Field(
        description="For authors: why an older version than the files' runs; the findings are then the newer one's. Else null."
    )


class AppsView(View):
    """Every app, and the catalog's digest."""

    catalog: str
    apps: tuple[AppView, ...]
    findings: tuple[FindingView, ...] | None = Field(description=f"Those that belong to no app. {FOR_AUTHORS}")
    reloading: bool = Field(description="Whether changed files are loaded while the service runs.")


class SkillView(View):
    """A skill that can be called; `reason` says why it is off."""

    name: str
    app: str
    title: str
    description: str = Field(description="In the language asked for; models are always shown the app's main one.")
    hint: str
    parameters: JsonObject = Field(
        description="The author's schema: every call is checked against it, and `arguments` of POST /v1/execute are what it"
        " wants. Models are sent a copy that their family takes."
    )
    effect: Literal["read", "write"]
    idempotent: bool
    standard: bool
    internal: bool = Field(description="Not for people to choose; models may use it all the same.")
    resident: bool
    enabled: bool
    reason: str | None
    refused: str | None = Field(
        description="Why no turn can use it: its schema cannot be written for the configured models. POST /v1/execute can run it."
    )


class SkillsView(View):
    """Every skill, in catalog order."""

    catalog: str
    skills: tuple[SkillView, ...]


class FocusModeView(View):
    """A focus mode; `reason` says why it is off."""

    id: str
    app: str
    name: str
    description: str
    process: str | None = Field(description="What happens while it is active; null when its author does not say.")
    enabled: bool
    reason: str | None


class FocusModesView(View):
    """Every focus mode, in catalog order."""

    catalog: str
    focus_modes: tuple[FocusModeView, ...]


class OverrideView(View):
    """One override."""

    kind: Literal["app", "skill", "focus_mode"]
    id: str
    enabled: bool
    reason: str | None
    updated_at: str


class OverridesView(View):
    """Every override of the tenant."""

    overrides: tuple[OverrideView, ...]


class LiveView(View):
    """The process runs."""

    status: Literal["live"] = "live"


class ReadyView(View):
    """Whether turns can be taken, and what is degraded meanwhile."""

    status: Literal["ready", "degraded", "not_ready"]
    reasons: tuple[str, ...]
    models: str
    retrieval: str
    apps: int
    skills: int
    quarantined: int


class ToolsetView(View):
    """A preset that an intent may name: its skills in order, against the catalog, and what of its names is none of them."""

    name: str
    description: str
    includes: tuple[str, ...]
    skills: tuple[str, ...]
    unknown: tuple[str, ...]


class OverlayView(View):
    """A switch of an intent: the skill that it adds, and for which models a built-in stands in its place."""

    name: str
    skill: str
    known: bool = Field(description="Whether the catalog has the skill.")
    builtins: tuple[str, ...] = Field(description="Model patterns.")


class ToolsetsView(View):
    """Every toolset, `full` last, and every overlay."""

    catalog: str
    toolsets: tuple[ToolsetView, ...]
    overlays: tuple[OverlayView, ...]
