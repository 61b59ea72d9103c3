"""Skill `notes-delete`: one note goes."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from apps.notes.skills.notebook import MAX_ID, Notebook
from apps.notes.skills.questions import find_deletion
from apps.notes.skills.rows import write_content
from apps.sdk.jsontypes import JsonObject
from apps.sdk.skill import Skill, SkillContext, SkillRetry


class DeleteRequest(BaseModel):
    """The id as a list showed it."""

    model_config = ConfigDict(extra="forbid")

    id: str = Field(min_length=1, max_length=MAX_ID)


class DeleteSkill(Skill):
    """Of two that delete the same note one is told that it is gone already."""

    async def execute(self, request: DeleteRequest, context: SkillContext) -> JsonObject:
        """`{deleted, title, tags, text}`: the note as it was."""
        notebook = Notebook(context)
        entry = await notebook.get(request.id)
        if not await notebook.delete(entry):
            raise SkillRetry(f"The note {entry.id} was deleted just now.", hint="Nothing is left to do for it.")
        return {"deleted": entry.id, **write_content(entry.note)}

    def from_message(self, text: str) -> JsonObject | None:
        """The id of the note that `text` asks to delete."""
        return find_deletion(text)
