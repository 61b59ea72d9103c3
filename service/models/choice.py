"""The models that the settings name, or the offline stand-ins where they name none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import structlog

from apps.sdk.chat import ChatModel, ModelError
from apps.sdk.contract import Contract
from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.schemas.dialects.families import choose_profile
from service.metrics import Metrics
from service.models.fallbacks import ResilientModel
from service.models.history import limit_prompt
from service.models.llm import LiteLLM, ModelSpec
from service.models.main_model import MainModel
from service.models.offline import OFFLINE_NAME, OfflineModel, OfflineTexts
from service.settings import Settings


class ModelsInUse:
    """Which model answers what. `library` is loaded after the service listens; whoever needs it before waits."""

    def __init__(self, settings: Settings, texts: OfflineTexts, metrics: Metrics) -> None:
        self._settings = settings
        self._texts = texts
        self._observer = FailedAttempts(metrics)
        self.library = LiteLLM()
        self.problem: str | None = None
        self.preselection = self._make_preselection_model()
        self._main = self._make_main_model(settings.main_models)
        self._by_field = {
            (field, value): self._make_main_model(names)
            for field, rules in settings.model_rules.items()
            for value, names in rules.items()
        }

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.library.close()

    def choose(self, extra: JsonObject, contract: Contract) -> MainModel:
        """The main model: by the first rule that fits what the preselection found out, else the usual one."""
        for (field, value), model in self._by_field.items():
            if model is not None and str(extra.get(field)) == value:
                return self._describe(model)
        if self._main is not None:
            return self._describe(self._main)
        return MainModel(OfflineModel(lambda name, text: propose(contract, name, text), self._texts))

    @property
    def description(self) -> str:
        """What answers, for readiness and `doctor`."""
        main = ", ".join(self._settings.main_models) or OFFLINE_NAME
        return f"main: {main}; preselection: {self._settings.preselection_model or 'ranking (offline stand-in)'}"

    @property
    def ready(self) -> bool:
        """Whether a turn need not wait for the library."""
        return self.library.loaded or not self._settings.uses_models

    async def load(self) -> None:
        """Load the library if any model needs it, once; when that fails it is logged and kept in `problem`."""
        if self.ready or self.problem:
            return
        log = structlog.get_logger(__name__)
        log.info("loading_litellm", takes="a few seconds")
        try:
            await self.library.load()
        except Exception as error:
            self.problem = f"litellm cannot be loaded ({type(error).__name__})"
            log.exception("litellm_cannot_be_loaded")
        else:
            log.info("litellm_loaded")

    def _make_preselection_model(self) -> ChatModel | None:
        name = self._settings.preselection_model
        if name is None:
            return None
        limit = self._settings.preselection_timeout
        return self._make_resilient(
            (name,), timeout=limit, attempt_timeout=min(limit, self._settings.preselection_attempt_timeout)
        )

    def _describe(self, model: ResilientModel) -> MainModel:
        """With the limit of the smallest window, since any of them may have to answer."""
        settings = self._settings
        known = filter(None, map(self.library.find_window, model.names))
        window = settings.context_window or min(known, default=None)
        return MainModel(model, None if window is None else limit_prompt(window, settings.max_output_tokens))

    def _make_main_model(self, names: Sequence[str]) -> ResilientModel | None:
        limit = self._settings.turn_timeout_max
        return self._make_resilient(names, timeout=limit, attempt_timeout=self._settings.model_timeout) if names else None

    def _make_resilient(self, names: Sequence[str], *, timeout: float, attempt_timeout: float) -> ResilientModel:
        settings = self._settings
        key = settings.model_api_key.get_secret_value() if settings.model_api_key else None
        specs = [
            ModelSpec(
                name,
                settings.model_api_base,
                key,
                attempt_timeout,
                settings.max_output_tokens,
                family=choose_profile((name,), for_all=settings.schema_profile, by_model=settings.schema_profiles),
            )
            for name in names
        ]
        models = [self.library.model(spec) for spec in specs]
        return ResilientModel(models, timeout=timeout, observer=self._observer, attempts=settings.model_attempts)


class FailedAttempts:
    """Counts and logs each try at a model that failed."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def attempt_failed(self, model: str, error: ModelError) -> None:
        """One try failed; another may follow."""
        self._metrics.count_failed_attempt(model, error.code)
        structlog.get_logger(__name__).warning("model_attempt_failed", model=model, code=error.code)


def propose(contract: Contract, name: str, text: str) -> Json | None:
    """The request that the skill reads out of the text, as JSON, or None."""
    skill = contract.skills.get(name)
    found = None if skill is None else skill.implementation.from_message(text)
    dump = getattr(found, "model_dump", None)
    return found if dump is None else dump(mode="json", exclude_none=True)
