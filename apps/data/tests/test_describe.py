"""`data-describe`: what it says of columns."""

from __future__ import annotations

import pytest

from apps.sdk.skill import SkillRetry
from apps.sdk.testing import load_skill

DESCRIBE = load_skill(__file__, "describe", varying=["sample"])


async def test_columns_are_measured() -> None:
    """Nulls, exact distinct counts, bounds, means and common texts, and the first rows."""
    content = "region,amount,day\nnorth,10,2026-01-01\nsouth,,2026-01-02\nnorth,20.5,2026-01-03\nwest,1,\n"
    result = await DESCRIBE.run({"name": "sales", "content": content})
    region, amount, day = result.data["columns"]
    assert (result.data["table"], result.data["row_count"], len(result.data["sample"])) == ("sales", 4, 3)
    assert region == {
        "name": "region", "type": "VARCHAR", "nulls": 0, "distinct": 3, "min": "north", "max": "west", "mean": None,
        "common": "north (2), south (1), west (1)",
    }  # fmt: skip
    assert (amount["nulls"], amount["distinct"], amount["min"], amount["max"], amount["mean"]) == (1, 3, 1, 20.5, 10.5)
    assert (day["type"], day["min"], day["max"], day["mean"]) == ("DATE", "2026-01-01", "2026-01-03", None)


async def test_nested_and_mixed_columns_are_measured() -> None:
    """Lists, structs and columns of mixed types have nulls and distinct values, but no bounds."""
    content = '[{"a": [1], "b": {"c": 1}, "d": 1}, {"a": [1], "b": null, "d": "x"}]'
    result = await DESCRIBE.run({"name": "t", "format": "json", "content": content})
    assert [(column["nulls"], column["distinct"], column["min"]) for column in result.data["columns"]] == [
        (0, 1, None), (1, 1, None), (0, 2, None),
    ]  # fmt: skip


async def test_a_table_without_rows_is_described() -> None:
    """Only a header line: columns without values."""
    result = await DESCRIBE.run({"name": "t", "content": "a,b\n"})
    assert result.data["row_count"] == 0
    assert [column["distinct"] for column in result.data["columns"]] == [0, 0]


async def test_wide_tables_are_described_in_part() -> None:
    """The first hundred columns, and a note on the others."""
    result = await DESCRIBE.run({"name": "t", "content": ",".join(f"c{n}" for n in range(250)) + "\n" + ",".join(["1"] * 250)})
    assert len(result.data["columns"]) == 100
    assert "The first 100 of 250 columns" in (result.note or "")


async def test_content_that_is_no_table_is_refused() -> None:
    """The table is named, and the format that would do."""
    with pytest.raises(SkillRetry) as caught:
        await DESCRIBE.run({"name": "t", "format": "json", "content": "[{"})
    assert caught.value.message.startswith("Table t: The content is no valid JSON")
    assert "array of objects" in (caught.value.hint or "")
