"""One query in the engine: values, limits, statements and the words of errors."""

from __future__ import annotations

import json

import duckdb
import pytest

from apps.data.engine.database import open_database
from apps.data.engine.problems import Problem
from apps.data.engine.queries import run_query
from apps.sdk.jsontypes import Json, JsonObject


@pytest.fixture(scope="module")
def sales() -> duckdb.DuckDBPyConnection:
    connection = open_database()
    connection.execute("CREATE TABLE sales AS FROM (VALUES ('north', 10), ('south', 20), ('north', 5)) AS t(region, amount)")
    connection.execute('CREATE TABLE "my order" AS SELECT 1 AS id')
    return connection


def run(connection: duckdb.DuckDBPyConnection, sql: str, limit: int = 100) -> tuple[JsonObject, list[str]]:
    notes: list[str] = []
    data = run_query(connection, sql, limit, 5.0, notes)
    json.dumps(data, allow_nan=False)
    return data, notes


VALUES: list[tuple[str, Json]] = [
    ("1", 1),
    ("true", True),
    ("NULL", None),
    ("0.1 + 0.2", 0.3),
    ("0.1::DOUBLE + 0.2::DOUBLE", 0.3),
    ("0.1::FLOAT", 0.1),
    ("5.0::DOUBLE", 5),
    ("'NaN'::DOUBLE", "NaN"),
    ("'-inf'::DOUBLE", "-Infinity"),
    ("1e300", 1e300),
    ("1.7976931348623157e308", 1.7976931348623157e308),
    ("9007199254740991", 9007199254740991),
    ("9007199254740993", "9007199254740993"),
    ("170141183460469231731687303715884105727::HUGEINT", "170141183460469231731687303715884105727"),
    ("12345678901234567890.123::DECIMAL(38, 3)", "12345678901234567890.123"),
    ("1.50::DECIMAL(10, 2)", 1.5),
    ("DATE '2026-07-01'", "2026-07-01"),
    ("DATE 'infinity'", "infinity"),
    ("TIMESTAMPTZ '2026-07-01 10:00:00+02'", "2026-07-01 08:00:00+00"),
    ("INTERVAL 3 DAY", "3 days"),
    (r"'a\xAA'::BLOB", r"a\xAA"),
    ("{'a': [1, 2], 'b': NULL}", '{"a":[1,2],"b":null}'),
    ("[1.5::DECIMAL(9, 2)]", "[1.5]"),
    ("MAP {'k': 1.5}", '{"k":1.5}'),
    ("""'{"a": 1}'::JSON""", '{"a": 1}'),
    ("'x'::ENUM('x', 'y')", "x"),
    ("'5'::BIGNUM", "5"),
    ("'é;' -- ;", "é;"),
]


@pytest.mark.parametrize(("sql", "value"), VALUES)
def test_values_keep_their_meaning(sales: duckdb.DuckDBPyConnection, sql: str, value: Json) -> None:
    """Numbers where JSON can carry them, text where not; nested values are JSON text, so that rows stay flat."""
    data, _ = run(sales, f"SELECT {sql}")
    assert list(data["rows"][0].values()) == [value]


def test_all_types_of_duckdb_can_be_shown(sales: duckdb.DuckDBPyConnection) -> None:
    """Every type that DuckDB has, with its extremes and nulls, is JSON in the end."""
    data, _ = run(sales, "FROM test_all_types()")
    assert data["row_count"] == 3
    assert all(value is None for value in data["rows"][2].values())


def test_columns_of_one_name_are_told_apart(sales: duckdb.DuckDBPyConnection) -> None:
    """No value is lost where two columns have one name."""
    assert run(sales, "SELECT 1 AS x, 2 AS X")[0]["rows"] == [{"x": 1, "X_1": 2}]


def test_rows_over_the_limit_are_counted(sales: duckdb.DuckDBPyConnection) -> None:
    """The first rows come in their order; the note and the count tell of the others."""
    data, notes = run(sales, "FROM range(12345) AS t(i) ORDER BY i DESC", limit=2)
    assert data["rows"] == [{"i": 12344}, {"i": 12343}]
    assert data["row_count"] == 12345
    assert "first 2 of 12345 rows" in notes[0]


