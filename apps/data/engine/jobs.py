"""What crosses the pipe, both ways, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

if TYPE_CHECKING:
    from apps.sdk.jsontypes import JsonObject


class TableJob(TypedDict):
    """One table: `content` is the text of a CSV or JSON document or Parquet in base64; else `file` lies below the directory."""

    name: str
    format: str | None
    content: str | None
    file: str | None
    delimiter: str | None
    header: bool | None


class Job(TypedDict):
    """One request; `sql` and `limit` (rows) are the query's."""

    kind: Literal["query", "describe"]
    directory: str | None
    tables: list[TableJob]
    sql: str
    limit: int


class TimedJob(Job):
    """`ends` is when it has to be done by, on the clock that `time.monotonic` shows to all processes of the machine."""

    ends: float


class Answer(TypedDict, total=False):
    """`data` and `notes`; or `problem` with a `hint`, `retry` telling whether other arguments may do; or `crash`, a defect."""

    data: JsonObject
    notes: list[str]
    problem: str
    hint: str | None
    retry: bool
    crash: str
