"""Searches for authors' patterns in models' texts: each in a text of a bounded length, those of a reply in a bounded time."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from apps.sdk.jsontypes import JsonObject
from apps.sdk.schemas.patterns import find_text_limit

SEARCH_SECONDS = 0.3
"""Processor time of this thread that the searches of one `limit_searches` may take together; one search more may begin."""

_left: ContextVar[list[float] | None] = ContextVar("seconds_left_for_searches", default=None)


class SearchesTooLong(Exception):
    """The searches of one `limit_searches` took all of their time."""


@contextmanager
def limit_searches(seconds: float = SEARCH_SECONDS) -> Iterator[None]:
    """Give the searches in the block `seconds` together; the one that comes after them raises `SearchesTooLong`."""
    token = _left.set([seconds])
    try:
        yield
    finally:
        _left.reset(token)


def is_too_long(text: str, pattern: str) -> bool:
    """Whether the text is longer than what may be searched for the pattern."""
    limit = find_text_limit(pattern)
    return limit is not None and len(text) > limit


def search(pattern: str, text: str) -> bool:
    """Whether the pattern is found in the text; not in one that is too long. Raises `SearchesTooLong` in `limit_searches`."""
    if is_too_long(text, pattern):
        return False
    left = _left.get()
    if left is None:
        return re.search(pattern, text) is not None
    if left[0] <= 0:
        raise SearchesTooLong
    begun = time.thread_time()
    found = re.search(pattern, text)
    left[0] -= time.thread_time() - begun
    return found is not None


def list_unnamed(instance: JsonObject, schema: JsonObject) -> list[str]:
    """The fields of the instance that neither `properties` nor `patternProperties` of the schema name."""
    named, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    return [name for name in instance if name not in named and not any(search(pattern, name) for pattern in patterns)]
