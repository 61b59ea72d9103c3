"""The one composition root: from settings to running services."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from datetime import timedelta
from functools import partial

from apps.sdk.catalog import Catalog
from apps.sdk.loader import load_catalog
from apps.sdk.loading.file_stamps import Stamp
from apps.sdk.schemas.dialects.tool_schemas import ToolSchemas
from executor.engine.local import LocalEngine
from preprocessor.pipeline import Preprocessor
from preprocessor.retrieval.lexical import LexicalIndex
from preprocessor.settings import PreprocessSettings
from preprocessor.toolsets import Toolsets
from service.access.keyring import Keyring
from service.apps_in_use import AppsInUse
from service.background import OwnedTasks
from service.conversations.abandoned_turns import AbandonedTurns
from service.conversations.conversation_turns import ConversationTurns
from service.conversations.event_feed import EventFeed
from service.conversations.event_writer import EventWriter
from service.conversations.retention import Retention
from service.http.idempotency import IdempotentRoute
from service.http.reading import read_scope
from service.instructions import BaseInstructions, check_rules, load_instructions
from service.metrics import Metrics
from service.models.choice import ModelsInUse
from service.reloading.reloader import Reloader
from service.reloading.stamps import stamp_apps
from service.services import Services
from service.settings import Settings
from service.store.api_keys import ApiKeys
from service.store.conversations import Conversations
from service.store.database import Database
from service.store.deactivations import Deactivations
from service.store.erasure import erase_user
from service.store.idempotency import IdempotencyRecords
from service.store.overrides import Overrides
from service.store.skill_storage import SkillStorageStore
from service.store.turn_records import TurnRecords
from service.store_check import StoreCheck
from service.toolsets_file import load_toolsets
from service.turns.call_runner import CallRunner
from service.turns.gate import TurnGate
from service.turns.limits import make_limits
from service.turns.preparation import Preparation
from service.turns.skill_contexts import SkillContexts
from service.turns.skill_http import SkillHttp
from service.turns.tenant_overrides import TenantOverrides
from service.turns.turn import TurnRunner
from service.turns.user_deactivations import UserDeactivations


@asynccontextmanager
async def open_services(settings: Settings) -> AsyncIterator[Services]:
    """Everything that a server or a command needs, closed in reverse order.

    Raises `ConfigError`, `SettingsMismatch`, `AppsDirectoryMissing` or `StoreError` for what must be mended first.
    """
    texts = load_instructions(settings.base_instructions)
    check_rules(settings, texts)
    toolsets = load_toolsets(settings.toolsets)
    seen = stamp_apps(settings.apps_paths) if settings.reload else None
    catalog, index = await asyncio.to_thread(load_apps, settings)
    metrics = Metrics()
    models = ModelsInUse(settings, texts.offline, metrics)
    apps = AppsInUse(make_preprocessor(settings, texts, catalog, index, models, toolsets=toolsets), metrics)
    async with (
        await Database.open(settings.database_url, patience=settings.database_timeout) as database,
        models,
        aclosing(SkillHttp(settings.egress_rules)) as http,
        OwnedTasks(settings.shutdown_grace) as tasks,
    ):
        overrides = Overrides(database)
        tenant_overrides = TenantOverrides(overrides, max_age=settings.overrides_max_age)
        storage = SkillStorageStore(database)
        contexts = SkillContexts(open_http=http.open, secrets=settings.skill_secrets, storage=storage)
        deactivations = UserDeactivations(Deactivations(database), max_age=settings.overrides_max_age)
        preparation = Preparation(apps, tenant_overrides, deactivations, models.load)
        calls = CallRunner(
            LocalEngine(threads=settings.skill_threads, threads_per_skill=settings.skill_threads_each),
            make_limits(settings),
            contexts.make,
        )
        turns = TurnRunner(preparation, calls, models, texts)
        conversations, records = Conversations(database), TurnRecords(database)
        feed = EventFeed(records, poll=settings.event_poll, most=settings.event_streams)
        writer = EventWriter(records, feed.wake)
        tasks.keep(writer.run())
        yield Services(
            settings=settings,
            apps=apps,
            preparation=preparation,
            calls=calls,
            turns=turns,
            conversations=conversations,
            conversation_turns=ConversationTurns(
                records,
                writer,
                turns,
                lease=settings.conversation_lease,
                history=settings.conversation_messages,
                room=settings.conversation_characters,
            ),
            turn_records=records,
            event_feed=feed,
            abandoned_turns=AbandonedTurns(records, feed.wake, lease=settings.conversation_lease),
            deactivations=deactivations,
            erase_user=partial(erase_user, database),
            retention=make_retention(settings, database),
            overrides=tenant_overrides,
            keyring=Keyring(settings.fixed_keys, ApiKeys(database), max_age=settings.api_keys_max_age),
            idempotency=make_idempotency(settings, database),
            models=models,
            metrics=metrics,
            gate=TurnGate(settings.turns_parallel, per_tenant=settings.turns_parallel_per_tenant or settings.turns_parallel),
            tasks=tasks,
            check_store=StoreCheck(database, tasks).works,
            reloader=make_reloader(settings, apps, metrics, seen) if seen is not None else None,
        )


def load_apps(settings: Settings) -> tuple[Catalog, LexicalIndex]:
    """The catalog and its index; takes a second or two for thousands of skills. Raises `AppsDirectoryMissing`."""
    catalog = load_catalog(settings.apps_paths)
    return catalog, LexicalIndex(catalog)


def make_preprocessor(
    settings: Settings,
    texts: BaseInstructions,
    catalog: Catalog,
    index: LexicalIndex,
    models: ModelsInUse,
    *,
    toolsets: Toolsets,
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
            history_messages=settings.preselection_messages,
            max_output_tokens=settings.preselection_output_tokens,
            resident_picks=settings.resident_picks,
            history_skills=settings.history_skills,
            tools_max=settings.tools_max,
            requests_per_call=settings.requests_per_call,
        ),
        secrets=settings.skill_secrets,
        model=models.preselection,
        schemas=ToolSchemas(settings.profile, settings.requests_per_call),
        preselection_profile=settings.preselection_profile,
        toolsets=toolsets,
        main_models=settings.main_model_names,
    )


def make_idempotency(settings: Settings, database: Database) -> IdempotentRoute:
    """Idempotency keys, scoped by tenant and user."""
    records = IdempotencyRecords(database, retention=timedelta(seconds=settings.idempotency_retention))
    return IdempotentRoute(records, identify=read_scope, lease=settings.turn_timeout_max)


def make_retention(settings: Settings, database: Database) -> Retention:
    """How long conversations and their events stay."""
    unused = settings.conversation_retention
    return Retention(
        Conversations(database),
        TurnRecords(database),
        database.empty_log,
        unused=None if unused is None else timedelta(seconds=unused),
        events=timedelta(seconds=settings.event_retention),
    )


def make_reloader(settings: Settings, apps: AppsInUse, metrics: Metrics, seen: Stamp) -> Reloader:
    """Hot reload of `apps`; whoever serves runs it. `seen` is the stamp from before they were loaded."""
    return Reloader(apps, settings.apps_paths, metrics, seen=seen, time_limit=settings.reload_timeout)
