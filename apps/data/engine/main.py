"""One job from stdin, one answer to stdout, and the end."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import TYPE_CHECKING

from .limits import close_doors, limit_memory, limit_time
from .problems import LESS_MEMORY, OUT_OF_MEMORY, Problem

if TYPE_CHECKING:
    from .jobs import Answer, TimedJob


def main() -> None:
    """Never returns; nothing but the answer goes to stdout."""
    out = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    given = sys.stdin.buffer.read()
    _write_all(out, json.dumps(_answer(given), ensure_ascii=False, allow_nan=False).encode("utf-8", "replace"))
    os._exit(0)  # closing the database in order would take longer than most queries


def _answer(given: bytes) -> Answer:
    try:
        return _run(json.loads(given))
    except Problem as problem:
        return {"problem": problem.message, "hint": problem.hint, "retry": problem.retry}
    except MemoryError:
        return {"problem": f"{OUT_OF_MEMORY} (limit memory).", "hint": LESS_MEMORY, "retry": True}
    except Exception as error:  # noqa: BLE001 - the parent must hear of every defect
        frame = error.__traceback__
        while frame is not None and frame.tb_next is not None:
            frame = frame.tb_next
        where = f" in {frame.tb_frame.f_code.co_name}, line {frame.tb_lineno}" if frame else ""
        return {"crash": f"{type(error).__name__}{where}"}


def _run(job: TimedJob) -> Answer:
    limit_time(max(0.0, job["ends"] - time.monotonic()))
    from .database import lock_database, open_database  # noqa: PLC0415 - duckdb takes its time, which must be limited already
    from .profiles import describe_table  # noqa: PLC0415
    from .queries import run_query  # noqa: PLC0415
    from .tables import load_tables  # noqa: PLC0415

    connection = open_database()
    limit_memory()
    loaded = load_tables(connection, job["tables"], job["directory"])
    lock_database(connection, loaded.paths)
    close_doors(opens_files=bool(loaded.paths))
    if job["kind"] == "describe":
        return {"data": describe_table(connection, job["tables"][0]["name"], loaded.notes), "notes": loaded.notes}
    seconds = job["ends"] - time.monotonic()
    return {"data": run_query(connection, job["sql"], job["limit"], seconds, loaded.notes), "notes": loaded.notes}


def _write_all(out: int, raw: bytes) -> None:
    while raw:
        raw = raw[os.write(out, raw) :]
