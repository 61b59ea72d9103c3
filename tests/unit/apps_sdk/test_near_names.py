import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.sdk.near_names import MAX_KNOWN, ask, find_near, suggest


def test_an_unknown_name_gets_near_ones() -> None:
    """case 3: up to as many as are asked for, the nearest first; none where nothing is near."""
    known = {"library-search", "library-read", "library-add", "library-remove", "math-calculate"}
    near = find_near("brary search", known, 3)
    assert near[0] == "library-search"
    assert set(near) <= known
    assert len(find_near("library", known, 2)) == 2
    assert find_near("qqqq", known, 3) == ()


def test_names_that_differ_in_separators_only_are_all_near() -> None:
    """case 4: twins come in alphabetical order, and `count` limits them too."""
    assert find_near("A.B.C", ["a_b-c", "a-b_c"], 3) == ("a-b_c", "a_b-c")
    assert find_near("A.B.C", ["a_b-c", "a-b_c"]) == ("a-b_c",)


@pytest.mark.parametrize("written", ["serach", "Serch", "searches"])
def test_a_misspelling_is_asked_about(written: str) -> None:
    assert suggest(written, ["search", "read"]) == "did you mean 'search'?"


@pytest.mark.parametrize("written", ["", "x", "reach out", "research paper finder"])
def test_what_is_no_misspelling_gets_no_question(written: str) -> None:
    assert suggest(written, ["search", "read"]) is None


def test_several_names_are_one_question() -> None:
    assert ask("a", "b") == "did you mean 'a' or 'b'?"


@pytest.mark.timeout(20)
def test_hostile_names_are_answered() -> None:
    """A megabyte that was written, and more known names than are compared, cost little."""
    assert find_near("x" * 1_000_000, ["search"]) == ()
    assert find_near("ab" * 500_000, ("ba" * 100_000 for _ in range(3))) == ()
    assert find_near("z", (f"{n:06}" for n in range(10 * MAX_KNOWN))) == ()


@given(st.text(max_size=30), st.sets(st.text(max_size=10), max_size=8), st.integers(1, 4))
def test_only_known_names_come_back(written: str, known: set[str], count: int) -> None:
    """Whatever is written, and the same whatever the order of the known ones."""
    near = find_near(written, known, count)
    assert set(near) <= known
    assert len(near) <= count
    assert near == find_near(written, sorted(known, reverse=True), count)
