"""Text of bodies whose charset is claimed, wrong, missing or hostile."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.sdk.http.charsets import decode

CLAIMED = [
    ("Grüße".encode(), None, "Grüße"),
    ("Grüße".encode("latin-1"), "iso-8859-1", "Grüße"),
    ("“quoted” €5".encode("cp1252"), "latin1", "“quoted” €5"),
    ("“quoted”".encode("cp1252"), "us-ascii", "“quoted”"),
    ("Привет".encode("cp1251"), "windows-1251", "Привет"),
    ("Привет".encode("koi8-r"), "KOI8-R", "Привет"),
    ("日本語".encode("shift_jis"), "Shift_JIS", "日本語"),
    ("日本語".encode("euc_jp"), "euc-jp", "日本語"),
    ("中文".encode("gb18030"), "gb18030", "中文"),
    ("한국어".encode("euc_kr"), "euc-kr", "한국어"),
    ("ไทย".encode("cp874"), "windows-874", "ไทย"),
    ("Grüße".encode("utf-16"), "utf-8", "Grüße"),
    ("Grüße".encode("utf-8-sig"), "latin-1", "Grüße"),
    ("Grüße".encode("cp1252"), None, "Grüße"),
    ("Grüße".encode()[:-2], None, "Grü\ufffd"),
    (b'<meta charset="windows-1251"><p>' + "Да".encode("cp1251"), None, '<meta charset="windows-1251"><p>Да'),
    (b"<?xml version='1.0' encoding='koi8-r'?>" + "Да".encode("koi8-r"), None, "<?xml version='1.0' encoding='koi8-r'?>Да"),
    ("<meta charset=utf-16><p>ü".encode(), None, "<meta charset=utf-16><p>ü"),
    ("ü".encode(), "nonsense", "ü"),
    (b"abc", "", "abc"),
    (b"", "utf-8", ""),
]  # fmt: skip


@pytest.mark.parametrize(("body", "charset", "text"), CLAIMED)
def test_the_text_comes_out_as_it_was_meant(body: bytes, charset: str | None, text: str) -> None:
    """A mark beats the header, the header beats the page's own word, and without any it is UTF-8 or Windows-1252."""
    assert decode(body, charset) == text


@pytest.mark.parametrize(
    "charset", ["punycode", "idna", "unicode_escape", "utf-7", "zlib", "base64", "rot13", "undefined", "\0", "x" * 999]
)
def test_codecs_that_are_no_charsets_are_not_used(charset: str) -> None:
    """Some of them take quadratic time, some raise, some decode to something else."""
    assert decode(b"\\u0041-+AEE-" + b"a" * 100_000, charset) == "\\u0041-+AEE-" + "a" * 100_000


@given(st.binary(max_size=200), st.sampled_from([None, "utf-8", "utf-16", "gb18030", "iso-2022-jp", "hz", "big5", "johab"]))
def test_any_bytes_are_text(body: bytes, charset: str | None) -> None:
    """Nothing raises, whatever the bytes."""
    assert isinstance(decode(body, charset), str)
