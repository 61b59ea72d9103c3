"""Requests that a message spells out in fenced blocks: one of SQL, one of data."""

from __future__ import annotations

import re
from typing import Final

from apps.data.skills.tables import MAX_CONTENT
from apps.sdk.jsontypes import JsonObject

_FENCE: Final = re.compile(r"^[ \t]*```[ \t]*(csv|tsv|json|sql)[ \t]*\n(.*?)^[ \t]*```", re.MULTILINE | re.DOTALL | re.IGNORECASE)
_FROM: Final = re.compile(r"\bfrom\s+([A-Za-z_][A-Za-z0-9_]{0,59})", re.IGNORECASE)
_ASKS: Final = re.compile(
    r"\b(?:describ[ei]\w*|summar[iy]\w*|profile|overview|columns?|what(?:'s| is) in|beschreib\w*|spalten|columnas|d[ée]cri\w+)\b",
    re.IGNORECASE,
)


def find_query(text: str) -> JsonObject | None:
    """The request of a message with one block of SQL and one of data; the table has the first name after FROM."""
    blocks = _find_blocks(text)
    queries = [content for kind, content in blocks if kind == "sql"]
    tables = [(kind, content) for kind, content in blocks if kind != "sql"]
    if len(queries) != 1 or len(tables) != 1 or (named := _FROM.search(queries[0])) is None:
        return None
    return {"sql": queries[0].strip(), "tables": [_make_table(named[1], *tables[0])]}


def find_description(text: str) -> JsonObject | None:
    """The request of a message with one block of data that asks, outside of it, what it holds."""
    blocks = _find_blocks(text)
    if len(blocks) != 1 or blocks[0][0] == "sql" or not _ASKS.search(_FENCE.sub("", text[:MAX_CONTENT])):
        return None
    return _make_table("data", *blocks[0])


def _find_blocks(text: str) -> list[tuple[str, str]]:
    if text.count("```") != text[:MAX_CONTENT].count("```"):
        return []
    return [(found[1].lower(), found[2]) for found in _FENCE.finditer(text[:MAX_CONTENT])]


def _make_table(name: str, kind: str, content: str) -> JsonObject:
    table: JsonObject = {"name": name, "format": "json" if kind == "json" else "csv", "content": content}
    return {**table, "delimiter": "\t"} if kind == "tsv" else table
