"""Skill `notes-add`: keep a note, or put it in the place of another."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from apps.notes.skills.notebook import MAX_ID, MAX_TAG, MAX_TAGS, MAX_TEXT, MAX_TITLE, Entry, Note, Notebook
from apps.notes.skills.questions import find_new_note
from apps.notes.skills.rows import write_time
from apps.notes.skills.tags import clean_tags
from apps.sdk.jsontypes import JsonObject
from apps.sdk.skill import Skill, SkillContext, SkillResult, SkillRetry


class AddRequest(BaseModel):
    """The note; `replaces` is the id of one that goes, whose title and tags stay where no others are given."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(min_length=1, max_length=MAX_TEXT)
    title: str | None = Field(default=None, max_length=MAX_TITLE)
    tags: list[Annotated[str, StringConstraints(min_length=1, max_length=MAX_TAG)]] | None = Field(
        default=None, max_length=MAX_TAGS
    )
    replaces: str | None = Field(default=None, min_length=1, max_length=MAX_ID)


class AddSkill(Skill):
    """The new note is there before an old one goes: at worst both stay."""

    async def execute(self, request: AddRequest, context: SkillContext) -> JsonObject | SkillResult:
        """`{id, saved}`, with a note when the same note was there already."""
        notebook = Notebook(context)
        old = None if request.replaces is None else await notebook.get(request.replaces)
        note = _make_note(request, context.now(), old.note if old else None)
        if old is None:
            await notebook.check_room()
        entry, known = await notebook.add(note)
        replaced = old is not None and old.id != entry.id and await notebook.delete(old)
        row: JsonObject = {"id": entry.id, "saved": write_time(entry.note)}
        said = _explain(entry, known=known, replaced=old if replaced else None)
        return SkillResult(row, note=said) if said else row

    def from_message(self, text: str) -> JsonObject | None:
        """The note that `text` asks to keep."""
        return find_new_note(text)


def _make_note(request: AddRequest, now: datetime, old: Note | None) -> Note:
    text = request.text.strip()
    if not text:
        raise SkillRetry("The note is empty.", hint="Give the text to keep.")
    title = " ".join(request.title.split()) if request.title is not None else old.title if old else ""
    tags = clean_tags(request.tags) if request.tags is not None else old.tags if old else ()
    return Note(text=text, title=title, tags=tags, saved=now.astimezone(UTC))


def _explain(entry: Entry, *, known: bool, replaced: Entry | None) -> str | None:
    if replaced is not None:
        return f"It took the place of {replaced.id}."
    return f"The same note was saved already this hour, as {entry.id}; it is kept once." if known else None
