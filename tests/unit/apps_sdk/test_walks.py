import pytest

from apps.sdk.walks import map_strings


def test_keys_that_become_equal_are_numbered() -> None:
    """Also around a key that already looks numbered; no value is lost."""
    written = {"a": 1, "A": 2, "a (2)": 3, "A (2)": 4}
    assert map_strings(written, str.lower) == {"a": 1, "a (2)": 2, "a (2) (2)": 3, "a (2) (3)": 4}


@pytest.mark.timeout(20)
def test_many_keys_that_become_equal_take_linear_time() -> None:
    """A hundred thousand keys with one cleaned form are counted on, not from one again for each."""
    mapped = map_strings({str(number): number for number in range(100_000)}, lambda _: "same")
    assert len(mapped) == 100_000
    assert list(mapped)[-1] == "same (100000)"
