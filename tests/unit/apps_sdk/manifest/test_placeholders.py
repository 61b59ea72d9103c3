import pytest

from apps.sdk.manifest.placeholders import find_placeholder


@pytest.mark.parametrize(
    "text",
    [
        "Search {{topic}} now", "Use {{ app.name }}.", "Call ${BASE_URL}", "${name:-default}", "<TODO>", "Ask <TODO: what?>",
        "TODO: write this", "Fine.\n  TODO(me): more", "FIXME write this", "FIXME", "tbd".upper(), "< FIXME >",
    ],
)  # fmt: skip
def test_unfilled_placeholders_are_found(text: str) -> None:
    """case 19: a template placeholder that nobody filled is recognised."""
    assert find_placeholder(text)


@pytest.mark.parametrize(
    "text",
    [
        "", "Adds an entry to your todo list.", "Finds TODO and FIXME comments in code.", "FIXME comments are listed.",
        "It costs $5 to ${5}.", 'Give JSON like {"a": {"b": 1}}.', "Set notation {{1, 2}, {3}}", "a < TODO list", "{} and {name}",
        "TODOs are counted", "Sum of <b>bold</b> prices: 10 $ {net}", "Das Todo: Liste",
    ],
)  # fmt: skip
def test_ordinary_texts_hold_none(text: str) -> None:
    assert find_placeholder(text) is None


@pytest.mark.timeout(20)
def test_blank_lines_do_not_hang_a_load() -> None:
    """A text of nothing but line breaks is read once, not once for each of them."""
    assert find_placeholder("\n" * 300_000) is None
