"""CSV text before DuckDB reads it: marks and Markdown taken off, ragged lines filled, with a word on what was done."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from typing import Final

DELIMITERS: Final = ",;\t|"

_MARKDOWN_RULE: Final = re.compile(r"\|?(\s*:?-+:?\s*\|)+\s*:?-*:?\s*")
_LINES_NAMED: Final = 5


@dataclass(frozen=True, slots=True)
class Repaired:
    """Comma-separated text whose lines all have as many values; `notes` say which lines had not."""

    text: str
    notes: tuple[str, ...]


def clean_text(text: str) -> str:
    """`text` without a byte order mark, with line feeds for line ends, and a Markdown table as CSV."""
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    lines = plain.split("\n", 2)
    if len(lines) > 1 and lines[0].lstrip().startswith("|") and _MARKDOWN_RULE.fullmatch(lines[1].strip()):
        return _read_markdown(plain.split("\n"))
    return plain


def guess_delimiter(text: str) -> str | None:
    """The delimiter that the first line holds most of."""
    first = text.split("\n", 1)[0]
    best = max(DELIMITERS, key=first.count)
    return best if best in first else None


def repair_lines(text: str, delimiter: str) -> Repaired:
    """Values that a line lacks are empty; those that it has too many of make columns of their own. Blank lines are dropped."""
    csv.field_size_limit(len(text) + 1)
    reader = csv.reader(io.StringIO(text), delimiter=delimiter, skipinitialspace=True)
    rows = [(reader.line_num, row) for row in reader if row]
    expected = len(rows[0][1]) if rows else 0
    width = max((len(row) for _, row in rows), default=0)
    short = [line for line, row in rows if len(row) < expected]
    long = [line for line, row in rows if len(row) > expected]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for place, (_, row) in enumerate(rows):
        extra = [f"extra_{number + 1}" for number in range(width - expected)] if place == 0 else []
        writer.writerow([*row, *extra, *[""] * (width - len(row) - len(extra))])
    return Repaired(out.getvalue(), tuple(_describe(short, long)))


def _describe(short: list[int], long: list[int]) -> list[str]:
    notes = []
    if short:
        notes.append(f"{_count(short)} fewer values than the first line; the missing ones are null.")
    if long:
        notes.append(f"{_count(long)} more values than the first line; they are in extra columns.")
    return notes


def _count(lines: list[int]) -> str:
    named = ", ".join(map(str, lines[:_LINES_NAMED])) + (", ..." if len(lines) > _LINES_NAMED else "")
    return f"1 line ({named}) has" if len(lines) == 1 else f"{len(lines)} lines ({named}) have"


def _read_markdown(lines: list[str]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for place, line in enumerate(lines):
        if place != 1 and line.strip():
            inner = line.strip().removeprefix("|").removesuffix("|")
            writer.writerow([cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", inner)])
    return out.getvalue()
