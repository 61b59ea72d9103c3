"""Messages that plainly ask for a page or for a search."""

from __future__ import annotations

import re

MAX_MESSAGE = 2_000
_ADDRESS = re.compile(r"""\b(?:https?://|www\.)[^\s<>"'`|\\^{}]{3,1900}""", re.IGNORECASE)
_WEB = r"(?:the\s+)?(?:web|internet|net)|online"
_WEB_DE = r"(?:im|das)\s+(?:web|internet|netz)"
_SEARCHES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:search|browse|scan)\s+(?:{_WEB})\s+(?:for|about|on)\s+(?P<query>.+)",
        rf"\b(?:search|look)\s+(?:for\s+|up\s+)?(?P<query>.+?)\s+(?:on\s+|in\s+)?(?:{_WEB})$",
        r"\bfind\s+(?P<query>.+?)\s+(?:on\s+(?:the\s+)?(?:web|internet|net)|online)$",
        r"\b(?:web\s+search|google)(?:\s+for|:)?\s+(?P<query>.+)",
        rf"\b(?:suche?|durchsuche)\s+(?:{_WEB_DE}|online)\s+nach\s+(?P<query>.+)",
        r"\bbusca\s+en\s+(?:internet|la\s+web)\s+(?P<query>.+)",
        r"\bcherche\s+sur\s+(?:internet|le\s+web)\s+(?P<query>.+)",
    )
)


def find_address(text: str) -> str | None:
    """The first web address in `text`, without the punctuation of the sentence around it."""
    found = _ADDRESS.search(text[:MAX_MESSAGE])
    if found is None:
        return None
    address = found[0].rstrip(".,;:!?*_")
    while address.endswith((")", "]")) and address.count(address[-1]) > address.count("(" if address[-1] == ")" else "["):
        address = address[:-1].rstrip(".,;:!?*_")
    return address


def find_query(text: str) -> str | None:
    """What `text` asks to be searched on the web; None when it names an address, which is to be read."""
    line = " ".join(text[:MAX_MESSAGE].split()).rstrip("?!. ")
    if _ADDRESS.search(line):
        return None
    for pattern in _SEARCHES:
        if (found := pattern.search(line)) and (query := found["query"].strip(" \"'“”„.,:;?!")):
            return query[:400]
    return None
