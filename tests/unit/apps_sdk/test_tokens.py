import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.sdk.tokens import estimate_tokens


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("日本", 2), ("\ud800", 1)])
def test_four_bytes_are_a_token(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


@given(st.text(), st.text())
def test_more_text_never_costs_less(one: str, two: str) -> None:
    assert (
        max(estimate_tokens(one), estimate_tokens(two))
        <= estimate_tokens(one + two)
        <= estimate_tokens(one) + estimate_tokens(two)
    )
