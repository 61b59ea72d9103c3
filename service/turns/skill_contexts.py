"""What each skill is given to work with: its own credentials and storage, the shared HTTP client, a logger with the call's id."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Protocol

from apps.sdk.catalog import SkillSpec
from apps.sdk.skill import Cancellation, SkillContext, SkillStorage
from service.turns.request import Caller
from service.turns.skill_logger import FieldLogger

if TYPE_CHECKING:
    import aiohttp

_LOG = logging.getLogger("skill")


class StorageSource(Protocol):
    """Gives the storage of one app and one user."""

    def scoped(self, tenant: str, app_id: str, user: str) -> SkillStorage: ...


class SkillContexts:
    """Makes the context of one request of one skill."""

    def __init__(
        self, *, open_http: Callable[[str], aiohttp.ClientSession], secrets: Mapping[str, str], storage: StorageSource
    ) -> None:
        self._open_http = open_http
        self._secrets = secrets
        self._storage = storage

    def make(self, caller: Caller, skill: SkillSpec, call_id: str, deadline: float, cancellation: Cancellation) -> SkillContext:
        """The context; a skill sees the credentials of the providers that it declares, and no others."""
        return SkillContext(
            tenant=caller.tenant,
            user=caller.user,
            conversation=caller.conversation,
            source=caller.source,
            call_id=call_id,
            deadline=deadline,
            open_http=partial(self._open_http, skill.app_id),
            secrets=skill.choose_secrets(self._secrets),
            storage=self._storage.scoped(caller.tenant, skill.app_id, caller.user),
            logger=FieldLogger(_LOG, {"call_id": call_id, "skill": skill.tool_name}),
            cancellation=cancellation,
        )
