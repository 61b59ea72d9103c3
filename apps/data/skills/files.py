"""Skill `data-files`: which files queries may name."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict

from apps.data.engine.files import MAX_LISTED, list_files
from apps.data.engine.problems import Problem
from apps.data.skills.tables import PROVIDER
from apps.sdk.skill import Skill, SkillContext, SkillFailed, SkillResult


class FilesRequest(BaseModel):
    """Files whose names contain `search`, in any case."""

    model_config = ConfigDict(extra="forbid")

    search: str = ""


class FilesSkill(Skill):
    """Lists the permitted directory; only there when the service is set up with one."""

    def available(self, secrets: Mapping[str, str]) -> bool | str:
        return True if secrets.get(PROVIDER) else "no directory of data files is configured"

    async def execute(self, request: FilesRequest, context: SkillContext) -> SkillResult:
        """Rows `{file, format, bytes}` by name."""
        try:
            files = await asyncio.to_thread(list_files, context.secret(PROVIDER))
        except Problem as problem:
            raise SkillFailed(problem.message) from None
        rows = [
            {"file": file.name, "format": file.format, "bytes": file.size}
            for file in files
            if request.search.casefold() in file.name.casefold()
        ]
        if not rows:
            return SkillResult([], note="There is no such file." if files else "The directory holds no data files.")
        return SkillResult(rows, note=f"At most {MAX_LISTED} files are listed." if len(files) == MAX_LISTED else None)
