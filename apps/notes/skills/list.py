"""Skill `notes-list`: the latest notes, or one in full."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from apps.notes.skills.notebook import MAX_ID, MAX_TAG, Entry, Notebook
from apps.notes.skills.questions import find_listing
from apps.notes.skills.rows import explain_cuts, join_remarks, write_full, write_short
from apps.notes.skills.tags import read_tag
from apps.sdk.jsontypes import JsonObject
from apps.sdk.skill import Rows, Skill, SkillContext, SkillResult

MAX_LIMIT = 50


class ListRequest(BaseModel):
    """`id` alone decides when it is given; `before` is the id of the last note of the page before."""

    model_config = ConfigDict(extra="forbid")

    id: str | None = Field(default=None, min_length=1, max_length=MAX_ID)
    tag: str | None = Field(default=None, min_length=1, max_length=MAX_TAG)
    limit: int = Field(default=20, ge=1, le=MAX_LIMIT)
    before: str | None = Field(default=None, min_length=1, max_length=MAX_ID)


class ListSkill(Skill):
    """Newest first."""

    async def execute(self, request: ListRequest, context: SkillContext) -> Rows | SkillResult:
        """`[{id, saved, title, tags, text}]`, with a note about what is left out."""
        notebook = Notebook(context)
        if request.id is not None:
            return [write_full(await notebook.get(request.id))]
        last = None if request.before is None else await notebook.get(request.before)
        tag = None if request.tag is None else read_tag(request.tag)
        entries = await notebook.list()
        chosen = [entry for entry in entries if _is_older(entry, last) and (tag is None or tag in entry.note.tags)]
        if not chosen:
            return SkillResult([], note=_say_why_none(entries, tag, last))
        page = chosen[: request.limit]
        remark = join_remarks(_say_what_follows(chosen, request.limit), explain_cuts(page))
        return SkillResult([write_short(entry) for entry in page], note=remark)

    def from_message(self, text: str) -> JsonObject | None:
        """The list that `text` asks for."""
        return find_listing(text)


def _is_older(entry: Entry, last: Entry | None) -> bool:
    return last is None or (entry.note.saved, entry.id) < (last.note.saved, last.id)


def _say_why_none(entries: list[Entry], tag: str | None, last: Entry | None) -> str:
    if not entries:
        return "There are no notes yet."
    if last is not None:
        return "There are no older notes."
    tags = sorted({used for entry in entries for used in entry.note.tags})
    return f"None of the {len(entries)} notes has the tag {tag}; tags in use: {', '.join(tags[:20]) or 'none'}."


def _say_what_follows(chosen: list[Entry], limit: int) -> str | None:
    more = len(chosen) - limit
    return f'{more} more; go on with "before": "{chosen[limit - 1].id}".' if more > 0 else None
