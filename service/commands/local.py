"""What a command without a model works with: the catalog, and a store and an HTTP client that are opened at their first use.

Kept free of aiohttp and SQLAlchemy, so that such a command starts at once.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from apps.sdk.catalog import Catalog
from apps.sdk.jsontypes import Json
from apps.sdk.loader import AppsDirectoryMissing, load_catalog
from apps.sdk.skill import SkillStorage
from preprocessor.availability import Deactivation, Override
from preprocessor.expand import Expansion, make_expander
from preprocessor.intent import Intent
from service.access.keys import AccessKey
from service.commands.output import keep_output_clean
from service.commands.running import CommandFailed
from service.store.errors import StoreError
from service.store.peek import may_hold
from service.toolsets_file import ToolsetsError, load_toolsets
from service.turns.request import Caller
from service.turns.skill_http import SkillHttp

if TYPE_CHECKING:
    from service.settings import Settings
    from service.store.database import Database


class LocalStore:
    """The database of the settings, opened when something is first read or written."""

    def __init__(self, url: str, exit_stack: AsyncExitStack) -> None:
        self._url = url
        self._exit_stack = exit_stack
        self._database: Database | None = None

    async def open(self) -> Database:
        """The open database. Raises `StoreError`."""
        from service.store.database import Database  # noqa: PLC0415 - SQLAlchemy takes a third of a second

        if self._database is None:
            self._database = await self._exit_stack.enter_async_context(await Database.open(self._url))
        return self._database

    async def read_overrides(self, tenant: str) -> tuple[Override, ...]:
        """The tenant's overrides; a database that has none is not opened."""
        if not may_hold("overrides", self._url):
            return ()
        from service.store.overrides import Overrides  # noqa: PLC0415

        stored = await Overrides(await self.open()).list(tenant)
        return tuple(Override(item.kind, item.id, item.enabled) for item in stored)

    async def read_deactivations(self, tenant: str, user: str) -> tuple[Deactivation, ...]:
        """What the user switched off; a database where nobody did is not opened."""
        if not may_hold("deactivations", self._url):
            return ()
        from service.store.conversations import Owner  # noqa: PLC0415
        from service.store.deactivations import Deactivations  # noqa: PLC0415

        stored = await Deactivations(await self.open()).list(Owner(tenant, user))
        return tuple(Deactivation(item.kind, item.id) for item in stored)

    async def read_keys(self) -> tuple[AccessKey, ...]:
        """The API keys that are taken; a database that has none is not opened."""
        if not may_hold("api_keys", self._url):
            return ()
        from service.store.api_keys import ApiKeys  # noqa: PLC0415

        return await ApiKeys(await self.open()).list_valid()

    def scoped(self, tenant: str, app_id: str, user: str) -> SkillStorage:
        """The storage of one app and user."""
        return LocalStorage(self, tenant, app_id, user)


@dataclass(frozen=True, slots=True)
class LocalStorage:
    """A skill's storage whose database is opened at the first use."""

    store: LocalStore
    tenant: str
    app_id: str
    user: str

    async def get(self, key: str) -> Json | None:
        return await (await self._open()).get(key)

    async def put(self, key: str, value: Json) -> None:
        await (await self._open()).put(key, value)

    async def delete(self, key: str) -> bool:
        return await (await self._open()).delete(key)

    async def keys(self, prefix: str = "") -> list[str]:
        return await (await self._open()).keys(prefix)

    async def items(self, prefix: str = "") -> dict[str, Json]:
        return await (await self._open()).items(prefix)

    async def _open(self) -> SkillStorage:
        from service.store.skill_storage import SkillStorageStore  # noqa: PLC0415

        return SkillStorageStore(await self.store.open()).scoped(self.tenant, self.app_id, self.user)


@dataclass(frozen=True, slots=True)
class LocalServices:
    """What `expand` and `call` need."""

    catalog: Catalog
    store: LocalStore
    client: SkillHttp
    secrets: dict[str, str]
    settings: Settings

    async def expand(self, caller: Caller, intent: Intent) -> Expansion:
        """The first step of a turn. Raises `ToolsetsError`."""
        toolsets = load_toolsets(self.settings.toolsets)
        expander = make_expander(self.catalog, toolsets, self.secrets, self.settings.main_model_names)
        return expander.expand(
            intent,
            overrides=await self.store.read_overrides(caller.tenant),
            deactivations=await self.store.read_deactivations(caller.tenant, caller.user),
            source=caller.source,
        )


@asynccontextmanager
async def open_locally(settings: Settings) -> AsyncIterator[LocalServices]:
    """Load the apps; the rest is opened when needed and closed at the end. Raises `CommandFailed` for what somebody can mend.

    Standard output is kept clean meanwhile.
    """
    client = SkillHttp(settings.egress_rules)
    try:
        async with AsyncExitStack() as exit_stack:
            exit_stack.enter_context(keep_output_clean())
            catalog = load_catalog(settings.apps_paths)
            exit_stack.push_async_callback(client.aclose)
            store = LocalStore(settings.database_url, exit_stack)
            yield LocalServices(catalog, store, client, settings.skill_secrets, settings)
    except (AppsDirectoryMissing, StoreError, ToolsetsError) as error:
        raise CommandFailed(str(error)) from error
