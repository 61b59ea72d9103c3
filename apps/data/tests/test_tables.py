"""Tables as people and models write them: CSV of every kind, JSON of every shape, Parquet; what is repaired is said."""

from __future__ import annotations

import base64
import contextlib
import functools
import re
from pathlib import Path

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.data.engine.cells import fetch_rows
from apps.data.engine.database import open_database, quote_name
from apps.data.engine.delimited import clean_text, repair_lines
from apps.data.engine.problems import Problem
from apps.data.engine.tables import load_tables
from apps.data.skills.tables import TableRequest
from apps.sdk.jsontypes import Json, JsonObject


@functools.cache
def database() -> duckdb.DuckDBPyConnection:
    return open_database()


def load(content: str, kind: str = "csv", *, name: str = "t", **options: Json) -> tuple[list[JsonObject], list[str], list[str]]:
    """The rows, the columns' types and the notes."""
    table = TableRequest.model_validate({"name": name, "format": kind, "content": content, **options})
    loaded = load_tables(database(), [table.to_job()], None)
    fetched = fetch_rows(database(), quote_name(name), 1_000)
    return fetched.rows, [kind for _, kind in fetched.columns], loaded.notes


CSV: list[tuple[str, list[JsonObject]]] = [
    ("a,b\n1,x\n2,y\n", [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]),
    ("a;b\r\n1;x\r\n", [{"a": 1, "b": "x"}]),
    ("a\tb\r1\tx y\r", [{"a": 1, "b": "x y"}]),
    ("a|b\n1|x", [{"a": 1, "b": "x"}]),
    ("\ufeffa,b\n1,x\n", [{"a": 1, "b": "x"}]),
    ("1,2\n3,4\n", [{"column0": 1, "column1": 2}, {"column0": 3, "column1": 4}]),
    ("name\nAda\nBob\n", [{"name": "Ada"}, {"name": "Bob"}]),
    ("note\nhello, world\nplain\n", [{"note": "hello, world"}, {"note": "plain"}]),
    ('a,b\n"x, y",1\n"he said ""hi""",2\n"two\nlines",3\n',
     [{"a": "x, y", "b": 1}, {"a": 'he said "hi"', "b": 2}, {"a": "two\nlines", "b": 3}]),
    ("zip,id\n01234,12345678901234567890123\n00501,2\n",
     [{"zip": "01234", "id": "12345678901234567890123"}, {"zip": "00501", "id": 2}]),
    ("a,b\n,\n1,NA\n", [{"a": None, "b": None}, {"a": 1, "b": "NA"}]),
    ("a,A,b\n1,2,3\n", [{"a": 1, "A_1": 2, "b": 3}]),
    ("day,ok\n2026-02-01,true\n2026-02-03,no\n", [{"day": "2026-02-01", "ok": True}, {"day": "2026-02-03", "ok": False}]),
    ("x\n" + "1\n" * 30 + "abc\n", [{"x": "1"}] * 30 + [{"x": "abc"}]),
    ("| a | b |\n|:--|--:|\n| x \\| y | 2 |\n", [{"a": "x | y", "b": 2}]),
    ("a,b\n", []),
    ("größe,名\n1,é\n", [{"größe": 1, "名": "é"}]),
]  # fmt: skip


@pytest.mark.parametrize(("content", "rows"), CSV)
def test_csv_is_read_as_it_is_meant(content: str, rows: list[JsonObject]) -> None:
    """Delimiters, quotes, headers and types are found; nothing is repaired, so nothing is said."""
    found, _, notes = load(content)
    assert (found, notes) == (rows, [])


REPAIRED: list[tuple[str, list[JsonObject], str]] = [
    ("a,b,c\n1,2,3\n4,5\n6,7,8,9\n", [{"a": 1, "b": 2, "c": 3, "extra_1": None}, {"a": 4, "b": 5, "c": None, "extra_1": None},
                                     {"a": 6, "b": 7, "c": 8, "extra_1": 9}], "1 line (3) has fewer values"),
    ("name, age\nAda, 36\n Bob , 41\n", [{"name": "Ada", "age": 36}, {"name": "Bob", "age": 41}], "spaces around values"),
    ("name;sum\nA;1.001,5\nB;2,25\n", [{"name": "A", "sum": 1001.5}, {"name": "B", "sum": 2.25}],
     'decimal commas were read as numbers: "sum"'),
    ("Report\n\nname,amount\nA,1\nB,2\n", [{"name": "A", "amount": 1}, {"name": "B", "amount": 2}], "stand above the table"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "rows", "note"), REPAIRED)
