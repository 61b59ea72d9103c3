"""Skill `data-query`: SQL over tables that the request carries."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from apps.data.engine.jobs import Job
from apps.data.skills.process import run_job
from apps.data.skills.questions import find_query
from apps.data.skills.tables import MAX_TABLES, TableRequest, find_directory, make_jobs
from apps.sdk.jsontypes import JsonObject
from apps.sdk.skill import Skill, SkillContext, SkillResult

MAX_SQL = 20_000
"""Characters."""

MAX_ROWS = 1_000


class QueryRequest(BaseModel):
    """One query and the tables that it may name."""

    model_config = ConfigDict(extra="forbid")

    sql: str = Field(min_length=1, max_length=MAX_SQL)
    tables: list[TableRequest] = Field(default_factory=list, max_length=MAX_TABLES)
    limit: int = Field(default=100, ge=1, le=MAX_ROWS)


class QuerySkill(Skill):
    """Runs one reading statement of DuckDB in a process that can reach nothing but the tables."""

    async def execute(self, request: QueryRequest, context: SkillContext) -> SkillResult:
        """`{row_count, columns: [{name, type}], rows}`; `row_count` counts rows that were left out too, None when too many."""
        job = Job(
            kind="query",
            directory=find_directory(context),
            tables=make_jobs(request.tables),
            sql=request.sql,
            limit=request.limit,
        )
        return await run_job(job, context)

    def from_message(self, text: str) -> JsonObject | None:
        """The query of a message that holds a block of SQL and a block of data."""
        return find_query(text)
