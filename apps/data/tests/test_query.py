"""`data-query` as the service runs it, and what comes of bad requests."""

from __future__ import annotations

import asyncio

import pytest

from apps.data.tests.children import list_children
from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.skill import SkillRetry
from apps.sdk.testing import SkillRun, load_skill

SALES = {"name": "sales", "content": "region,amount\nnorth,10\nsouth,20\nnorth,5\n"}
QUERY = load_skill(__file__, "query", varying=["rows"])


async def run(sql: str, *tables: JsonObject, **options: Json) -> SkillRun:
    return await QUERY.run({"sql": sql, "tables": list(tables), **options})


async def test_rows_columns_and_count() -> None:
    """Rows come in the query's order, with the types of the columns; TOON of them is smaller than JSON."""
    result = await run("SELECT region, sum(amount) AS total FROM sales GROUP BY ALL ORDER BY total DESC; -- by region", SALES)
    assert result.data == {
        "row_count": 2,
        "columns": [{"name": "region", "type": "VARCHAR"}, {"name": "total", "type": "HUGEINT"}],
        "rows": [{"region": "south", "total": 20}, {"region": "north", "total": 15}],
    }
    assert result.note is None
    assert result.tokens < result.json_tokens


async def test_five_queries_at_once_have_their_own_results() -> None:
    """Each runs in a process of its own, none of which is left."""
    runs = await asyncio.gather(*(run(f"SELECT sum(amount) * {factor} AS s FROM sales", SALES) for factor in range(5)))
    assert [result.data["rows"] for result in runs] == [[{"s": 35 * factor}] for factor in range(5)]
    assert list_children() == []


async def test_what_was_repaired_is_said() -> None:
    """The note comes with the rows, and one for each table."""
    table = {"name": "t", "content": "a,b\n1\n2,3\n"}
    result = await run("FROM t ORDER BY a", table)
    assert result.data["rows"] == [{"a": 1, "b": None}, {"a": 2, "b": 3}]
    assert result.note == "Table t: 1 line (2) has fewer values than the first line; the missing ones are null."


async def test_errors_name_what_there_is() -> None:
    """DuckDB's words, and the tables with their columns as the hint."""
    with pytest.raises(SkillRetry) as caught:
        await run("SELECT regin FROM sales", SALES)
    assert 'Candidate bindings: "region"' in caught.value.message
    assert caught.value.hint == "Tables: sales (region VARCHAR, amount BIGINT)."


async def test_two_tables_of_one_name_are_refused() -> None:
    """SQL would not tell them apart, and nothing is started for them."""
    with pytest.raises(SkillRetry, match="two tables named Sales"):
        await run("SELECT 1", SALES, {**SALES, "name": "Sales"})


@pytest.mark.parametrize("table", [{"name": "t"}, {"name": "t", "content": "a", "file": "b.csv"}])
async def test_a_table_is_content_or_a_file(table: JsonObject) -> None:
    """Neither and both are refused with a word on what is wanted."""
    with pytest.raises(SkillRetry, match="either content or file"):
        await run("SELECT 1", table)
