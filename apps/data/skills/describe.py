"""Skill `data-describe`: what a table holds."""

from __future__ import annotations

from apps.data.engine.jobs import Job
from apps.data.skills.blocks import find_description
from apps.data.skills.process import QueryProcesses
from apps.data.skills.tables import TableRequest, find_directory
from apps.sdk.jsontypes import JsonObject
from apps.sdk.skill import Skill, SkillContext, SkillResult


class DescribeSkill(Skill):
    """Reads one table in a process of its own and measures its columns."""

    def __init__(self) -> None:
        self._processes = QueryProcesses()

    async def execute(self, request: TableRequest, context: SkillContext) -> SkillResult:
        """`{table, row_count, columns: [{name, type, nulls, distinct, min, max, mean, common}], sample}`."""
        directory = find_directory(context)
        job = Job(kind="describe", seconds=0.0, directory=directory, tables=[request.to_job()], sql="", limit=0)
        return await self._processes.run(job, context)

    def from_message(self, text: str) -> JsonObject | None:
        """The table of a message that holds a block of data and asks what is in it."""
        return find_description(text)
