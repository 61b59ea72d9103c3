"""Runs statements in a process that is locked as a query's is, past the check of statements, and prints what came of each."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import duckdb

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from engine.database import lock_database, open_database  # type: ignore[import-not-found]
from engine.limits import close_doors, limit_memory, limit_time  # type: ignore[import-not-found]


def main() -> None:
    """Takes `{paths, statements}` from stdin."""
    job = json.loads(sys.stdin.read())
    limit_time(20)
    connection = open_database()
    connection.execute("CREATE TABLE t AS SELECT 1 AS a")
    limit_memory()
    for path in job["paths"]:
        connection.execute(f"CREATE VIEW v AS FROM read_parquet('{path}')")
    lock_database(connection, job["paths"])
    close_doors(opens_files=bool(job["paths"]))
    secret = "python variable"  # noqa: F841 - what a replacement scan would find
    outcomes = {}
    for statement in job["statements"]:
        try:
            outcomes[statement] = ["ok", str(connection.execute(statement).fetchall())[:5000]]
        except duckdb.Error as error:
            outcomes[statement] = ["error", str(error)[:500]]
    for call in ("open('/etc/hostname')", "open('/tmp/written', 'w')", "__import__('socket').socket()"):
        try:
            eval(call)
            outcomes[call] = ["ok", ""]
        except OSError as error:
            outcomes[call] = ["error", str(error)]
    print(json.dumps(outcomes))


if __name__ == "__main__":
    main()
