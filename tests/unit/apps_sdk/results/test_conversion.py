from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from functools import partial
from typing import NamedTuple, NoReturn

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from apps.sdk.jsontypes import Json
from apps.sdk.results.conversion import NotJson, TooLarge, is_large, to_json, to_note


def convert(value: object) -> Json:
    return to_json(value, max_bytes=100_000)


class Place(BaseModel):
    name: str
    since: date


class Colour(Enum):
    RED = "red"


class Pair(NamedTuple):
    left: int
    right: int


@dataclasses.dataclass(slots=True)
class Row:
    n: int
    place: Place


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Place(name="x", since=date(2024, 1, 2)), {"name": "x", "since": "2024-01-02"}),
        ([Row(1, Place(name="x", since=date(2024, 1, 2)))], [{"n": 1, "place": {"name": "x", "since": "2024-01-02"}}]),
        ({"b", "a"}, ["a", "b"]),
        (frozenset({3, "a"}), ["a", 3]),
        (Pair(1, 2), [1, 2]),
        (Colour.RED, "red"),
        (datetime(2024, 1, 2, tzinfo=UTC), "2024-01-02T00:00:00+00:00"),
        (timedelta(minutes=1), 60.0),
        (Decimal("1.10"), "1.10"),
        (Decimal("NaN"), None),
        (b"text", "text"),
        (b"\xff\xfe", "//4="),
        ({2: "a", None: "b", True: "c", Colour.RED: "d"}, {"2": "a", "null": "b", "true": "c", "red": "d"}),
        ([float("nan"), float("inf"), 1.5], [None, None, 1.5]),
        (2**63 + 2**63, str(2**64)),
        (-(2**63), -(2**63)),
        ("a\ud800", "a\ufffd"),
        ([2**70, float("nan"), {"x": b"y"}], [str(2**70), None, {"x": "y"}]),
    ],
)
def test_what_skills_return_becomes_plain_json(value: object, expected: Json) -> None:
    assert convert(value) == expected


def nested(depth: int) -> Json:
    value: Json = 1
    for _ in range(depth):
        value = [value]
    return value


def test_what_json_cannot_hold_is_refused_by_name() -> None:
    """case 25: garbage is an error that says what it was."""
    cyclic: list[object] = []
    cyclic.append(cyclic)
    for garbage in [
        object(),
        cyclic,
        nested(60),
        nested(400),
        {1: "a", "1": "b"},
        {(1, 2): 3},
        ValueError("x"),
        lambda: 1,
        10**5000,
    ]:
        with pytest.raises(NotJson):
            convert(garbage)


def test_a_result_over_the_limit_is_refused_whole() -> None:
    """case 38: the caller's JSON is complete or refused."""
    assert convert("x" * 99_998) == "x" * 99_998
    with pytest.raises(TooLarge, match="100001"):
        convert("x" * 99_999)


def test_the_result_is_a_copy() -> None:
    rows = [{"a": 1}]
    copy = convert(rows)
    rows[0]["a"] = 2
    assert copy == [{"a": 1}]


class Hostile(Mapping[str, int]):
    """Raises the given error whenever somebody looks into it."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __getitem__(self, key: str) -> int:
        raise self.error

    def __iter__(self) -> Iterator[str]:
        raise self.error

    def __len__(self) -> int:
        raise self.error

    def __str__(self) -> str:
        raise self.error


class Masked:
    """Does not say what it is."""

    def __getattribute__(self, name: str) -> object:
        raise ValueError


class Leaving(BaseModel):
    def model_dump(self, **_options: object) -> NoReturn:
        raise SystemExit(3)


@pytest.mark.parametrize(
    "make",
    [partial(Hostile, ValueError()), partial(Hostile, SystemExit()), partial(Hostile, KeyboardInterrupt()), Masked, Leaving],
)
def test_whatever_an_object_raises_when_it_is_read_the_result_is_no_json(make: Callable[[], object]) -> None:
    """Neither the weighing nor the writing lets it out: `SystemExit` would stop the event loop of everybody."""
    for result in (make(), [make()], {"a": make()}):
        is_large(result)
        with pytest.raises(NotJson, match="cannot be"):
            convert(result)


def test_a_note_that_cannot_be_read_is_none() -> None:
    assert [to_note(note) for note in ("word", "", None, 5, Hostile(SystemExit(3)), Hostile(ValueError()))] == [
        "word", None, None, "5", None, None,
    ]  # fmt: skip


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
)


@given(JSON)
def test_json_is_left_as_it_is(value: Json) -> None:
    assert convert(value) == value
    assert orjson.loads(orjson.dumps(convert(value))) == value


@dataclasses.dataclass(slots=True)
class Holder:
    rows: object


def test_large_results_are_told_from_small_ones_without_reading_them_whole() -> None:
    """Inside records too; what refers to itself ends, as large."""
    endless: list[Json] = []
    endless.extend([endless, endless])
    large: list[object] = ["x" * 200_000, list(range(50_000)), {"a": [Holder(["x" * 50] * 5_000)]}, endless]
    assert [is_large(value) for value in large] == [True] * 4
    assert not any(map(is_large, [None, 1, "x" * 1_000, [Holder([1, {"a": 2}])] * 100, Holder, object()]))
