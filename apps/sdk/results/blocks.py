"""Content blocks: what a skill returns for the model to see as it is, `[{"type": "text" | "image_url", ...}]`."""

from __future__ import annotations

from apps.sdk.jsontypes import Json


def holds_blocks(value: Json) -> bool:
    """Whether `value` is a list of content blocks and nothing else."""
    return isinstance(value, list) and bool(value) and all(_is_block(item) for item in value)


def _is_block(item: Json) -> bool:
    if not isinstance(item, dict) or len(item) != 2:
        return False
    image = item.get("image_url")
    is_image = isinstance(image, str) or (isinstance(image, dict) and isinstance(image.get("url"), str))
    kind = item.get("type")
    return (kind == "text" and isinstance(item.get("text"), str)) or (kind == "image_url" and is_image)
