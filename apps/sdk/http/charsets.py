"""The text of a body whose charset is only claimed."""

from __future__ import annotations

import codecs
import re

_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_META = re.compile(rb"""<meta[^>]{0,200}?charset\s{0,9}=\s{0,9}["']?\s{0,9}([\w.:-]{2,40})""", re.IGNORECASE)
_XML = re.compile(rb"""^\s{0,9}<\?xml[^>]{0,200}?encoding\s{0,9}=\s{0,9}["']([\w.:-]{2,40})""", re.IGNORECASE)
_HEAD = 4_096
"""Bytes in which a page may say its charset; the standard looks at 1,024, and longer heads of comments are about."""

_LATIN = frozenset({"ascii", "iso8859-1"})
"""What the web's pages mean by these is Windows-1252 (WHATWG Encoding)."""

_CODECS = frozenset(
    {
        "utf-8",
        "utf-8-sig",
        "utf-16",
        "utf-16-le",
        "utf-16-be",
        "koi8-r",
        "koi8-u",
        "mac-roman",
        "mac-cyrillic",
        "tis-620",
        "cp866",
    }
    | {f"iso8859-{part}" for part in range(2, 17)}
    | {f"cp125{page}" for page in range(9)}
    | {"cp874", "cp932", "cp949", "cp950", "gb2312", "gbk", "gb18030", "hz", "big5", "big5hkscs", "shift_jis", "euc_jp", "euc_kr"}
    | {"iso2022_jp", "iso2022_kr", "johab"}
)
"""Charsets of real pages, by the names that `codecs` gives them; others take long (punycode) or are no charsets."""

_LABELS = {
    "windows-31j": "cp932",
    "x-sjis": "shift_jis",
    "windows-874": "cp874",
    "x-mac-cyrillic": "mac-cyrillic",
    "x-gbk": "gbk",
}
"""Labels of the web that `codecs` does not know."""


def decode(body: bytes, charset: str | None = None) -> str:
    """`body` as text: by the mark at its start, by `charset`, by what its own first bytes say, as UTF-8, as Windows-1252.

    Never raises; what cannot be decoded becomes U+FFFD.
    """
    for mark, name in _MARKS:
        if body.startswith(mark):
            return body.decode(name, "replace")
    named = _find_codec(charset) or _find_codec(_read_claim(body))
    if named:
        return body.decode(named, "replace")
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        # bytes that break off inside a character are UTF-8 all the same
        return body.decode("utf-8" if error.reason == "unexpected end of data" else "cp1252", "replace")


def _read_claim(body: bytes) -> str | None:
    claim = _XML.search(body[:_HEAD]) or _META.search(body[:_HEAD])
    name = claim[1].decode("ascii", "replace").lower() if claim else None
    return "utf-8" if name and name.startswith("utf-16") else name  # it could be read as ASCII, so it is none


def _find_codec(label: str | None) -> str | None:
    name = (label or "").strip().lower()
    try:
        found = codecs.lookup(_LABELS.get(name, name)).name
    except (LookupError, ValueError):
        return None
    return "cp1252" if found in _LATIN else found if found in _CODECS else None
