"""The one composition root: from settings to running services."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import aiohttp

from apps.sdk.catalog import Catalog
from apps.sdk.loader import load_catalog
from executor.engine.local import LocalEngine
from preprocessor.availability import Override
from preprocessor.pipeline import Preprocessor
from preprocessor.retrieval.lexical import LexicalIndex
from preprocessor.settings import PreprocessSettings
from service.background import OwnedTasks
from service.http.reading import read_scope
from service.idempotency import IdempotentRoute
from service.instructions import BaseInstructions, load_instructions
from service.limits import make_limits
from service.metrics import Metrics
from service.models_in_use import ModelsInUse
from service.services import Services
from service.settings import Settings
from service.skill_contexts import SkillContexts
from service.store.database import Database
from service.store.idempotency import IdempotencyRecords
from service.store.overrides import Overrides
from service.store.skill_storage import SkillStorageStore
from service.turn import TurnRunner
from service.turn_gate import TurnGate

LEASE_MARGIN = 60.0
"""Seconds beyond the longest turn after which a crashed request's Idempotency-Key is free again."""


@asynccontextmanager
async def open_services(settings: Settings) -> AsyncIterator[Services]:
    """Everything that a server or a command needs, closed in reverse order.

    Raises `InstructionsError`, `AppsDirectoryMissing` or `StoreError` for what must be mended first.
    """
    texts = load_instructions(settings.base_instructions)
    catalog, index = await asyncio.to_thread(load_apps, settings)
    metrics = Metrics()
    count_catalog(metrics, catalog)
    models = ModelsInUse(settings, texts.offline, metrics)
    preprocessor = make_preprocessor(settings, texts, catalog, index, models)
    async with (
        await Database.open(settings.database_url) as database,
        aiohttp.ClientSession() as http,
        OwnedTasks(settings.shutdown_grace) as tasks,
    ):
        overrides = Overrides(database)
        storage = SkillStorageStore(database)
        contexts = SkillContexts(open_http=lambda: http, secrets=settings.skill_secrets, storage=storage)
        turns = TurnRunner(
            preprocessor=lambda: preprocessor,
            overrides=TenantOverrides(overrides),
            models=models,
            engine=LocalEngine(),
            make_context=contexts.make,
            limits=make_limits(settings),
            texts=texts,
            max_output_tokens=settings.max_output_tokens,
        )
        try:
            yield Services(
                settings=settings,
                catalog=lambda: catalog,
                preprocessor=lambda: preprocessor,
                turns=turns,
                overrides=overrides,
                idempotency=make_idempotency(settings, database),
                models=models,
                metrics=metrics,
                gate=TurnGate(settings.turns_parallel),
                tasks=tasks,
            )
        finally:
            await models.library.close()


class TenantOverrides:
    """The stored overrides as the expansion takes them."""

    def __init__(self, stored: Overrides) -> None:
        self._stored = stored

    async def current(self, tenant: str) -> tuple[Override, ...]:
        """Those of the tenant, as they are now."""
        return tuple(Override(item.kind, item.id, item.enabled) for item in await self._stored.list(tenant))


def load_apps(settings: Settings) -> tuple[Catalog, LexicalIndex]:
    """The catalog and its index; takes a second or two for thousands of skills. Raises `AppsDirectoryMissing`."""
    catalog = load_catalog(settings.apps_paths)
    return catalog, LexicalIndex(catalog)


def make_preprocessor(
    settings: Settings, texts: BaseInstructions, catalog: Catalog, index: LexicalIndex, models: ModelsInUse
) -> Preprocessor:
    """The stages before the main model, on one catalog."""
    return Preprocessor(
        catalog=catalog,
        retriever=index,
        texts=texts.preselection,
        settings=PreprocessSettings(
            floor=settings.preselection_floor,
            selected_max=settings.preselected_max,
            candidates=settings.preselection_candidates,
            time_limit=settings.preselection_timeout,
            resident_picks=settings.resident_picks,
            requests_per_call=settings.requests_per_call,
        ),
        secrets=settings.skill_secrets,
        model=models.preselection,
    )


def make_idempotency(settings: Settings, database: Database) -> IdempotentRoute:
    """Idempotency keys, scoped by tenant and user."""
    records = IdempotencyRecords(database, retention=timedelta(seconds=settings.idempotency_retention))
    return IdempotentRoute(records, identify=read_scope, lease=settings.turn_timeout_max + LEASE_MARGIN)


def count_catalog(metrics: Metrics, catalog: Catalog) -> None:
    """Tell the metrics what there is."""
    metrics.set_catalog(
        apps=len(catalog.apps),
        skills=len(catalog.skills),
        focus_modes=len(catalog.focus_modes),
        quarantined=len(catalog.quarantined),
    )
