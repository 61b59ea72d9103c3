"""Tags: one spelling for each."""

from __future__ import annotations

from collections.abc import Iterable

from apps.sdk.skill import SkillRetry


def clean_tag(written: str) -> str:
    """Lower case, without #, blanks and commas turned into hyphens; "" when nothing is left."""
    return "-".join(written.casefold().replace("#", " ").replace(",", " ").split())


def clean_tags(written: Iterable[str]) -> tuple[str, ...]:
    """Each tag once, in the order given."""
    return tuple(dict.fromkeys(filter(None, map(clean_tag, written))))


def read_tag(written: str) -> str:
    """The tag to look for. Raises `SkillRetry` when nothing of it is left."""
    tag = clean_tag(written)
    if not tag:
        raise SkillRetry("That is not a tag.", hint="Give a word, or leave the tag out.")
    return tag
