"""The tables that requests carry, as models write them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from apps.data.engine.jobs import TableJob
from apps.sdk.skill import SkillContext, SkillRetry

PROVIDER: Final = "data"
"""The credential that holds the directory whose files may be read."""

MAX_CONTENT: Final = 1_000_000
"""Characters of one table."""

MAX_TABLES: Final = 10


class TableRequest(BaseModel):
    """One table: its `content`, or a `file` below the permitted directory."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=60, pattern=r'^[^"\x00-\x1f]+$')
    format: Literal["csv", "json", "parquet"] | None = None
    content: str | None = Field(default=None, max_length=MAX_CONTENT)
    file: str | None = Field(default=None, min_length=1, max_length=500)
    delimiter: str | None = Field(default=None, min_length=1, max_length=1)
    header: bool | None = None

    def to_job(self) -> TableJob:
        """Raises `SkillRetry` unless it has either content or a file."""
        if (self.content is None) == (self.file is None):
            raise SkillRetry(f"Table {self.name} needs either content or file.", hint="Put the rows into content as CSV text.")
        return TableJob(
            name=self.name,
            format=self.format,
            content=self.content,
            file=self.file,
            delimiter=self.delimiter,
            header=self.header,
        )


def make_jobs(tables: Sequence[TableRequest]) -> list[TableJob]:
    """Raises `SkillRetry` when two have one name; SQL does not tell upper and lower case apart."""
    seen: set[str] = set()
    for table in tables:
        if table.name.casefold() in seen:
            raise SkillRetry(f"There are two tables named {table.name}.", hint="Give every table a name of its own.")
        seen.add(table.name.casefold())
    return [table.to_job() for table in tables]


def find_directory(context: SkillContext) -> str | None:
    """The directory whose files may be read, if this service is set up with one."""
    return context.secrets.get(PROVIDER)