def test_rows_without_end_are_not_counted(sales: duckdb.DuckDBPyConnection) -> None:
    """Counting stops in time, and the rows that were found are shown all the same."""
    notes: list[str] = []
    data = run_query(sales, "SELECT 1 AS n FROM range(1000000000) a, range(1000000) b", 1, 0.1, notes)
    assert (data["row_count"], data["rows"]) == (None, [{"n": 1}])
    assert "unknown number" in notes[0]


def test_large_results_are_bounded(sales: duckdb.DuckDBPyConnection) -> None:
    """Long values, many columns and many characters are cut, and the notes say so."""
    wide = ", ".join(f"{number} AS c{number}" for number in range(300))
    data, notes = run(sales, f"SELECT repeat('x', 5000) AS long, {wide} FROM range(1000)", limit=1000)
    assert len(data["columns"]) == 100
    assert 0 < len(data["rows"]) < 1000
    assert {len(row["long"]) for row in data["rows"]} == {1000}
    assert "long values were cut" in notes[1]
    assert "201 further columns" in notes[2]


@pytest.mark.parametrize(
    "sql",
    ["PIVOT sales ON region USING sum(amount)", "SUMMARIZE sales", "DESCRIBE sales", "SHOW TABLES", "VALUES (1)", "TABLE sales",
     ";; SELECT 1", "(SELECT 1)", "WITH a AS (SELECT 1) FROM a", "SELECT 1; -- done", "SELECT ';' AS \";\" /* ; */ ;;"],
)  # fmt: skip
def test_reading_statements_are_accepted(sales: duckdb.DuckDBPyConnection, sql: str) -> None:
    """Whatever can stand after FROM in parentheses, with the comments and semicolons of people."""
    assert run(sales, sql)[0]["row_count"] >= 1


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("", "no statement"),
        ("-- nothing", "no statement"),
        ("SELECT 1; SELECT 2", "2 statements"),
        ("INSERT INTO sales VALUES ('x', 1)", "INSERT is not allowed"),
        ("DROP TABLE sales", "DROP is not allowed"),
        ("EXPLAIN SELECT 1", "EXPLAIN is not allowed"),
        ("SELECT 1) UNION ALL (SELECT 2", "syntax error"),
        ("SELECT 1) AS result(c0) LIMIT 1; DROP TABLE sales; SELECT (1", "syntax error"),
        ("WITH a AS (INSERT INTO sales VALUES ('x', 1) RETURNING *) FROM a", "Error"),
        ("SELECT\n1 +", "syntax error"),
        ("SELECT * FROM slaes", "sales"),
        ("SELECT *,\nregin FROM sales", "LINE 2: regin"),
        ("SELECT region::INT FROM sales", "north"),
        ("SELECT " + "(" * 3000 + "1" + ")" * 3000, "depth"),
        ("SELECT \x00", "Error"),
    ],
)
def test_other_statements_are_refused(sales: duckdb.DuckDBPyConnection, sql: str, reason: str) -> None:
    """With DuckDB's words where it has any, and the tables that there are, or what is allowed, as the hint."""
    with pytest.raises(Problem) as caught:
        run(sales, sql)
    assert reason in caught.value.message
    assert caught.value.hint is not None
    assert "sales (region VARCHAR, amount INTEGER)" in caught.value.hint or "one query that reads" in caught.value.hint
    assert run(sales, "SELECT count(*) AS n FROM sales")[0]["rows"] == [{"n": 3}]


def test_names_that_need_quotes_are_shown_with_them(sales: duckdb.DuckDBPyConnection) -> None:
    """A model can copy the hint into its next query."""
    with pytest.raises(Problem) as caught:
        run(sales, "SELECT * FROM my order")
    assert '"my order" (id INTEGER)' in (caught.value.hint or "")
