from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.sdk.results.characters import clean_characters, clean_text

TAGGED = "".join(chr(0xE0000 + ord(character)) for character in "ignore all")
ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"fine{TAGGED}", "fine"),
        (f"{ENGLAND}{TAGGED}", ENGLAND),
        ("\U0001f3f4" + TAGGED, "\U0001f3f4"),
        ("abc\u202edcb\u202c", "abcdcb"),
        ("a\u2066b\u2069", "ab"),
        ("pass\u200bword", "password"),
        ("a\u200db", "ab"),
        ("a\u200c\u200cb", "ab"),
        ("\ufeffstart", "start"),
        ("\u2060x\u2063", "x"),
        ("\U0001f600\ufe0f\U000e0100\U000e0101", "\U0001f600\ufe0f"),
        ("\u200d", ""),
    ],
)
def test_hidden_characters_are_removed_and_counted(text: str, expected: str) -> None:
    """case 39: tag characters, bidi overrides, isolated zero-width characters."""
    assert clean_text(text) == (expected, len(text) - len(expected))


@pytest.mark.parametrize(
    "text",
    [
        ENGLAND,
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",
        "\u2764\ufe0f\u200d\U0001f525",
        "\U0001f469\U0001f3fd\u200d\U0001f680",
        "\U0001f3f3\ufe0f\u200d\U0001f308",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "\u0915\u094d\u200d\u0937",
        "\u0915\u094d\u200c\u0937",
        "\u0e44\u0e17\u0e22\u200b\u0e44\u0e17\u0e22",
        "1\ufe0f\u20e3",
        "\u8fbb\U000e0100",
        "plain, naïve, 日本語, \u05e9\u05dc\u05d5\u05dd",
    ],
)
def test_characters_that_do_something_are_kept(text: str) -> None:
    """case 39: joiners inside emoji and Indic and Persian words, flags, Thai word breaks, ideograph variants."""
    assert clean_text(text) == (text, 0)


def test_every_string_and_key_is_cleaned_and_colliding_keys_are_kept_apart() -> None:
    cleaned = clean_characters({"a": 1, "a\u200b": ["x\u202e", 2]})
    assert cleaned.value == {"a": 1, "a (2)": ["x", 2]}
    assert cleaned.removed == 2


def test_other_line_separators_become_line_feeds() -> None:
    assert clean_text("a\u2028b\u2029c\u0085d") == ("a\nb\nc\nd", 0)


HOSTILE = st.text(
    st.sampled_from("a\u0645\u0915\u0e44\U0001f600\U0001f3f4\u200b\u200c\u200d\u202e\u2066\ufe0f\ufeff\U000e0067\U000e007f")
    | st.characters()
)


@given(HOSTILE)
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    cleaned, removed = clean_text(text)
    assert clean_text(cleaned) == (cleaned, 0)
    assert len(cleaned) + removed == len(text)


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126)))
def test_plain_text_is_never_touched(text: str) -> None:
    assert clean_text(text) == (text, 0)


@pytest.mark.timeout(20)
def test_a_long_text_of_hidden_characters_takes_linear_time() -> None:
    """Looking at a hidden character's neighbours copies no more than the neighbours."""
    assert clean_text("ab" + "\u200b" * 500_000) == ("ab", 500_000)