def test_what_is_repaired_is_said(content: str, rows: list[JsonObject], note: str) -> None:
    """No line is dropped in silence, and the notes count what was done."""
    found, _, notes = load(content)
    assert found == rows
    assert note in " ".join(notes)
    assert all(text.startswith("Table t: ") for text in notes)


def test_numbers_that_could_be_thousands_stay_text() -> None:
    """1,234 beside semicolons may mean either, so nothing is guessed."""
    assert load("a;b\nx;1,234\ny;5,678\n")[1] == ["VARCHAR", "VARCHAR"]


def test_delimiter_and_header_can_be_given() -> None:
    """Where they cannot be found out, the caller says so."""
    assert load("Ada,London\nBob,Paris\n", header=False)[0][0] == {"column0": "Ada", "column1": "London"}
    assert load("a~b\n1~2\n", delimiter="~")[0] == [{"a": 1, "b": 2}]
    assert load("a'b\n1'2\n", delimiter="'")[0] == [{"a": 1, "b": 2}]


JSON: list[tuple[str, list[JsonObject]]] = [
    ('[{"a": 1}, {"a": 2.5, "b": "x"}]', [{"a": 1, "b": None}, {"a": 2.5, "b": "x"}]),
    ('\ufeff{"a": 1}\n\n{"a": 2}\n', [{"a": 1}, {"a": 2}]),
    ('{"a": 1, "b": [1, 2]}', [{"a": 1, "b": "[1,2]"}]),
    ('{"rows": [{"a": 1}, {"a": 2}]}', [{"a": 1}, {"a": 2}]),
    ("[1, null, 2]", [{"value": 1}, {"value": 2}]),
    ('[{"a": {"b": {"c": 1}}}]', [{"a": '{"b":{"c":1}}'}]),
    ('[{"zip": "01234", "n": 9007199254740993}]', [{"zip": "01234", "n": "9007199254740993"}]),
    ('[{"a": NaN}, {"a": 1e400}]', [{"a": "NaN"}, {"a": "Infinity"}]),
    ('[{"a": 1, "a": 2}]', [{"a": 2}]),
    ('[{"A": 1, "a": 2}]', [{"A": 1, "a_1": 2}]),
    ("[" + ", ".join(f'{{"k{n}": {n}}}' for n in range(300)) + "]",
     [{f"k{n}": n if n == row else None for n in range(100)} for row in range(300)]),
]  # fmt: skip


@pytest.mark.parametrize(("content", "rows"), JSON)
def test_json_is_read_as_it_is_meant(content: str, rows: list[JsonObject]) -> None:
    """Arrays, lines, single objects, wrapped arrays and plain values make rows."""
    found, _, notes = load(content, "json")
    assert (found, notes) == (rows, [])


def test_large_integers_of_json_stay_exact() -> None:
    """Over 64 bits they are text, which SQL can cast, and a note says so."""
    rows, _, notes = load('[{"a": 12345678901234567890123}]', "json")
    assert rows == [{"a": "12345678901234567890123"}]
    assert "::HUGEINT" in notes[0]


def test_parquet_is_read_from_base64(tmp_path: Path) -> None:
    """The types are the file's own; line breaks in the base64 do not matter."""
    duckdb.execute(f"COPY (SELECT 1::TINYINT AS a, DATE '2026-07-01' AS d) TO '{tmp_path}/t.parquet'")
    encoded = base64.encodebytes((tmp_path / "t.parquet").read_bytes()).decode()
    assert load(encoded, "parquet") == ([{"a": 1, "d": "2026-07-01"}], ["TINYINT", "DATE"], [])


