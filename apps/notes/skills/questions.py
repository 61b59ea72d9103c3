"""What a message plainly asks of the notes. Strict: nothing is saved or deleted that was not asked for in so many words."""

from __future__ import annotations

import re
from typing import Final

from apps.notes.skills.notebook import ID_LENGTH, MAX_TEXT
from apps.notes.skills.tags import clean_tag
from apps.sdk.jsontypes import JsonObject
from apps.sdk.questions import take_ends

_POLITE: Final = r"\s{0,9}(?:(?:please|can you|could you|bitte|por favor)[, ] ?)?"
_PLEASE: Final = r"(?:[, ]{1,2}(?:please|bitte|por favor))?"
_NEW: Final = re.compile(
    rf"(?!please,? note that ){_POLITE}(?:"
    r"(?:save|add|put|write) (?:this|that|the following|it) (?:to|in|into|down in) my notes: ?|(?:new )?note(?: to self)?: ?"
    r"|(?:make|take|save|add|write) (?:me )?a (?:quick |new )?note(?: to self)?"
    rf"{_PLEASE}(?: that |: ?|, ?that )"
    rf"|(?:note(?: down)?|write down|jot down){_PLEASE},? that |(?:note(?: down)?|write down|jot down){_PLEASE}: ?"
    r"|(?:notiz|notiere|notiere bitte|merk dir|merke dir): ?|(?:notiere|merke? dir|notier)(?: bitte)?, ?dass? "
    r"|(?:apunta|anota|toma nota de) que |(?:nota|apunta|anota): ?|(?:note|notez|prends note) que )",
    re.IGNORECASE,
)
_MY_NOTES: Final = r"(?:my|meinen?|mis|mes)(?: (?:saved|own))? (?:notes|notizen|notas)"
_END: Final = rf"{_PLEASE}\s?(?=$|[?!.;\n])"
_TAG: Final = r"(?: (?:tagged|with (?:the )?tag|labelled|labeled)(?: as)? [\"'“]?#?(?P<tag>[\w-]{1,40})[\"'”]?)?"
_LIST: Final = re.compile(
    rf"\b(?:(?:(?:show|list|read|give|display)(?: me)?|zeig(?:e)?(?: mir)?|mu[eé]strame|montre-moi) (?:all )?(?:of )?"
    rf"(?:alle |todas |toutes )?{_MY_NOTES}|(?:what|which) notes (?:do i have|have i saved|did i save)|what are my notes"
    rf"|welche notizen habe ich|qu[eé] notas tengo){_TAG}{_END}",
    re.IGNORECASE,
)
_WORDS: Final = r"[\"'“„]?(?P<words>[^\s\"“”?!.;:,]{1,40}(?: [^\s\"“”?!.;:,]{1,40}){0,7}?)[\"'”]?"
_ABOUT: Final = r"(?:(?:about|on|for|regarding|mentioning|über|zu|nach|sobre|sur)|with the words?) "
_NOTE: Final = "(?:note|notiz|nota)"
_SEARCH: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:search|look|check|go)(?: (?:in|through))? {_MY_NOTES} (?:for|about|on) (?:the )?{_WORDS}{_END}",
        rf"\bdurchsuche {_MY_NOTES} nach {_WORDS}{_END}",
        rf"\bbusca(?:r)? en {_MY_NOTES} {_WORDS}{_END}",
        rf"\bcherche(?:r)? dans {_MY_NOTES} {_WORDS}{_END}",
        rf"\bfind (?:me )?(?:my|the) notes? {_ABOUT}(?:the )?{_WORDS}{_END}",
        rf"\bwhat (?:did i|have i) (?:note|noted|write down|written down) (?:down )?{_ABOUT}(?:the )?{_WORDS}{_END}",
        rf"\b(?:delete|remove|lösche|borra|supprime) (?:the|my|die|meine|la|mi|ma) {_NOTE} {_ABOUT}(?:the )?{_WORDS}{_END}",
        rf"\bdo i have (?:a note|any notes|notes) {_ABOUT}(?:the )?{_WORDS}{_END}",
    )
)
_DELETE: Final = re.compile(
    r"\b(?:delete|remove|lösche|borra|supprime)(?: the| my| die| la)? "
    rf"{_NOTE} #?(?P<id>[0-9a-z]{{{ID_LENGTH}}}){_END}",
    re.IGNORECASE,
)


def find_new_note(text: str) -> JsonObject | None:
    """`{text}` of a message that is a note from its first words to its end."""
    match = _NEW.match(text)
    note = text[match.end() :].strip() if match and len(text) <= 2 * MAX_TEXT else ""
    return {"text": note} if 0 < len(note) <= MAX_TEXT and any(map(str.isalnum, note)) else None


def find_listing(text: str) -> JsonObject | None:
    """`{}`, or `{tag}`, of a message that asks to see the notes."""
    match = _LIST.search(take_ends(text))
    if match is None:
        return None
    tag = clean_tag(match["tag"] or "")
    return {"tag": tag} if tag else {}


def find_search(text: str) -> JsonObject | None:
    """`{words}` of a message that looks for something in the notes, if only to have it deleted: its id is found first."""
    shown = take_ends(text)
    matches = (pattern.search(shown) for pattern in _SEARCH)
    return next(({"words": match["words"].strip()} for match in matches if match), None)


def find_deletion(text: str) -> JsonObject | None:
    """`{id}` of a message that asks to delete the note with that id."""
    match = _DELETE.search(take_ends(text))
    return None if match is None or match["id"].isalpha() else {"id": match["id"].casefold()}
