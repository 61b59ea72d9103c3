"""The real service on a free port, for tests and benchmarks."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource

from apps.sdk.jsontypes import Json, JsonObject
from service.server import run_server
from service.services import Services
from service.settings import Settings
from service.wiring import open_services


@dataclass(frozen=True, slots=True)
class Running:
    """A running service and a client for it."""

    url: str
    client: aiohttp.ClientSession
    services: Services

    async def post(self, path: str, body: Json, **headers: str) -> tuple[int, JsonObject]:
        """Status and JSON of one POST; headers as keywords, `_` for `-`."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        async with self.client.post(self.url + path, json=body, headers=sent) as response:
            return response.status, await response.json(content_type=None)

    async def get(self, path: str) -> tuple[int, JsonObject]:
        """Status and JSON of one GET."""
        async with self.client.get(self.url + path) as response:
            return response.status, await response.json(content_type=None)


class IsolatedSettings(Settings):
    """Settings that read neither the environment nor `.env`, which on a developer's machine may name real models."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return (init_settings,)


def make_settings(tmp_path: Path, **changes: Json) -> Settings:
    """Settings that no environment touches: a free port, a database of their own."""
    given = {"port": 0, "database_url": f"sqlite:///{tmp_path / 'test.db'}", "shutdown_grace": 2.0, **changes}
    return IsolatedSettings.model_validate(given)


@asynccontextmanager
async def run_shortlist(settings: Settings) -> AsyncIterator[Running]:
    """Serve until the block ends."""
    async with open_services(settings) as services, run_server(services) as url, aiohttp.ClientSession() as client:
        yield Running(url, client, services)