def test_parquet_that_is_far_larger_inside_is_refused(tmp_path: Path) -> None:
    """A few bytes that stand for a billion long texts meet the memory limit while they are read."""
    duckdb.execute(f"COPY (SELECT repeat('x', 1000) || i % 2 AS a FROM range(400000) t(i)) TO '{tmp_path}/t.parquet'")
    encoded = base64.b64encode((tmp_path / "t.parquet").read_bytes()).decode()
    assert len(encoded) < 1_000_000
    with pytest.raises(Problem, match="limit memory"):
        load(encoded, "parquet")


@pytest.mark.parametrize(
    ("content", "kind", "reason"),
    [
        ("", "csv", "empty"),
        (" \n\n", "csv", "empty"),
        ("\ufeff", "json", "no valid JSON"),
        ("[]", "json", "no rows"),
        ("[{}]", "json", "no rows"),
        ("{}", "json", "no rows"),
        ("3", "json", "single value"),
        ('[{"a": 1},', "json", "no valid JSON"),
        ('[{"a": 1}] x', "json", "no valid JSON"),
        ('{"a": 1}\n{b}\n', "json", "Line 2"),
        ('[{"a": 1}, 2]', "json", "mixes"),
        ("[" * 100_000, "json", "nests too deeply"),
        ('[{"a": ' + "[" * 900 + "]" * 900 + "}]", "json", "Table t"),
        ("[" + ", ".join(f'{{"k{n}": {n}}}' for n in range(1001)) + "]", "json", "limit columns"),
        (",".join(f"c{n}" for n in range(1001)) + "\n", "csv", "limit columns"),
        ("no base64!", "parquet", "base64"),
        ("aGVsbG8=", "parquet", "Parquet"),
    ],
)
def test_what_is_no_table_is_refused(content: str, kind: str, reason: str) -> None:
    """The reason names the table and what would do."""
    with pytest.raises(Problem) as caught:
        load(content, kind)
    assert caught.value.message.startswith("Table t: ")
    assert reason in caught.value.message + (caught.value.hint or "")


@pytest.mark.parametrize(
    "name", ["select", "my table", "a.b", "Größe", "t'; DROP TABLE x; --", "information_schema", "duckdb_settings"]
)
def test_any_name_will_do(name: str) -> None:
    """Reserved words, spaces, quotes and names of DuckDB's own views are names like others."""
    assert load("a\n1\n", name=name)[0] == [{"a": 1}]


@settings(max_examples=30)
@given(
    st.text(st.characters(codec="utf-8"), max_size=60) | st.text('ab12,;|"\n\t -', max_size=60), st.sampled_from(["csv", "json"])
)
def test_any_text_is_a_table_or_has_a_reason(content: str, kind: str) -> None:
    """Whatever is given as CSV or JSON, nothing but a `Problem` is raised."""
    table = TableRequest.model_validate({"name": "t", "format": kind, "content": content})
    with contextlib.suppress(Problem):
        load_tables(database(), [table.to_job()], None)
        assert len(fetch_rows(database(), "t", 1_000).rows) <= content.count("\n") + 1


@given(lines=st.lists(st.lists(st.sampled_from(["a", "b", "12", "3.5", ""]), min_size=1, max_size=4).map(",".join), max_size=8))
@settings(max_examples=40)
def test_no_line_is_left_out_in_silence(lines: list[str]) -> None:
    """Rows, the header and the lines that a note counts make up all lines that hold a value."""
    table = TableRequest.model_validate({"name": "t", "content": "\n".join(lines)})
    expected = sum(bool(line.strip(",")) for line in lines)
    if not expected:
        return
    notes = load_tables(database(), [table.to_job()], None).notes
    rows = len(fetch_rows(database(), "t", 1_000).rows)
    above = sum(int(found) for note in notes for found in re.findall(r"the first (\d+) lines stand above", note))
    assert rows + 1 + above >= expected


@given(st.text('ab,"\n', max_size=60))
def test_repaired_lines_have_one_width(content: str) -> None:
    """After the repair every line has as many values as the longest had."""
    text = clean_text(content)
    widths = {line.count(",") for line in repair_lines(text.replace('"', ""), ",").text.splitlines()}
    assert len(widths) <= 1
