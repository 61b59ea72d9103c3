"""Messages that plainly ask for a page or for a search."""

from __future__ import annotations

import re

from apps.sdk.questions import LOOKED_AT, take_ends
from apps.sdk.truncation import shorten_middle

_ADDRESS = re.compile(r"""\b(?:https?://|www\.)[^\s<>"'`|\\^{}]{3,1900}""", re.IGNORECASE)
_WEB = r"(?:the\s+)?(?:web|internet|net)|online"
_WEB_DE = r"(?:im|das)\s+(?:web|internet|netz)"
_QUERY = "(?P<query>.{1,400})"
_UP_TO = "(?P<query>.{1,400}?)"
_SEARCHES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:search|browse|scan)\s+(?:{_WEB})\s+(?:for|about|on)\s+{_QUERY}",
        rf"\b(?:search|look)\s+(?:for\s+|up\s+)?{_UP_TO}\s+(?:on\s+|in\s+)?(?:{_WEB})$",
        rf"\bfind\s+{_UP_TO}\s+(?:on\s+(?:the\s+)?(?:web|internet|net)|online)$",
        rf"\b(?:web\s+search|google)(?:\s+for|:)?\s+{_QUERY}",
        rf"\b(?:suche?|durchsuche)\s+(?:{_WEB_DE}|online)\s+nach\s+{_QUERY}",
        rf"\bbusca\s+en\s+(?:internet|la\s+web)\s+{_QUERY}",
        rf"\bcherche\s+sur\s+(?:internet|le\s+web)\s+{_QUERY}",
    )
)


def find_address(text: str) -> str | None:
    """The first web address in `text`, without the punctuation of the sentence around it."""
    shown = shorten_middle(text, LOOKED_AT)  # as it is spelled: an address may hold what `take_ends` folds
    found = next((found for found in _ADDRESS.finditer(shown) if not shown.startswith(" …", found.end())), None)
    if found is None:
        return None
    address = found[0].rstrip(".,;:!?*_")
    while address.endswith((")", "]")) and address.count(address[-1]) > address.count("(" if address[-1] == ")" else "["):
        address = address[:-1].rstrip(".,;:!?*_")
    return address


def find_query(text: str) -> str | None:
    """What `text` asks to be searched on the web; None when it names an address, which is to be read."""
    line = " ".join(take_ends(text).split()).rstrip("?!. ")
    if _ADDRESS.search(line):
        return None
    for pattern in _SEARCHES:
        if (found := pattern.search(line)) and (query := found["query"].strip(" \"'“”„.,:;?!")):
            return query
    return None
