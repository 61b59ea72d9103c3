"""What a skill author writes, on one screen.

    class SearchSkill(Skill):
        async def execute(self, request: SearchRequest, context: SkillContext) -> Rows:
            return [{"title": ..., "url": ...}]

One request in, one result out. The executor validates the request, calls `execute` once per entry of `requests`, five at a
time, with a timeout each, and turns what comes back into TOON. `request` is a plain dict, or the pydantic model that the
annotation names.

    SkillError              what a skill raises on purpose
    ├── SkillRetry          the model may try other arguments
    └── SkillFailed         it may not
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.names import fold_name

if TYPE_CHECKING:
    import aiohttp

Rows: TypeAlias = list[JsonObject]
Effect: TypeAlias = Literal["read", "write"]
Source: TypeAlias = Literal["chat", "api", "scheduled"]

TIMEOUT = 30.0
"""Seconds for one request of a skill that declares none, unless the service sets another limit."""

MAX_STORAGE_KEY = 200
"""Characters of a key of a skill's storage."""


class SkillError(Exception):
    """A skill's own word that it has no result; its text is shown to the model, so it must name no secret and no path."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class SkillRetry(SkillError):
    """The model may try again with other arguments; `hint` says which would do."""


class SkillFailed(SkillError):
    """The skill cannot do this, whatever the arguments."""


class MissingSecret(SkillFailed):
    """A credential that the skill needs is not configured."""

    def __init__(self, name: str) -> None:
        super().__init__(f"The credential for {name} is not configured.")
        self.name = name


@dataclass(frozen=True, slots=True)
class SkillResult:
    """A result with a word about it, say why there is nothing: `SkillResult([], note="no match in this year")`."""

    data: Json
    note: str | None = None


class SkillStorage(Protocol):
    """A small key-value store of one app and one user (and tenant); keys up to `MAX_STORAGE_KEY` characters, values any JSON.

    Every method raises `SkillFailed` when a limit is broken or the store does not answer.
    """

    async def get(self, key: str) -> Json | None: ...
    async def put(self, key: str, value: Json) -> None: ...
    async def delete(self, key: str) -> bool: ...
    async def keys(self, prefix: str = "") -> list[str]: ...
    async def items(self, prefix: str = "") -> dict[str, Json]:
        """Every key that starts with `prefix` and its value, keys sorted, in one read."""
        ...


class SkillLogger(Protocol):
    """A logger that already carries the call's id; takes an event name and fields."""

    def debug(self, event: str, **fields: object) -> object: ...
    def info(self, event: str, **fields: object) -> object: ...
    def warning(self, event: str, **fields: object) -> object: ...
    def error(self, event: str, **fields: object) -> object: ...


class Cancellation(Protocol):
    """Whether the call is over for its caller. A coroutine is cancelled anyway; code in a thread should look now and then."""

    @property
    def cancelled(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class SkillContext:
    """What a skill may know and use. `deadline` is in seconds of `time.monotonic()`."""

    tenant: str
    user: str
    conversation: str | None
    source: Source
    call_id: str
    deadline: float
    open_http: Callable[[], aiohttp.ClientSession]
    secrets: Mapping[str, str]
    storage: SkillStorage
    logger: SkillLogger
    cancellation: Cancellation
    now: Callable[[], datetime] = lambda: datetime.now(UTC)

    @property
    def http(self) -> aiohttp.ClientSession:
        """The shared HTTP client; it is not the skill's to close."""
        return self.open_http()

    @property
    def time_left(self) -> float:
        """Seconds until the deadline, never below zero."""
        return max(0.0, self.deadline - time.monotonic())

    def secret(self, name: str) -> str:
        """The credential of provider `name`; raises `MissingSecret`."""
        try:
            return self.secrets[fold_name(name)]
        except KeyError:
            raise MissingSecret(name) from None


class Skill:
    """One callable of an app. Made once per catalog, without arguments; keep no state of a request on it."""

    async def execute(self, request: Any, context: SkillContext) -> Any:
        """One validated request in; JSON, a pydantic model, a dataclass, content blocks or a `SkillResult` out."""
        raise NotImplementedError

    def available(self, secrets: Mapping[str, str]) -> bool | str:
        """Whether the skill can work here; a text says why it cannot. Must not block."""
        return True

    def from_message(self, text: str) -> Any | None:
        """The request that `text` plainly asks for, or None. Only the offline stand-in asks; must not block."""
        return None


class BatchSkill(Skill):
    """A skill whose provider takes many requests at once: all entries of a call in, a result or an error for each out."""

    async def execute_batch(self, requests: list[Any], context: SkillContext) -> list[Any | SkillError]:
        """As many results as requests, in their order."""
        raise NotImplementedError
