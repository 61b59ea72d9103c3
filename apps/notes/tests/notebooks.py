"""What the notes' tests share: skills called as the executor calls them, on storage that lives for one test."""

from __future__ import annotations

from datetime import UTC, datetime

from apps.notes.skills.add import AddRequest, AddSkill
from apps.notes.skills.delete import DeleteRequest, DeleteSkill
from apps.notes.skills.list import ListRequest, ListSkill
from apps.notes.skills.search import SearchRequest, SearchSkill
from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.skill import SkillResult, SkillStorage
from apps.sdk.testing import RecordingLogger, make_context

NOON = datetime(2026, 7, 1, 12, 0, tzinfo=UTC)


class User:
    """One user's skills; `now` is the clock that the skills see."""

    def __init__(self, storage: SkillStorage) -> None:
        self.storage = storage
        self.now = NOON
        self.logger = RecordingLogger()

    async def add(self, text: str, **arguments: Json) -> str:
        """The new note's id."""
        return str((await self.add_fully(text, **arguments)).data["id"])

    async def add_fully(self, text: str, **arguments: Json) -> SkillResult:
        request = AddRequest.model_validate({"text": text, **arguments})
        async with make_context(storage=self.storage, now=self.now, logger=self.logger) as context:
            return _with_note(await AddSkill().execute(request, context))

    async def show(self, **arguments: Json) -> SkillResult:
        async with make_context(storage=self.storage, now=self.now, logger=self.logger) as context:
            return _with_note(await ListSkill().execute(ListRequest.model_validate(arguments), context))

    async def search(self, words: str, **arguments: Json) -> SkillResult:
        request = SearchRequest.model_validate({"words": words, **arguments})
        async with make_context(storage=self.storage, now=self.now, logger=self.logger) as context:
            return await SearchSkill().execute(request, context)

    async def delete(self, name: str) -> JsonObject:
        async with make_context(storage=self.storage, now=self.now, logger=self.logger) as context:
            return await DeleteSkill().execute(DeleteRequest(id=name), context)

    async def texts(self) -> list[str]:
        """The texts of all notes, newest first."""
        return [row["text"] for row in (await self.show(limit=50)).data]


def _with_note(result: Json) -> SkillResult:
    return result if isinstance(result, SkillResult) else SkillResult(result)
