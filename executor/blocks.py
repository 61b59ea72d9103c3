"""Content blocks of a skill as the content of a tool message."""

from __future__ import annotations

from collections.abc import Sequence

from apps.sdk.jsontypes import JsonObject
from apps.sdk.results.characters import clean_text
from apps.sdk.results.toon import encode
from executor.cut import share_budget
from executor.ids import EntryId


def render_blocks(
    head: str | None, groups: Sequence[tuple[EntryId, list[JsonObject]]], limit: int
) -> tuple[list[JsonObject], int]:
    """The blocks in order, untouched but for hidden characters and texts over `limit` bytes; and the characters removed.

    With a `head` it comes first, and each group is led by the id of its request.
    """
    texts = [block["text"] for _, blocks in groups for block in blocks if block["type"] == "text"]
    share = share_budget([len(text.encode("utf-8", "replace")) for text in texts], limit)
    content: list[JsonObject] = [] if head is None else [{"type": "text", "text": head}]
    removed = 0
    for entry_id, blocks in groups:
        if head is not None:
            content.append({"type": "text", "text": encode({"blocks_of_request": entry_id})})
        for block in blocks:
            if block["type"] == "text":
                text, count = clean_text(block["text"])
                removed += count
                content.append({**block, "text": _cut_text(text, share)})
            else:
                content.append(block)
    return content, removed


def _cut_text(text: str, limit: int) -> str:
    data = text.encode()
    if len(data) <= limit:
        return text
    kept = data[:limit].decode("utf-8", "ignore")
    return f"{kept}… [{len(text) - len(kept)} of {len(text)} characters are left out here]"
