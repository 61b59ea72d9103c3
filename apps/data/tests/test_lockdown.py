"""What SQL cannot reach, even past the check of statements: DuckDB's own lock, and the system's beneath it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

LOCKED = Path(__file__).with_name("locked.py")

READING = [
    "SELECT * FROM read_text('/etc/hostname')",
    "SELECT * FROM read_blob('/etc/hostname')",
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM read_csv('https://example.com/a.csv')",
    "SELECT * FROM read_json('/etc/hostname')",
    "SELECT * FROM read_ndjson_objects('/etc/hostname')",
    "SELECT * FROM read_parquet('/etc/hostname')",
    "SELECT * FROM read_parquet('s3://bucket/a.parquet')",
    "SELECT * FROM read_duckdb('/tmp/a.db')",
    "SELECT * FROM parquet_metadata('/etc/hostname')",
    "SELECT * FROM parquet_schema('/etc/hostname')",
    "SELECT * FROM parquet_kv_metadata('/etc/hostname')",
    "SELECT * FROM sniff_csv('/etc/passwd')",
    "SELECT * FROM glob('/etc/*')",
    "SELECT * FROM glob('.tmp/*')",
    "SELECT * FROM '/etc/passwd'",
    "SELECT * FROM 'https://example.com/a.csv'",
    "SELECT * FROM read_text('/proc/self/environ')",
    "SELECT * FROM read_text('/dev/fd/0')",
    "SELECT * FROM read_blob('/dev/zero')",
    "SELECT * FROM query('SELECT * FROM read_text(''/etc/hostname'')')",
    "SELECT * FROM query_table('/etc/passwd')",
    "SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT * FROM read_text(''/etc/hostname'')'))",
    "SELECT getenv('HOME')",
    "SELECT * FROM secret",
    "SELECT * FROM pandas_scan(1)",
    "SELECT * FROM arrow_scan(1, 1, 1)",
    "SELECT * FROM python_arrow_scan(1)",
]

CHANGING = [
    "COPY t TO '/tmp/written.csv'",
    "COPY t TO '/dev/stdout'",
    "COPY t FROM '/etc/passwd'",
    "EXPORT DATABASE '/tmp/written'",
    "IMPORT DATABASE '/tmp/written'",
    "ATTACH '/tmp/written.db' AS other",
    "ATTACH 'https://example.com/a.db' AS other",
    "INSTALL httpfs",
    "CREATE EXTENSION REPOSITORY 'example.com'",
    "INSTALL h3 FROM community",
    "LOAD httpfs",
    "LOAD '/tmp/evil.duckdb_extension'",
    "CREATE SECRET s (TYPE s3, KEY_ID 'a', SECRET 'b')",
    "CREATE PERSISTENT SECRET s (TYPE s3, KEY_ID 'a', SECRET 'b')",
    "SET enable_external_access = true",
    "SET memory_limit = '64GB'",
    "SET threads = 64",
    "SET temp_directory = '/tmp'",
    "SET allowed_directories = ['/']",
    "SET allowed_paths = ['/etc/passwd']",
    "SET lock_configuration = false",
    "SET python_enable_replacements = true",
    "SET autoload_known_extensions = true",
    "SET allow_unsigned_extensions = true",
    "SET log_query_path = '/tmp/written.log'",
    "SET profile_output = '/tmp/written.json'",
    "RESET memory_limit",
    "PRAGMA enable_profiling",
    "PRAGMA memory_limit = '64GB'",
    "CALL enable_logging()",
    "SELECT * FROM enable_profiling()",
]

SYSTEM = ["open('/etc/hostname')", "open('/tmp/written', 'w')", "__import__('socket').socket()"]
LEAKS = ["SELECT * FROM duckdb_settings()", "SELECT * FROM duckdb_databases()", "SELECT * FROM duckdb_variables()"]
EMPTY = ["SELECT * FROM duckdb_secrets()", "SELECT * FROM which_secret('s3://a', 's3')", "SELECT * FROM duckdb_logs()"]


def run_locked(statements: list[str], paths: list[str]) -> dict[str, tuple[str, str]]:
    job = json.dumps({"statements": statements, "paths": paths})
    done = subprocess.run(
        [sys.executable, "-I", LOCKED], input=job, capture_output=True, text=True, env={}, cwd="/", timeout=30, check=True
    )
    return {statement: (kind, text) for statement, (kind, text) in json.loads(done.stdout).items()}


@pytest.fixture(scope="module")
def outcomes() -> dict[str, tuple[str, str]]:
    return run_locked([*READING, *CHANGING, *LEAKS, *EMPTY, "SELECT a FROM t"], [])


@pytest.mark.parametrize("statement", [*READING, *CHANGING, *SYSTEM])
def test_nothing_outside_can_be_reached(outcomes: dict[str, tuple[str, str]], statement: str) -> None:
    """Files, network, extensions, secrets, Python's variables, settings: each is refused."""
    assert outcomes[statement][0] == "error", outcomes[statement]


def test_tables_can_be_read_all_the_same(outcomes: dict[str, tuple[str, str]]) -> None:
    """The refusals above are no accident of a database that refuses everything."""
    assert outcomes["SELECT a FROM t"] == ("ok", "[(1,)]")


@pytest.mark.parametrize("statement", EMPTY)
def test_there_is_nothing_to_be_told(outcomes: dict[str, tuple[str, str]], statement: str) -> None:
    """No secret is loaded, also none that DuckDB keeps in the home directory, and no query is logged."""
    assert outcomes[statement] == ("ok", "[]")


def test_settings_tell_nothing_of_the_machine(outcomes: dict[str, tuple[str, str]]) -> None:
    """No path of this repository, and no variable of the environment."""
    kinds, texts = zip(*(outcomes[statement] for statement in LEAKS), strict=True)
    assert set(kinds) == {"ok"}
    assert str(Path(__file__).parents[3]) not in "".join(texts)


@pytest.fixture(scope="module")
def with_file(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, tuple[str, str]]]:
    folder = tmp_path_factory.mktemp("data")
    for name in ("open", "closed"):
        duckdb.execute(f"COPY (SELECT '{name}' AS a) TO '{folder / name}.parquet'")
    statements = [*READING, *CHANGING, "FROM v", f"FROM read_parquet('{folder}/closed.parquet')", f"FROM glob('{folder}/*')"]
    return folder, run_locked(statements, [f"{folder}/open.parquet"])


@pytest.mark.parametrize("statement", [*READING, *CHANGING])
def test_a_permitted_file_opens_nothing_else(with_file: tuple[Path, dict[str, tuple[str, str]]], statement: str) -> None:
    """With one Parquet file open to queries, everything else stays refused."""
    assert with_file[1][statement][0] == "error", with_file[1][statement]


def test_a_permitted_file_can_be_read_and_its_neighbour_cannot(with_file: tuple[Path, dict[str, tuple[str, str]]]) -> None:
    """The path of the table is open; the one beside it, and the list of both, are not."""
    folder, found = with_file
    assert found["FROM v"] == ("ok", "[('open',)]")
    assert found[f"FROM read_parquet('{folder}/closed.parquet')"][0] == "error"
    assert found[f"FROM glob('{folder}/*')"][0] == "error"
