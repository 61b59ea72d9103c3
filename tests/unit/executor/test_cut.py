from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.sdk.jsontypes import Json
from apps.sdk.results.toon import encode
from executor.cut import advise_less, cut_to_size, json_size, share_budget
from tests.support.json_values import JSON, ROWS


def measure(value: Json) -> int:
    return len(encode(value).encode())


def test_rows_are_kept_whole_and_the_rest_is_counted() -> None:
    """case 38: a prefix of the rows, none of them in pieces."""
    rows = [{"n": n, "text": "x" * 50} for n in range(1_000)]
    cut = cut_to_size({"total": 1_000, "rows": rows}, 5_000, measure)
    kept = cut.value["rows"]
    assert kept == rows[: len(kept)]
    assert len(kept) > 50
    assert cut.rows_left_out == 1_000 - len(kept)
    assert cut.notes == (f"rows: {cut.rows_left_out} of 1000 rows are left out here.",)
    assert cut.value["total"] == 1_000
    assert measure(cut.value) <= 5_000


def test_a_long_text_in_one_object_is_cut_and_the_small_fields_stay() -> None:
    """case 38."""
    cut = cut_to_size({"title": "t", "body": "é" * 10_000}, 1_000, measure)
    assert cut.value["title"] == "t"
    assert cut.value["body"].startswith("éé")
    assert cut.value["body"].endswith("…")
    assert "of 10000 characters are left out" in cut.notes[0]
    assert measure(cut.value) <= 1_000


@pytest.mark.parametrize(
    "value",
    [
        "x" * 100_000,
        '"\n' * 20_000,
        [["y" * 100] * 100] * 10,
        {str(n): n for n in range(20_000)},
        {"k" * 20_000: {"k" * 20_000: 1}},
        [{"a": {"b": [{"c": "z" * 50_000}]}}],
        list(range(50_000)),
        [None] * 50_000,
    ],
)
def test_whatever_the_shape_it_fits_and_says_so(value: Json) -> None:
    cut = cut_to_size(value, 2_000, measure)
    assert measure(cut.value) <= 2_000
    assert cut.notes


def test_a_row_that_is_too_large_by_itself_is_shown_in_part() -> None:
    cut = cut_to_size([{"a": {"b": [{"c": "z" * 50_000}]}}], 2_000, measure)
    assert cut.value[0]["a"]["b"][0]["c"].startswith("z" * 1_000)


@given(JSON | ROWS, st.integers(60, 300))
def test_a_cut_value_fits_and_one_that_fits_is_not_cut(value: Json, limit: int) -> None:
    cut = cut_to_size(value, limit, json_size)
    assert json_size(cut.value) <= limit
    if json_size(value) <= limit:
        assert (cut.value, cut.notes) == (value, ())
    else:
        assert cut.notes


@given(st.lists(st.integers(0, 100), max_size=8), st.integers(0, 400))
def test_shares_fit_the_budget(sizes: list[int], budget: int) -> None:
    share = share_budget(sizes, budget)
    assert sum(min(size, share) for size in sizes) <= budget
    if sum(sizes) <= budget:
        assert share >= max(sizes, default=0)


def test_how_to_ask_for_fewer_names_the_skills_own_arguments() -> None:
    """case 38."""
    assert advise_less(["query", "limit", "page"]) == "Ask for fewer to see the rest, e.g. with `limit`, `page`."
    assert "narrower" in advise_less(["query"])
