"""Skill `data-describe`: what a table holds."""

from __future__ import annotations

from apps.data.engine.jobs import Job
from apps.data.skills.process import run_job
from apps.data.skills.questions import find_description
from apps.data.skills.tables import TableRequest, find_directory
from apps.sdk.jsontypes import JsonObject
from apps.sdk.skill import Skill, SkillContext, SkillResult


class DescribeSkill(Skill):
    """Reads one table in a process of its own and measures its columns."""

    async def execute(self, request: TableRequest, context: SkillContext) -> SkillResult:
        """`{table, row_count, columns: [{name, type, nulls, distinct, min, max, mean, common}], sample}`."""
        directory = find_directory(context)
        job = Job(kind="describe", directory=directory, tables=[request.to_job()], sql="", limit=0)
        return await run_job(job, context)

    def from_message(self, text: str) -> JsonObject | None:
        """The table of a message that holds a block of data and asks what is in it."""
        return find_description(text)
