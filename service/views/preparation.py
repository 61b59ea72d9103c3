"""The stages before the main model, as callers and event streams are told."""

from __future__ import annotations

from pydantic import Field

from apps.sdk.chat import Usage
from apps.sdk.jsontypes import JsonObject
from apps.sdk.tokens import estimate_definition
from preprocessor.expand import Expansion
from preprocessor.exposure import Exposure
from preprocessor.pipeline import Prepared
from preprocessor.preselect import Preselection
from preprocessor.selection import PatternKey
from service.views.view import View

OFFLINE_PRESELECTION = "ranking (offline stand-in for the cheap model)"
"""How the ranking names itself when no model is configured."""
NOTHING_TO_DECIDE = "nobody: nothing is available"
"""Said where the intent leaves no skill."""


class DroppedView(View):
    """A skill that is not available: why, in a word and in words."""

    name: str
    code: str
    reason: str


class RejectedView(View):
    """Something that the cheap model wrote and that was not taken."""

    name: str
    reason: str


class MatchedView(View):
    """What each pattern of an intent matched in the catalog; of `picks` the globs alone are told."""

    picks: dict[str, tuple[str, ...]]
    allowed: dict[str, tuple[str, ...]]
    disabled: dict[str, tuple[str, ...]]


class ExpansionView(View):
    """The names available for an intent, in order, and why each other one is not."""

    available: tuple[str, ...]
    picks: tuple[str, ...] = Field(description="Those that were picked one by one; they are sent in full.")
    overlays: tuple[str, ...] = Field(description="Those that a switch like `web_search` added; they are sent in full.")
    dropped: tuple[DroppedView, ...]
    unknown: tuple[str, ...] = Field(description="Picks that are no skills.")
    missing_standard: tuple[str, ...] = Field(description="What picks of nearly the whole standard set leave out of it.")
    warnings: tuple[str, ...]
    matched: MatchedView
    focus_modes: tuple[str, ...]
    memories: tuple[str, ...]


class SelectedView(View):
    """A preselected skill: who wanted it, and its ranking score between 0 and 1."""

    name: str
    sources: tuple[str, ...]
    score: float


class RepairedView(View):
    """A name that the model wrote differently."""

    written: str
    name: str


class UsageView(View):
    """Tokens as the providers counted them; zero where none did."""

    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int


class PreselectionView(View):
    """What was shortlisted for the message, by whom. `degraded` names why the cheap model had no say."""

    decided_by: str
    degraded: str | None
    considered: int
    skills: tuple[SelectedView, ...]
    focus_modes: tuple[str, ...]
    memories: tuple[str, ...]
    needs: tuple[str, ...]
    extra: JsonObject = Field(description="The extra fields that base_instructions.yml declares.")
    dropped: tuple[RejectedView, ...]
    repaired: tuple[RepairedView, ...]
    model: str | None
    prompt_tokens_estimated: int
    usage: UsageView


class SentToolView(View):
    """A tool that is sent in full: why, and what it costs by the documented estimate."""

    name: str
    source: str
    tokens: int


class ExposureView(View):
    """What the main model is sent: the tools in OpenAI format, as the models' family takes them, and the apps' instructions.

    `refused` has the reasons of skills that would be sent, but whose schema that family cannot be sent.
    """

    sent: tuple[SentToolView, ...]
    tools: tuple[JsonObject, ...]
    refused: dict[str, str]
    instructions: tuple[str, ...]
    tokens: int


class PreprocessView(View):
    """The three stages before the main model."""

    expansion: ExpansionView
    preselection: PreselectionView
    exposure: ExposureView


def describe_preparation(prepared: Prepared) -> PreprocessView:
    """All three stages."""
    return PreprocessView(
        expansion=describe_expansion(prepared.expansion),
        preselection=describe_preselection(prepared.preselection),
        exposure=describe_exposure(prepared.exposure),
    )


def describe_expansion(expansion: Expansion) -> ExpansionView:
    """What is available, and why the rest is not."""
    return ExpansionView(
        available=expansion.available,
        picks=expansion.picks,
        overlays=expansion.overlays,
        dropped=tuple(DroppedView(name=drop.name, code=drop.code, reason=drop.reason) for drop in expansion.dropped),
        unknown=expansion.unknown,
        missing_standard=expansion.missing_standard,
        warnings=expansion.warnings,
        matched=_describe_matches(expansion),
        focus_modes=expansion.focus_modes,
        memories=expansion.memories,
    )


def _describe_matches(expansion: Expansion) -> MatchedView:
    matched: dict[PatternKey, dict[str, tuple[str, ...]]] = {"picks": {}, "allowed": {}, "disabled": {}}
    for match in expansion.matches:
        matched[match.key][match.pattern] = match.names
    return MatchedView(**matched)


def describe_preselection(preselection: Preselection) -> PreselectionView:
    """What was shortlisted."""
    return PreselectionView(
        decided_by=_name_decider(preselection),
        degraded=preselection.degraded,
        considered=preselection.considered,
        skills=tuple(SelectedView(name=item.name, sources=item.sources, score=item.score) for item in preselection.skills),
        focus_modes=preselection.focus_modes,
        memories=preselection.memories,
        needs=preselection.needs,
        extra=preselection.extra,
        dropped=tuple(RejectedView(name=item.name, reason=item.reason) for item in preselection.dropped),
        repaired=tuple(RepairedView(written=written, name=name) for written, name in preselection.repaired),
        model=preselection.model,
        prompt_tokens_estimated=preselection.prompt_tokens,
        usage=describe_usage(preselection.usage),
    )


def _name_decider(preselection: Preselection) -> str:
    if preselection.model:
        return preselection.decided_by
    return OFFLINE_PRESELECTION if preselection.considered else NOTHING_TO_DECIDE


def describe_exposure(exposure: Exposure) -> ExposureView:
    """What is sent."""
    sent = tuple(
        SentToolView(name=tool.name, source=exposure.sources[tool.name], tokens=estimate_definition(tool))
        for tool in exposure.tools
    )
    return ExposureView(
        sent=sent,
        tools=tuple(tool.to_wire() for tool in exposure.tools),
        refused=dict(exposure.refused),
        instructions=exposure.instructions,
        tokens=sum(tool.tokens for tool in sent),
    )


def describe_usage(usage: Usage) -> UsageView:
    """Token counts."""
    return UsageView(
        prompt_tokens=usage.prompt_tokens, completion_tokens=usage.completion_tokens, cached_tokens=usage.cached_tokens
    )
