"""The keys that are taken: those of the settings, and those of the store as they were a moment ago."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from hmac import compare_digest
from typing import Final

from service.access.keys import AccessKey, digest_key, read_id
from service.store.api_keys import ApiKeys

NOBODY: Final = AccessKey("", "", "use", "-" * 64)
"""What a key that nobody has is compared with; no digest looks like it."""


class Keyring:
    """Finds keys. What another process adds or revokes counts after `max_age` seconds.

    All keys are read at once: a look for each unknown one would cost the store, and tell by its time which ids exist.
    """

    def __init__(
        self, fixed: Sequence[AccessKey], stored: ApiKeys, *, max_age: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._fixed = tuple(fixed)
        self._stored = stored
        self._max_age = max_age
        self._clock = clock
        self._read_at = float("-inf")
        self._by_id: Mapping[str, AccessKey] = {}
        self._reading = asyncio.Lock()

    async def find(self, secret: str) -> AccessKey | None:
        """The key whose secret this is. Keys of the settings work without the store; else raises `StoreUnavailable`."""
        digest = digest_key(secret)
        fixed = [key for key in self._fixed if compare_digest(key.sha256, digest)]
        if fixed:
            return fixed[0]
        key = (await self._current()).get(read_id(secret), NOBODY)
        return key if compare_digest(key.sha256, digest) else None

    async def is_empty(self) -> bool:
        """Whether no key is taken at all. Raises `StoreUnavailable`."""
        return not self._fixed and not await self._current()

    async def _current(self) -> Mapping[str, AccessKey]:
        async with self._reading:  # one read, however many requests wait for it
            now = self._clock()
            if now - self._read_at >= self._max_age:
                self._by_id = {key.id: key for key in await self._stored.list_valid()}
                self._read_at = now
            return self._by_id
