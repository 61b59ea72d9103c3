"""What the handlers and commands work with; `wiring` makes it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from aiohttp import web

from service.access.keyring import Keyring
from service.apps_in_use import AppsInUse
from service.background import OwnedTasks
from service.conversations.abandoned_turns import AbandonedTurns
from service.conversations.conversation_turns import ConversationTurns
from service.conversations.event_feed import EventFeed
from service.conversations.retention import Retention
from service.http.idempotency import IdempotentRoute
from service.metrics import Metrics
from service.models.choice import ModelsInUse
from service.reloading.reloader import Reloader
from service.settings import Settings
from service.store.conversations import Conversations, Owner
from service.store.erasure import Erased
from service.store.turn_records import TurnRecords
from service.turns.call_runner import CallRunner
from service.turns.gate import TurnGate
from service.turns.preparation import Preparation
from service.turns.tenant_overrides import TenantOverrides
from service.turns.turn import TurnRunner
from service.turns.user_deactivations import UserDeactivations


@dataclass(frozen=True, slots=True)
class Services:
    """One running service; every part is there once."""

    settings: Settings
    apps: AppsInUse
    preparation: Preparation
    calls: CallRunner
    turns: TurnRunner
    conversations: Conversations
    conversation_turns: ConversationTurns
    turn_records: TurnRecords
    event_feed: EventFeed
    abandoned_turns: AbandonedTurns
    deactivations: UserDeactivations
    erase_user: Callable[[Owner], Awaitable[Erased]]
    retention: Retention
    overrides: TenantOverrides
    keyring: Keyring
    idempotency: IdempotentRoute
    models: ModelsInUse
    metrics: Metrics
    gate: TurnGate
    tasks: OwnedTasks
    check_store: Callable[[], Awaitable[bool]]
    reloader: Reloader | None


SERVICES = web.AppKey("services", Services)
