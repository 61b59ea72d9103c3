"""Text -> terms."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preprocessor.retrieval.text import Analyzer, pair_terms

ANALYZER = Analyzer()


def terms(text: str) -> list[str]:
    return [term.text for term in ANALYZER.analyze(text) if not term.optional]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("create_edge", "create edge"),
        ("createEdge", "edges created"),
        ("HTTPServer", "http server"),
        ("web-search", "searching the web"),
        ("kilometres", "Kilometer"),
        ("Café", "cafe"),
        ("l'heure", "heure"),
        ("ＴＯＫＹＯ", "tokyo"),
        ("weather's", "weather"),
    ],
)
def test_spellings_of_one_thing(one: str, other: str) -> None:
    """Names are split, words stemmed, accents and width folded: both spellings have the same words."""
    assert set(terms(one)) == set(terms(other))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("17.5 %", ["<number>", "percent"]),
        ("2,340", ["<number>"]),
        ("9:30", ["<clock>"]),
        ("3 pm", ["<clock>"]),
        ("3 March 2024", ["<date>"]),
        ("December 24th, 2026", ["<date>"]),
        ("2024-03-03", ["<date>"]),
        ("24.12.2026", ["<date>"]),
        ("12*(3 + 4)", ["<number>", "<sum>", "<number>", "<number>", "<sum>", "<number>", "<number>"]),
        ("3-5", ["<number>", "<number>"]),
        ("26.2km", ["<number>", "km"]),
        ("€5", ["euro", "<number>"]),
        ("https://example.com/a?b=9:30", ["<url>"]),
    ],
)
def test_classes(text: str, expected: list[str]) -> None:
    """Numbers, sums, times, dates and addresses become classes; symbols become words."""
    assert terms(text) == expected


def test_digits_are_kept_too() -> None:
    """A number can still be found literally: it is an optional term."""
    assert {term.text for term in ANALYZER.analyze("error 404") if term.optional} == {"404"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("погода в Москве", ["погода", "в", "москве"]),
        ("الطَّقْس اليوم", ["الطقس", "اليوم"]),
        ("東京の天気", ["東京", "天気"]),
        ("カレンダー", ["カレ", "レン", "ンダ", "ダー"]),
        ("สวัสดี", ["สว", "วั", "ัส", "สด", "ดี"]),
        ("मौसम कैसा है", ["मौसम", "कैसा", "है"]),
        ("날씨", ["날씨"]),
        ("iPhone手机", ["phone", "手机"]),
    ],
)
def test_no_script_is_lost(text: str, expected: list[str]) -> None:
    """Scripts with blanks keep their words, marks included; those without become bigrams; digits and Latin beside them stay."""
    assert [term for term in terms(text) if term != "i"] == expected


@pytest.mark.parametrize("text", ["hi", "thanks, great", "ok cool", "What is it?", "Danke, bitte!", "", "?!", "\u200b", "👍🏽"])
def test_small_talk_says_nothing(text: str) -> None:
    """Case 17: small talk, function words and symbols have no terms."""
    assert terms(text) == []


def test_phrases_hold_at_least_one_telling_word() -> None:
    """Function words count as half of a phrase, never as a whole one."""
    assert pair_terms(ANALYZER.scan("What time is it in Tokyo")) == ["what time", "time is", "in tokyo"]


@given(
    st.text("abTtre_- '%$.,:/ \n") | st.lists(st.sampled_from(["https://a.b", "March", "wi-fi", "plus", "o'clock"])).map(" ".join)
)
def test_plain_text_is_read_like_any_other(text: str) -> None:
    """ASCII without digits has its own quick way, which finds what the usual one finds."""
    assert ANALYZER.scan(text) == ANALYZER.scan(f"{text}\N{THUMBS UP SIGN}")


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    """Whatever the text, terms are bounded, never blank, and reading it twice gives the same."""
    once = ANALYZER.analyze(text)
    assert once == ANALYZER.analyze(text)
    assert all(term.text.strip() and len(term.text) <= len(text) + 80 for term in once)


@pytest.mark.parametrize(
    "text", ["a" * 200_000, " " * 200_000, "1" * 200_000, "a-" * 100_000, "1:" * 100_000, "http://" * 30_000, "東" * 100_000]
)
def test_hostile_lengths_end(text: str) -> None:
    """No pattern goes quadratic: the suite's timeout would tell."""
    assert len(ANALYZER.analyze(text)) <= len(text)


def test_threads_share_an_analyzer() -> None:
    """Stems are right when several threads stem at once."""
    endings = ("ing", "ations", "ement", "fulness", "ized")
    words = [
        f"{one}{two}{three}{ending}" for one in "bcdfgh" for two in "aeiou" for three in ("rt", "ll", "nd") for ending in endings
    ]
    single, shared = Analyzer(), Analyzer()
    expected = [single.analyze(word) for word in words]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(shared.analyze, words)) == expected
    finally:
        sys.setswitchinterval(interval)
