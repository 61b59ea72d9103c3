"""What messages say, as every provider takes it: clean text, or blocks that each name their type."""

from __future__ import annotations

import json

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.walks import exceeds_depth, map_strings
from service.models.replies import clean_text


def repair_content(content: Json) -> Json:
    """The same text or blocks: what is no block becomes a text block, a text block without a word is left out.

    Nothing at all is the empty text. Raises `ValueError` for a block that nests too deeply to be sent.
    """
    if not isinstance(content, list):
        return clean_text(content) if isinstance(content, str) else "" if content is None else _write(content)
    blocks = [_repair_block(block) for block in content]
    return [block for block in blocks if block["type"] != "text" or block["text"].strip()] or ""


def join_contents(first: Json, second: Json) -> Json:
    """One content that says both, in this order: text with a blank line between, or the blocks of both."""
    if isinstance(first, str) and isinstance(second, str):
        return "\n\n".join(part for part in (first, second) if part)
    return [*_list_blocks(first), *_list_blocks(second)]


def is_said(content: Json) -> bool:
    """Whether the content holds anything at all."""
    return bool(content.strip() if isinstance(content, str) else content)


def _list_blocks(content: Json) -> list[Json]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return list(content)


def _repair_block(block: Json) -> JsonObject:
    if exceeds_depth(block):
        raise ValueError("a content block nests too deeply")
    if _is_block(block):
        cleaned: JsonObject = map_strings(block, clean_text)
        return cleaned
    return {"type": "text", "text": clean_text(block if isinstance(block, str) else _write(block))}


def _is_block(value: Json) -> bool:
    """An object that names its type; a text block has a text."""
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        return False
    return isinstance(value.get("text"), str) if value["type"] == "text" else bool(value["type"])


def _write(value: Json) -> str:
    return clean_text(json.dumps(value, ensure_ascii=False))
