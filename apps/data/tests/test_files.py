"""Files of the service's own data: those below the directory that a setting permits, and no others."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from apps.data.engine.files import find_file, list_files
from apps.data.engine.problems import Problem
from apps.sdk.skill import SkillFailed, SkillRetry
from apps.sdk.testing import load_skill

QUERY = load_skill(__file__, "query", varying=["rows"])
FILES = load_skill(__file__, "files")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "secret.csv").write_text("a\nsecret\n")
    folder = tmp_path / "data"
    (folder / "2026").mkdir(parents=True)
    (folder / "2026" / "sales.csv").write_bytes("name,sum\nZoë,1\n".encode("cp1252"))
    (folder / "orders.jsonl").write_text('{"id": 1}\n{"id": 2}\n')
    duckdb.execute(f"COPY (FROM range(1000) AS t(i)) TO '{folder}/numbers.parquet'")
    (folder / ".hidden.csv").write_text("a\n1\n")
    (folder / "notes.md").write_text("a\n1\n")
    (folder / "out.csv").symlink_to(tmp_path / "secret.csv")
    (folder / "up").symlink_to(tmp_path)
    (folder / "alias.csv").symlink_to(folder / "2026" / "sales.csv")
    return folder


def test_only_data_files_below_the_directory_are_listed(folder: Path) -> None:
    """No hidden ones, no other kinds, no links that lead out."""
    assert [file.name for file in list_files(str(folder))] == ["2026/sales.csv", "alias.csv", "numbers.parquet", "orders.jsonl"]


@pytest.mark.parametrize(
    "name",
    ["../secret.csv", "2026/../../secret.csv", "/etc/passwd", "out.csv", "up/secret.csv", "", ".", "2026", "none.csv",
     ".hidden.csv", "a\x00b", "*.csv", "~/x.csv", "x" * 5000, "file:///etc/passwd", "https://example.com/a.csv"],
)  # fmt: skip
def test_no_name_leads_out(folder: Path, name: str) -> None:
    """Steps up, absolute paths, links, addresses and patterns are no files; the hint lists those there are."""
    with pytest.raises(Problem) as caught:
        find_file(str(folder), name)
    assert "orders.jsonl" in (caught.value.hint or "")
    assert str(folder) not in caught.value.message + (caught.value.hint or "")


async def test_files_of_all_formats_are_queried_together(folder: Path) -> None:
    """A CSV in an older encoding, JSON lines and Parquet, joined in one query."""
    names = {"s": "2026/sales.csv", "o": "orders.jsonl", "n": "numbers.parquet"}
    tables = [{"name": name, "file": file} for name, file in names.items()]
    sql = "SELECT s.name, max(i) AS m FROM s JOIN o ON o.id = s.sum JOIN n ON i >= id GROUP BY ALL"
    result = await QUERY.run({"sql": sql, "tables": tables}, secrets={"data": str(folder)})
    assert result.data["rows"] == [{"name": "Zoë", "m": 999}]


async def test_the_directory_is_not_told(folder: Path) -> None:
    """Neither errors nor DuckDB's views show where the files lie, not in another spelling either."""
    table = {"name": "n", "file": "numbers.parquet"}
    with pytest.raises(SkillRetry) as caught:
        await QUERY.run({"sql": "FROM n WHERE i = 'x'::INT", "tables": [table]}, secrets={"data": str(folder)})
    assert folder.name not in caught.value.message
    sql = "SELECT reverse(string_agg(sql, ' ')) AS v FROM duckdb_views() WHERE NOT internal"
    result = await QUERY.run({"sql": sql, "tables": [table]}, secrets={"data": str(folder)})
    told = result.data["rows"][0]["v"][::-1]
    assert "/dev/fd/" in told
    assert folder.name not in told
    assert folder.parent.name not in told


@pytest.mark.parametrize(
    "sql",
    ["FROM duckdb_settings()",
     'FROM system.main."Duckdb_Settings" /* x */ ()', "FROM pg_catalog.pg_settings", "FROM 'pg_settings'",
     "FROM query_table('pg_' || 'settings')", "FROM query--\n('FROM duckdb_' || 'settings()')", "FROM \"query\" /*(*/ ('FROM n')",
     "SELECT hex(current_setting('allowed' || '_paths'))", "SELECT ('allowed' || '_paths').current_setting()",
     "(SHOW allowed_paths)", 'FROM (SHOW "allowed_paths")', "SELECT (SELECT min(value) FROM duckdb_settings())",
     "FROM json_execute_serialized_sql(json_serialize_sql('FROM n'))"],
)  # fmt: skip
async def test_settings_are_not_asked_for(folder: Path, sql: str) -> None:
    """They would tell where the files lie, however it is spelled; a query in a query could ask for them unseen."""
    table = {"name": "n", "file": "numbers.parquet"}
    with pytest.raises(SkillRetry, match="is not allowed") as caught:
        await QUERY.run({"sql": sql, "tables": [table]}, secrets={"data": str(folder)})
    assert folder.name not in caught.value.message


async def test_words_like_those_are_no_mistake() -> None:
    """A column that is named query, and texts and comments that speak of settings."""
    table = {"name": "log", "content": "query,n\nbees,1\nhoney,2\n"}
    sql = "SELECT query, count(*) AS n, 'see duckdb_settings()' AS note FROM log GROUP BY query ORDER BY query -- pg_settings"
    result = await QUERY.run({"sql": sql, "tables": [table]})
    assert [row["query"] for row in result.data["rows"]] == ["bees", "honey"]


async def test_a_result_is_not_changed_by_where_the_files_lie(folder: Path) -> None:
    """The directory's path in a value stays as it is."""
    request = {"sql": f"SELECT '{folder}/x' AS v", "tables": [{"name": "n", "file": "numbers.parquet"}]}
    result = await QUERY.run(request, secrets={"data": str(folder)})
    assert result.data["rows"] == [{"v": f"{folder}/x"}]


async def test_files_need_the_setting() -> None:
    """Without a directory no file can be named, and the model hears what to do instead."""
    with pytest.raises(SkillRetry) as caught:
        await QUERY.run({"sql": "FROM t", "tables": [{"name": "t", "file": "a.csv"}]})
    assert (caught.value.message, caught.value.hint) == (
        "Table t: No files can be read here.", "Give the table's content instead.",
    )  # fmt: skip


async def test_a_directory_that_is_gone_is_a_failure(tmp_path: Path) -> None:
    """No arguments will mend it, and its path is not shown."""
    for harness, request in ((QUERY, {"sql": "FROM t", "tables": [{"name": "t", "file": "a.csv"}]}), (FILES, {})):
        with pytest.raises(SkillFailed) as caught:
            await harness.run(request, secrets={"data": str(tmp_path / "gone")})
        assert "is not there" in caught.value.message
        assert str(tmp_path) not in caught.value.message


async def test_the_list_is_searched(folder: Path) -> None:
    """Rows with format and size; a search that finds nothing says so."""
    secrets = {"data": str(folder)}
    assert (await FILES.run({"search": "SALES"}, secrets=secrets)).data == [
        {"file": "2026/sales.csv", "format": "csv", "bytes": 15}
    ]
    nothing = await FILES.run({"search": "x-ray"}, secrets=secrets)
    assert (nothing.data, nothing.note) == ([], "There is no such file.")


def test_the_list_is_there_only_with_the_setting() -> None:
    """Without it the skill is not available, and says why."""
    assert FILES.spec.implementation.available({"data": "/srv/data"}) is True
    assert FILES.spec.implementation.available({}) == "no directory of data files is configured"
