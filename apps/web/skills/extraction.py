"""The text of an HTML page, worked out by a process of its own that can be ended."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path

import orjson

from apps.sdk.programs import Programs
from apps.sdk.skill import SkillFailed

PARSER = Path(__file__).with_name("page_parser.py")
SECONDS = 14.0
"""Of one page, waiting included."""
MAX_WRITTEN = 20_000_000
"""Bytes of JSON, several times the longest text that the parser gives."""
AT_ONCE = 4
"""Processes, of up to some hundred megabytes each; further pages wait."""
EACH = 2
"""Of them, those of one user, so that pages that are hard to read hold up nobody else's."""


@dataclass(frozen=True, slots=True)
class Page:
    """What a page says; fields that it does not tell are None."""

    text: str
    title: str | None = None
    author: str | None = None
    date: str | None = None
    language: str | None = None
    site: str | None = None


_PROGRAMS = Programs(AT_ONCE, EACH)


async def extract_text(html: str, url: str, *, links: bool, owner: Hashable) -> Page:
    """`owner` is on whose behalf. Raises `SkillFailed` when the page takes too long or too much memory."""
    given = orjson.dumps({"url": url, "links": links}) + b"\n" + html.encode("utf-8", "replace")
    try:
        ended = await _PROGRAMS.run((str(PARSER),), given, owner=owner, seconds=SECONDS, max_bytes=MAX_WRITTEN)
        return Page(**orjson.loads(ended.written))
    except (TimeoutError, orjson.JSONDecodeError, TypeError):  # the process met a limit, or its parser broke
        raise SkillFailed("The page is too large or too tangled to be read.") from None
