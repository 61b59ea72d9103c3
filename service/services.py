"""What the handlers and commands work with; `wiring` makes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from aiohttp import web

from apps.sdk.catalog import Catalog
from preprocessor.pipeline import Preprocessor
from service.background import OwnedTasks
from service.idempotency import IdempotentRoute
from service.metrics import Metrics
from service.models_in_use import ModelsInUse
from service.settings import Settings
from service.tenant_overrides import TenantOverrides
from service.turn import TurnRunner
from service.turn_gate import TurnGate


@dataclass(frozen=True, slots=True)
class Services:
    """One running service; every part is there once."""

    settings: Settings
    catalog: Callable[[], Catalog]
    preprocessor: Callable[[], Preprocessor]
    turns: TurnRunner
    overrides: TenantOverrides
    idempotency: IdempotentRoute
    models: ModelsInUse
    metrics: Metrics
    gate: TurnGate
    tasks: OwnedTasks


SERVICES = web.AppKey("services", Services)
