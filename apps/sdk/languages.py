"""Language tags as file names and callers write them: `de`, `pt-BR`, `zh-Hant`."""

from __future__ import annotations

import re
from collections.abc import Iterator

ENGLISH = "en"
"""The language that an app's texts for models are taken to be in."""

MAX_TAG = 35
"""Characters; RFC 5646, section 4.4.1, gives it as what a tag may need."""

_TAG = re.compile(
    r"(?P<language>[a-z]{2,3})(-[a-z]{4})?(-(?:[a-z]{2}|[0-9]{3}))?(-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*", re.ASCII
)


def is_language(text: str) -> bool:
    """Whether `text` is a language tag of the usual form (language, script, region, variants), whatever its case."""
    return len(text) <= MAX_TAG and _TAG.fullmatch(text.lower()) is not None


def write_language(text: str) -> str | None:
    """The tag that a near miss such as `pt_br` means, in its usual spelling, or None."""
    tag = text.strip().replace("_", "-")
    if not is_language(tag):
        return None
    first, *others = tag.split("-")
    styles = {2: str.upper, 4: str.title}
    return "-".join([first.lower(), *(styles.get(len(part), str.lower)(part) for part in others)])


def is_english(tag: str) -> bool:
    """Whether the tag is English, of whatever region."""
    return tag.lower().split("-")[0] == ENGLISH


def widen(tag: str) -> Iterator[str]:
    """The tag, lower-case, and each wider one: `zh-hant-tw`, `zh-hant`, `zh` (RFC 4647, section 3.4)."""
    wanted = tag.lower()
    while wanted:
        yield wanted
        wanted = wanted.rpartition("-")[0]
