"""A context to execute a skill in, without a server.

async with make_context(secrets={"Brave": "..."}) as context:
    rows = await SearchSkill().execute({"query": "x"}, context)
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypedDict

import orjson

from apps.sdk.http.rules import EgressRules
from apps.sdk.jsontypes import Json
from apps.sdk.names import fold_name
from apps.sdk.skill import MAX_STORAGE_KEY, TIMEOUT, SkillContext, SkillStorage, Source

if TYPE_CHECKING:
    import aiohttp


class MemoryStorage:
    """Skill storage that lives as long as the object; values come back as copies, as from a database."""

    def __init__(self) -> None:
        self._values: dict[str, bytes] = {}

    async def get(self, key: str) -> Json | None:
        stored = self._values.get(key)
        return None if stored is None else orjson.loads(stored)

    async def put(self, key: str, value: Json) -> None:
        """Raises `ValueError` for a key that is empty or longer than `MAX_STORAGE_KEY`, `TypeError` for what JSON cannot hold."""
        if not 0 < len(key) <= MAX_STORAGE_KEY:
            raise ValueError(f"a storage key has 1 to {MAX_STORAGE_KEY} characters")
        self._values[key] = orjson.dumps(value)

    async def delete(self, key: str) -> bool:
        return self._values.pop(key, None) is not None

    async def keys(self, prefix: str = "") -> list[str]:
        return sorted(key for key in self._values if key.startswith(prefix))

    async def items(self, prefix: str = "") -> dict[str, Json]:
        return {key: orjson.loads(self._values[key]) for key in await self.keys(prefix)}


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One thing that a skill logged."""

    level: str
    event: str
    fields: Mapping[str, object]


@dataclass(slots=True)
class RecordingLogger:
    """A logger that keeps what it is told, for assertions."""

    entries: list[LogEntry] = field(default_factory=list)

    def debug(self, event: str, **fields: object) -> None:
        self.entries.append(LogEntry("debug", event, fields))

    def info(self, event: str, **fields: object) -> None:
        self.entries.append(LogEntry("info", event, fields))

    def warning(self, event: str, **fields: object) -> None:
        self.entries.append(LogEntry("warning", event, fields))

    def error(self, event: str, **fields: object) -> None:
        self.entries.append(LogEntry("error", event, fields))


@dataclass(slots=True)
class Cancel:
    """A cancellation that a test sets off by hand."""

    cancelled: bool = False


class ContextOptions(TypedDict, total=False):
    """What `make_context` takes, for those that pass it on."""

    tenant: str
    user: str
    conversation: str | None
    source: Source
    call_id: str
    timeout: float
    secrets: Mapping[str, str]
    storage: SkillStorage
    logger: RecordingLogger
    cancellation: Cancel
    now: datetime
    allowed_hosts: Collection[str]


@asynccontextmanager
async def make_context(
    *,
    tenant: str = "default",
    user: str = "tester",
    conversation: str | None = None,
    source: Source = "chat",
    call_id: str = "call_test",
    timeout: float = TIMEOUT,  # noqa: ASYNC109 - the context's deadline, not a time to wait
    secrets: Mapping[str, str] | None = None,
    storage: SkillStorage | None = None,
    logger: RecordingLogger | None = None,
    cancellation: Cancel | None = None,
    now: datetime | None = None,
    allowed_hosts: Collection[str] = (),
) -> AsyncIterator[SkillContext]:
    """A context for one test: in-memory storage, `secrets` by provider name, a clock that stands at `now` if given.

    `timeout` is in seconds from now. The HTTP session is a real one under the service's rules, opened when it is first used and
    closed at the end; `allowed_hosts` are those that it may reach although they are not public, say a test's own server.
    """
    session = _LazySession(EgressRules(allowed_hosts=frozenset(allowed_hosts)))
    try:
        yield SkillContext(
            tenant=tenant,
            user=user,
            conversation=conversation,
            source=source,
            call_id=call_id,
            deadline=time.monotonic() + timeout,
            open_http=session.open,
            secrets={fold_name(name): value for name, value in (secrets or {}).items()},
            storage=MemoryStorage() if storage is None else storage,
            logger=RecordingLogger() if logger is None else logger,
            cancellation=Cancel() if cancellation is None else cancellation,
            now=lambda: now or datetime.now(UTC),
        )
    finally:
        await session.aclose()


@dataclass(slots=True)
class _LazySession:
    rules: EgressRules
    session: aiohttp.ClientSession | None = None

    def open(self) -> aiohttp.ClientSession:
        if self.session is None:
            from apps.sdk.http.session import open_session  # noqa: PLC0415 - imports aiohttp

            self.session = open_session(self.rules)
        return self.session

    async def aclose(self) -> None:
        if self.session is not None:
            await self.session.close()
