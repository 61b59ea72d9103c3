"""Texts cut to a length, and rid of characters that cannot be encoded."""

from __future__ import annotations

import re

_SURROGATE = re.compile("[\ud800-\udfff]")


def shorten(text: str, limit: int) -> str:
    """At most `limit` characters, the last of them an ellipsis when something was cut."""
    return text if len(text) <= limit else f"{text[: max(0, limit - 1)]}…"


def shorten_middle(text: str, length: int, mark: str = " … ") -> str:
    """The text when it has at most `length` characters; else two thirds of them from its head, the rest from its tail."""
    if len(text) <= length:
        return text
    head = length * 2 // 3
    return f"{text[:head]}{mark}{text[len(text) - (length - head) :]}"


def replace_surrogates(text: str) -> str:
    """The text with U+FFFD for each lone surrogate, half of a pair, which cannot be encoded."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)
