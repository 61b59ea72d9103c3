"""Skill `notes-search`: notes by their words."""

from __future__ import annotations

import asyncio

from pydantic import BaseModel, ConfigDict, Field

from apps.notes.skills.matching import Hit, find_hits, split_words
from apps.notes.skills.notebook import MAX_TAG, Notebook
from apps.notes.skills.questions import find_search
from apps.notes.skills.rows import explain_cuts, join_remarks, write_short
from apps.notes.skills.tags import read_tag
from apps.sdk.jsontypes import JsonObject
from apps.sdk.skill import Skill, SkillContext, SkillResult, SkillRetry

MAX_LIMIT = 50
MAX_WORDS = 200
"""Characters of what is looked for."""


class SearchRequest(BaseModel):
    """Words in any order."""

    model_config = ConfigDict(extra="forbid")

    words: str = Field(min_length=1, max_length=MAX_WORDS)
    tag: str | None = Field(default=None, min_length=1, max_length=MAX_TAG)
    limit: int = Field(default=10, ge=1, le=MAX_LIMIT)


class SearchSkill(Skill):
    """Notes that have every word, best first; when none has, those that have some."""

    async def execute(self, request: SearchRequest, context: SkillContext) -> SkillResult:
        """`[{id, saved, title, tags, text}]`, with a note that says why there is nothing, or not all."""
        words = split_words(request.words)
        if not words:
            raise SkillRetry("There is no word to look for.", hint="Give letters or digits that the note holds.")
        entries = await Notebook(context).list()
        tag = None if request.tag is None else read_tag(request.tag)
        tagged = [entry for entry in entries if tag is None or tag in entry.note.tags]
        hits = await asyncio.to_thread(find_hits, tagged, words)
        if not hits:
            return SkillResult([], note=_say_why_none(len(tagged), tag, words))
        complete = [hit for hit in hits if hit.matched == len(words)]
        return _write(complete or hits, request.limit, None if complete else words)

    def from_message(self, text: str) -> JsonObject | None:
        """The words that `text` wants found in the notes."""
        return find_search(text)


def _write(hits: list[Hit], limit: int, missed: list[str] | None) -> SkillResult:
    shown = hits[:limit]
    remark = join_remarks(
        None if missed is None else f"No note has all of: {', '.join(missed)}; these have some.",
        _say_more(len(hits) - limit),
        explain_cuts([hit.entry for hit in shown]),
    )
    return SkillResult([write_short(hit.entry, hit.position) for hit in shown], note=remark)


def _say_why_none(searched: int, tag: str | None, words: list[str]) -> str:
    where = "notes" if tag is None else f"notes tagged {tag}"
    return f"None of the {searched} {where} has any of: {', '.join(words)}." if searched else f"There are no {where}."


def _say_more(more: int) -> str | None:
    return f"{more} more; narrow the words or raise the limit." if more > 0 else None
