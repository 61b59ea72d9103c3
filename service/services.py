"""What the handlers and commands work with; `wiring` makes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aiohttp import web

from service.background import OwnedTasks
from service.http.idempotency import IdempotentRoute
from service.metrics import Metrics
from service.models.choice import ModelsInUse
from service.settings import Settings
from service.turns.call_runner import CallRunner
from service.turns.gate import TurnGate
from service.turns.preparation import Preparation
from service.turns.tenant_overrides import TenantOverrides
from service.turns.turn import TurnRunner

if TYPE_CHECKING:
    from service.reloading.reloader import Reloader


@dataclass(frozen=True, slots=True)
class Services:
    """One running service; every part is there once."""

    settings: Settings
    preparation: Preparation
    calls: CallRunner
    turns: TurnRunner
    overrides: TenantOverrides
    idempotency: IdempotentRoute
    models: ModelsInUse
    metrics: Metrics
    gate: TurnGate
    tasks: OwnedTasks
    reloader: Reloader | None


SERVICES = web.AppKey("services", Services)
