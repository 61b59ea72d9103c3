"""What the handlers and commands work with; `wiring` makes it."""

from __future__ import annotations

from dataclasses import dataclass

from aiohttp import web

from service.access.keyring import Keyring
from service.apps_in_use import AppsInUse
from service.background import OwnedTasks
from service.http.idempotency import IdempotentRoute
from service.metrics import Metrics
from service.models.choice import ModelsInUse
from service.reloading.reloader import Reloader
from service.settings import Settings
from service.turns.call_runner import CallRunner
from service.turns.gate import TurnGate
from service.turns.preparation import Preparation
from service.turns.tenant_overrides import TenantOverrides
from service.turns.turn import TurnRunner


@dataclass(frozen=True, slots=True)
class Services:
    """One running service; every part is there once."""

    settings: Settings
    apps: AppsInUse
    preparation: Preparation
    calls: CallRunner
    turns: TurnRunner
    overrides: TenantOverrides
    keyring: Keyring
    idempotency: IdempotentRoute
    models: ModelsInUse
    metrics: Metrics
    gate: TurnGate
    tasks: OwnedTasks
    reloader: Reloader | None


SERVICES = web.AppKey("services", Services)
