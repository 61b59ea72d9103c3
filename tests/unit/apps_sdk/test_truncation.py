from hypothesis import given
from hypothesis import strategies as st

from apps.sdk.truncation import replace_surrogates, shorten, shorten_middle


@given(st.text(max_size=200), st.integers(1, 100))
def test_shortening_keeps_head_and_tail(text: str, length: int) -> None:
    """A short text stays; of a long one two thirds are head, the rest tail."""
    short = shorten_middle(text, length, "|")
    assert short == text if len(text) <= length else len(short) == length + 1
    assert short[:1] == text[:1] or length == 1
    assert short[-1:] == text[-1:]


@given(st.text(max_size=200), st.integers(1, 100))
def test_a_cut_shows(text: str, limit: int) -> None:
    """A short text stays; a long one has `limit` characters and ends in an ellipsis."""
    short = shorten(text, limit)
    assert short == text if len(text) <= limit else (len(short), short[-1]) == (limit, "…")


@given(st.text(st.characters() | st.sampled_from("\ud800\udfff"), max_size=20))
def test_half_characters_are_replaced(text: str) -> None:
    """What comes out can be encoded and is as long; a text without them stays."""
    whole = replace_surrogates(text)
    assert len(whole.encode().decode()) == len(text)
    assert whole == text or "\ufffd" in whole
