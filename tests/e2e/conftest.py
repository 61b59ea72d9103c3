"""What the end-to-end tests share: the lab's apps, and a scripted model server for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.e2e.lab import OFFLINE, Lab, nothing_shortlisted, open_lab, write_lab
from tests.support.model_server import ScriptedModelServer

OpenLab: TypeAlias = Callable[..., AbstractAsyncContextManager[Lab]]
"""Opens a lab; keywords are settings."""


@pytest.fixture(scope="session")
def lab_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Written once: the modules are imported once for the process."""
    return write_lab(tmp_path_factory.mktemp("lab_apps"))


@pytest.fixture
async def models() -> AsyncIterator[ScriptedModelServer]:
    """A strict provider: it refuses what OpenAI refuses, and every turn must get through without a refusal."""
    async with ScriptedModelServer(default=nothing_shortlisted) as server:
        yield server
    assert server.refusals == []


@pytest.fixture
def start_lab(lab_folder: Path, models: ScriptedModelServer) -> OpenLab:
    """Start a service with these settings."""
    return lambda **changes: open_lab(lab_folder, models, **changes)


@pytest.fixture
async def offline(start_lab: OpenLab) -> AsyncIterator[Lab]:
    """A service without models."""
    async with start_lab(**OFFLINE) as opened:
        yield opened


@pytest.fixture
async def lab(start_lab: OpenLab) -> AsyncIterator[Lab]:
    """A service with the usual settings of these tests: what the cheap model wants, and nothing else, is sent."""
    async with start_lab() as opened:
        yield opened
