"""The stages before the main model, each on its own: on one snapshot of the catalog, with the tenant's overrides."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol

from apps.sdk.catalog import Catalog
from apps.sdk.chat import Message
from apps.sdk.contract import Contract, make_contract
from preprocessor.availability import Deactivation, Override
from preprocessor.expand import Expansion
from preprocessor.intent import Intent
from preprocessor.pipeline import Prepared, PreprocessRequest
from service.apps_in_use import AppsInUse
from service.store.conversations import Owner
from service.turns.errors import DeadlinePassed
from service.turns.request import Caller, TurnLimits


class OverrideSource(Protocol):
    """The administrators' overrides of a tenant."""

    async def current(self, tenant: str) -> tuple[Override, ...]: ...


class DeactivationSource(Protocol):
    """What users have switched off for themselves."""

    async def current(self, owner: Owner) -> tuple[Deactivation, ...]: ...


class Preparation:
    """Asks for the current preprocessor once per call, so that one call never sees two catalogs.

    `load_models` returns once models can be asked: the time of that is the turn's, not the cheap model's.
    """

    def __init__(
        self,
        apps: AppsInUse,
        overrides: OverrideSource,
        deactivations: DeactivationSource,
        load_models: Callable[[], Awaitable[None]],
    ) -> None:
        self._apps = apps
        self._overrides = overrides
        self._deactivations = deactivations
        self._load_models = load_models

    async def expand(self, caller: Caller, intent: Intent) -> Expansion:
        """The first stage alone."""
        return self._apps.preprocessor.expand(await self._request(caller, intent))

    async def prepare(self, caller: Caller, intent: Intent, messages: tuple[Message, ...], limits: TurnLimits) -> Prepared:
        """Expand, preselect, expose. Raises `DeadlinePassed` when the models cannot be asked in time."""
        try:
            async with asyncio.timeout(limits.time_left) as timer:
                await self._load_models()
        except TimeoutError:
            if not timer.expired():
                raise
            raise DeadlinePassed(limits.timeout) from None
        request = await self._request(caller, intent, messages, limits)
        return await self._apps.preprocessor.prepare(request)

    async def make_contract(self, caller: Caller, intent: Intent) -> tuple[Contract, Expansion, Catalog]:
        """What may be called outside a conversation, everything that is available, with the snapshot that says so."""
        request = await self._request(caller, intent)
        preprocessor = self._apps.preprocessor
        expansion = preprocessor.expand(request)
        return make_contract(preprocessor.catalog, expansion.available), expansion, preprocessor.catalog

    async def _request(
        self, caller: Caller, intent: Intent, messages: tuple[Message, ...] = (), limits: TurnLimits | None = None
    ) -> PreprocessRequest:
        return PreprocessRequest(
            messages=messages,
            intent=intent,
            source=caller.source,
            overrides=await self._overrides.current(caller.tenant),
            deactivations=await self._deactivations.current(Owner(caller.tenant, caller.user)),
            deadline=limits.deadline if limits else None,
            token_budget=limits.token_budget if limits else None,
        )
