"""For authors' own tests: a context to execute a skill in, without a server.

async with make_context(secrets={"Brave": "..."}) as context:
    rows = await SearchSkill().execute({"query": "x"}, context)
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

import aiohttp
import orjson

from apps.sdk.jsontypes import Json
from apps.sdk.skill import MAX_STORAGE_KEY, SkillContext, SkillStorage, Source


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


@asynccontextmanager
async def make_context(
    *,
    tenant: str = "default",
    user: str = "tester",
    conversation: str | None = None,
    source: Source = "chat",
    call_id: str = "call_test",
    timeout: float = 30.0,  # noqa: ASYNC109 - the context's deadline, not a time to wait
    secrets: Mapping[str, str] | None = None,
    storage: SkillStorage | None = None,
    logger: RecordingLogger | None = None,
    cancellation: Cancel | None = None,
    now: datetime | None = None,
) -> AsyncIterator[SkillContext]:
    """A context for one test: in-memory storage, `secrets` by provider name, a clock that stands at `now` if given.

    `timeout` is in seconds from now. The HTTP session is a real one and is closed at the end.
    """
    async with aiohttp.ClientSession() as session:
        yield SkillContext(
            tenant=tenant,
            user=user,
            conversation=conversation,
            source=source,
            call_id=call_id,
            deadline=time.monotonic() + timeout,
            open_http=lambda: session,
            secrets={name.casefold(): value for name, value in (secrets or {}).items()},
            storage=storage or MemoryStorage(),
            logger=logger or RecordingLogger(),
            cancellation=cancellation or Cancel(),
            now=lambda: now or datetime.now(UTC),
        )
