"""Requests that a message spells out: SQL and data in fenced blocks, or a plain wish, a colon and the lines of a CSV."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import Final

from apps.data.skills.tables import MAX_CONTENT
from apps.sdk.jsontypes import JsonObject

_FENCE: Final = re.compile(r"^[ \t]*```[ \t]*(csv|tsv|json|sql)[ \t]*\n(.*?)^[ \t]*```", re.MULTILINE | re.DOTALL | re.IGNORECASE)
_FROM: Final = re.compile(r"\bfrom\s+([A-Za-z_][A-Za-z0-9_]{0,59})", re.IGNORECASE)
_ASKS: Final = re.compile(
    r"\b(?:describ[ei]\w*|summar[iy]\w*|profile|overview|columns?|what(?:'s| is) in|beschreib\w*|spalten|columnas|d[ée]cri\w+)\b",
    re.IGNORECASE,
)
_DATA: Final = re.compile(
    r"\b(?:csv|tsv|tables?|tabelle|tabla|tableau|data(?:set)?|daten|datos|donn[ée]es|spreadsheet)\b", re.IGNORECASE
)
_MAX_WISH: Final = 200
"""Characters before the colon."""
_DELIMITERS: Final = (";", "\t", "|", ",")
_FUNCTIONS: Final = MappingProxyType(
    {
        "sum": "sum|total|add up|summiere|suma", "avg": "average|mean|durchschnitt|promedio|moyenne",
        "max": "maximum|max|largest|highest", "min": "minimum|min|smallest|lowest",
    }
)  # fmt: skip
_GROUPED: Final = re.compile(
    rf"\b(?:{'|'.join(f'(?P<{name}>{words})' for name, words in _FUNCTIONS.items())})"
    r"(?: (?:up|of|the|all|der|die|das|den|des|de|el|la|los|las|du|le))* (?P<value>[^\s:,;]{1,60})"
    r" (?:per|by|for each|for every|pro|je|por|par)(?: (?:each|every))? (?P<key>[^\s:,;]{1,60})",
    re.IGNORECASE,
)


def find_query(text: str) -> JsonObject | None:
    """SQL and data in one block each, the table being the first name after FROM; or "Sum the amount per region:" and a CSV."""
    return _find_written_query(text) or _find_grouping(text)


def _find_written_query(text: str) -> JsonObject | None:
    blocks = _find_blocks(text)
    queries = [content for kind, content in blocks if kind == "sql"]
    tables = [(kind, content) for kind, content in blocks if kind != "sql"]
    if len(queries) != 1 or len(tables) != 1 or (named := _FROM.search(queries[0])) is None:
        return None
    return {"sql": queries[0].strip(), "tables": [_make_table(named[1], *tables[0])]}


def find_description(text: str) -> JsonObject | None:
    """One block of data, and outside of it a question for what it holds; or "Describe this CSV:" and one."""
    if (found := _find_inline(text)) and _ASKS.search(found[0]) and _DATA.search(found[0]):
        return _make_table("data", "csv", "\n".join(found[1]))
    blocks = _find_blocks(text)
    if len(blocks) != 1 or blocks[0][0] == "sql" or not _ASKS.search(_FENCE.sub("", text[:MAX_CONTENT])):
        return None
    return _make_table("data", *blocks[0])


def _find_grouping(text: str) -> JsonObject | None:
    found = _find_inline(text)
    wish = _GROUPED.search(found[0]) if found else None
    if found is None or wish is None:
        return None
    header = found[1][0]
    delimiter = next(delimiter for delimiter in _DELIMITERS if delimiter in header)
    columns = {name.casefold(): name for name in map(str.strip, header.split(delimiter))}
    value, key = (columns.get(wish[group].casefold()) for group in ("value", "key"))
    function = next(name for name in _FUNCTIONS if wish[name])
    if not value or not key or '"' in header:
        return None
    sql = f'SELECT "{key}", {function}("{value}") AS {function} FROM data GROUP BY ALL ORDER BY ALL'  # noqa: S608 - names of the header
    return {"sql": sql, "tables": [_make_table("data", "csv", "\n".join(found[1]))]}


def _find_inline(text: str) -> tuple[str, list[str]] | None:
    """What stands before the first colon, and the lines of the CSV after it; a slash between blanks may stand for a new line."""
    wish, _, rest = text.strip().partition(":")
    if not rest or len(wish) > _MAX_WISH or len(rest) > MAX_CONTENT:
        return None
    lines = [line.strip() for line in (rest.strip().split("\n") if "\n" in rest.strip() else rest.split(" / "))]
    widths = next((widths for mark in _DELIMITERS if (widths := [line.count(mark) for line in lines])[0]), [0])
    return (wish, lines) if len(lines) > 1 and len(set(widths)) == 1 else None


def _find_blocks(text: str) -> list[tuple[str, str]]:
    if text.count("```") != text[:MAX_CONTENT].count("```"):
        return []
    return [(found[1].lower(), found[2]) for found in _FENCE.finditer(text[:MAX_CONTENT])]


def _make_table(name: str, kind: str, content: str) -> JsonObject:
    table: JsonObject = {"name": name, "format": "json" if kind == "json" else "csv", "content": content}
    return {**table, "delimiter": "\t"} if kind == "tsv" else table
