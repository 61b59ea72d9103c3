"""One process per request, since DuckDB can neither be interrupted nor kept to its memory in all cases."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import orjson

from apps.data.engine.jobs import Answer, Job, TimedJob
from apps.sdk.programs import Ended, Programs
from apps.sdk.skill import SkillContext, SkillError, SkillFailed, SkillResult, SkillRetry

MAX_PROCESSES: Final = 4
"""Processes at once, over all skills; each may use some 600 MB. Further requests wait for their turn."""

MAX_EACH: Final = 2
"""Of them, those of one user, so that queries that take all their time hold up nobody else's."""

MAX_ANSWER: Final = 8_000_000
"""Bytes; the rows of an answer are bounded far below."""

_MARGIN: Final = 0.5
"""Seconds before the deadline at which the process is ended, so that there is time to say why."""

_LEAST: Final = 0.2
_START: Final = "import sys; sys.path.insert(0, sys.argv[1]); from engine.main import main; main()"
_ENGINE: Final = ("-c", _START, str(Path(__file__).resolve().parents[1]))


_PROGRAMS: Final = Programs(MAX_PROCESSES, MAX_EACH)


async def run_job(job: Job, context: SkillContext) -> SkillResult:
    """What came of `job` before the call's deadline. Raises `SkillError`."""
    seconds = max(_LEAST, context.time_left - _MARGIN)
    timed = TimedJob(**job, ends=time.monotonic() + seconds)
    given = json.dumps(timed, ensure_ascii=False).encode("utf-8", "replace")
    try:
        owner = (context.tenant, context.user)
        ended = await _PROGRAMS.run(_ENGINE, given, owner=owner, seconds=seconds, max_bytes=MAX_ANSWER)
    except TimeoutError:
        raise _too_slow(seconds) from None
    return _read_answer(ended, seconds, context)


def _read_answer(ended: Ended, seconds: float, context: SkillContext) -> SkillResult:
    try:
        answer: Answer = orjson.loads(ended.written)
    except orjson.JSONDecodeError:
        raise _explain_end(ended.code, seconds, context) from None
    if "crash" in answer:
        context.logger.error("query_process_failed", reason=answer["crash"])
        raise SkillFailed("The query process failed.")
    if "problem" in answer:
        raise (SkillRetry if answer["retry"] else SkillFailed)(answer["problem"], hint=answer["hint"])
    return SkillResult(answer["data"], note=_join(answer["notes"]))


def _explain_end(code: int, seconds: float, context: SkillContext) -> SkillError:
    """A process that ended without an answer: by its clock, or since an allocation failed where DuckDB cannot report it."""
    context.logger.warning("query_process_ended", code=code)
    if code in {-14, -24}:  # SIGALRM, SIGXCPU
        return _too_slow(seconds)
    if code < 0:
        return SkillRetry("The query ended the database, probably for want of memory.", hint="Ask for less, or in another way.")
    return SkillFailed("The query process could not run.")


def _too_slow(seconds: float) -> SkillRetry:
    return SkillRetry(
        f"The query was stopped after {seconds:.3g} s (limit timeout).", hint="Filter earlier, join on keys, or query fewer rows."
    )


def _join(notes: Sequence[str]) -> str | None:
    return " ".join(note[:1].upper() + note[1:] for note in notes) or None
