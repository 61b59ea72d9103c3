"""Characters that a person would not see and a model would read: removed from the model's copy, and counted.

Removed: Unicode tag characters outside flag sequences, bidi embeddings, overrides and isolates, zero-width characters and
joiners that join nothing, variation selectors that select nothing. Kept: joiners inside emoji and inside words of scripts that
need them (Arabic and Persian, Indic scripts, Mongolian ...), zero-width spaces between letters of scripts without blanks.
Sources: Unicode Technical Standard 51 (emoji sequences), the Unicode Standard section 23.2 (joiners) and 23.9 (tags).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from apps.sdk.jsontypes import Json
from apps.sdk.truncation import replace_surrogates
from apps.sdk.walks import map_strings

_BIDI = "\u202a-\u202e\u2066-\u2069"
_ZERO_WIDTH = "\u180e\u200b\u2060-\u2064\u206a-\u206f\ufeff\ufff9-\ufffb"
_JOINERS = "\u200c\u200d"
_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_TAGS = "\U000e0000-\U000e007f"
_FLAG = "\U0001f3f4[\U000e0061-\U000e007a]{2}[\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,4}\U000e007f"
_HIDDEN = re.compile(f"(?P<flag>{_FLAG})|[{_BIDI}{_ZERO_WIDTH}{_JOINERS}{_SELECTORS}{_TAGS}]")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]")
_LINE_BREAKS = re.compile("[\u0085\u2028\u2029]")

_JOINING = re.compile(
    "[\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\u1900-\u1cff\ua800-\uabff\ufb50-\ufdff\ufe70-\ufefc]"
)
_BLANKLESS = re.compile("[\u0e00-\u0eff\u0f00-\u109f\u1780-\u17ff\u1950-\u1aaf\u3040-\u30ff\u3400-\u9fff\uaa60-\uaadf]")
_EMOJI = re.compile("[\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001faff]")
_SELECTABLE = re.compile("[#*0-9]|[^\x00-\x7f]")
_PASSES = 10


@dataclass(frozen=True, slots=True)
class Cleaned:
    """JSON without hidden characters, and how many there were."""

    value: Json
    removed: int


def clean_characters(value: Json) -> Cleaned:
    """A cleaned copy of every string and key; other line separators become line feeds, half surrogates U+FFFD."""
    removed = 0

    def clean(text: str) -> str:
        nonlocal removed
        if text.isascii():
            return text
        cleaned, count = clean_text(text)
        removed += count
        return cleaned

    return Cleaned(map_strings(value, clean), removed)


def clean_text(text: str) -> tuple[str, int]:
    """The text as a reader would see it, and the number of characters removed. Cleaning twice is cleaning once."""
    text = _LINE_BREAKS.sub("\n", replace_surrogates(text))
    before = len(text)
    for _ in range(_PASSES):
        cleaned = _HIDDEN.sub(_keep_or_drop, text)
        if cleaned == text:
            return text, before - len(text)
        text = cleaned
    text = _HIDDEN.sub("", text)
    return text, before - len(text)


def find_hidden(text: str) -> str | None:
    """The first character of the text that a person would not see and a model would read, control characters included."""
    if (control := _CONTROL.search(text)) is not None:
        return control[0]
    if text.isascii() or clean_text(text)[1] == 0:
        return None
    return next((match[0] for match in _HIDDEN.finditer(text) if not _keep_or_drop(match)), None)


def _keep_or_drop(match: re.Match[str]) -> str:
    if match["flag"]:
        return match.group()
    character, text = match.group(), match.string
    before, after = text[max(0, match.start() - 2) : match.start()], text[match.end() : match.end() + 1]
    return character if _belongs(character, before, after) else ""


def _belongs(character: str, before: str, after: str) -> bool:
    """Whether the character does something visible between its neighbours."""
    last = before[-1:]
    if character in _JOINERS:
        return bool(_JOINING.match(last)) or (character == "\u200d" and _ends_emoji(before) and bool(_EMOJI.match(after)))
    if character == "\u200b":
        return bool(_BLANKLESS.match(last) and _BLANKLESS.match(after))
    if re.match(f"[{_SELECTORS}]", character):
        return bool(_SELECTABLE.match(last)) and not _HIDDEN.match(last)
    return False


def _ends_emoji(before: str) -> bool:
    """An emoji, perhaps followed by a presentation selector; skin tones are emoji themselves."""
    return bool(_EMOJI.match(before.removesuffix("\ufe0f")[-1:]))
