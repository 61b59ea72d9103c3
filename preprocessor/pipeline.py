"""Expand, preselect, expose: the visible list of steps from a message to what a model is shown."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from apps.sdk.catalog import Catalog
from apps.sdk.chat import ChatModel, Message
from apps.sdk.schemas.dialects.profiles import COMMON, Profile
from apps.sdk.schemas.dialects.tool_schemas import ToolSchemas
from apps.sdk.skill import Source
from preprocessor.availability import Deactivation, Override
from preprocessor.expand import Expander, Expansion, ProfileSelection, make_expander
from preprocessor.exposure import Exposure, expose, find_called_skills
from preprocessor.intent import Intent
from preprocessor.preselect import Preselection, Preselector
from preprocessor.prompt import PreselectionTexts
from preprocessor.retrieval.retriever import Retriever
from preprocessor.settings import PreprocessSettings
from preprocessor.tools import find_refused
from preprocessor.toolsets import NO_TOOLSETS, Toolsets


@dataclass(frozen=True, slots=True)
class PreprocessRequest:
    """A conversation, the last message the user's, and what it wants of its tools; the skills that it called stay exposed.

    `deadline` is in seconds of `time.monotonic()`, `token_budget` what the turn may use in all.
    """

    messages: tuple[Message, ...]
    intent: Intent
    source: Source = "chat"
    profile: ProfileSelection | None = None
    overrides: tuple[Override, ...] = ()
    deactivations: tuple[Deactivation, ...] = ()
    deadline: float | None = None
    token_budget: int | None = None


@dataclass(frozen=True, slots=True)
class Prepared:
    """What came of each step."""

    expansion: Expansion
    preselection: Preselection
    exposure: Exposure


@dataclass(frozen=True, slots=True)
class Preprocessor:
    """The steps on one catalog snapshot; make a new one for a new catalog. Holds nothing of a request.

    `retriever` is built from the same catalog. `secrets` are credentials by folded provider name. `model` None: the
    ranking shortlists alone. `schemas` writes them for the main models; None = for models that nobody knows.
    `preselection_profile` is that of `model`. `main_models` are the names of all that may answer. `refused` says why, by tool
    name, of the skills that those are never sent.
    """

    catalog: Catalog
    retriever: Retriever
    texts: PreselectionTexts
    settings: PreprocessSettings = field(default_factory=PreprocessSettings)
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    model: ChatModel | None = None
    schemas: ToolSchemas | None = None
    preselection_profile: Profile = COMMON
    toolsets: Toolsets = NO_TOOLSETS
    main_models: tuple[str, ...] = ()
    refused: Mapping[str, str] = field(init=False, repr=False)
    _preselector: Preselector = field(init=False, repr=False)
    _expander: Expander = field(init=False, repr=False)

    def __post_init__(self) -> None:
        preselector = Preselector(self.catalog, self.retriever, self.texts, self.settings, self.model, self.preselection_profile)
        object.__setattr__(self, "_preselector", preselector)
        expander = make_expander(self.catalog, self.toolsets, self.secrets, self.main_models)
        object.__setattr__(self, "_expander", expander)
        schemas = self.schemas or ToolSchemas(requests_per_call=self.settings.requests_per_call)
        object.__setattr__(self, "schemas", schemas)
        object.__setattr__(self, "refused", MappingProxyType(find_refused(self.catalog, schemas)))

    async def prepare(self, request: PreprocessRequest) -> Prepared:
        expansion = self.expand(request)
        preselection = await self.preselect(request, expansion)
        exposure = self.expose(request, expansion, preselection)
        return Prepared(expansion, preselection, exposure)

    def expand(self, request: PreprocessRequest) -> Expansion:
        return self._expander.expand(
            request.intent,
            profile=request.profile,
            overrides=request.overrides,
            deactivations=request.deactivations,
            source=request.source,
        )

    async def preselect(self, request: PreprocessRequest, expansion: Expansion) -> Preselection:
        time_left = None if request.deadline is None else request.deadline - time.monotonic()
        return await self._preselector.preselect(expansion, request.messages, time_left, request.token_budget)

    def expose(self, request: PreprocessRequest, expansion: Expansion, preselection: Preselection) -> Exposure:
        called = find_called_skills(request.messages, self.catalog, expansion.available, self.settings.history_skills)
        return expose(
            self.catalog, expansion, preselection.names, called, self.settings, schemas=self.schemas, toolsets=self.toolsets
        )
