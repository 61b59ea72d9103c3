"""On whose behalf something runs."""

from __future__ import annotations

from dataclasses import dataclass

from apps.sdk.skill import Source


@dataclass(frozen=True, slots=True)
class Caller:
    """Tenant and user scope everything that is stored; `source` is where the message came from."""

    tenant: str
    user: str
    source: Source
    conversation: str | None = None
