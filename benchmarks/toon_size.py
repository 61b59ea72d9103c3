"""Results as TOON beside the same as compact JSON: bytes, tokens, and the time that encoding takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import orjson

from apps.sdk.jsontypes import Json
from apps.sdk.results.shape import align_rows
from apps.sdk.results.toon import encode
from benchmarks.measuring import Budget, interleave, percentile, time_call
from benchmarks.report import Section, Table, show_ms, show_ratio
from benchmarks.token_savings import count_tokens

READING = """
The shapes of case 37, 100 rows each where there are rows. *TOON* is what the model is shown (rows brought to one shape, then
encoded), *JSON* is orjson's compact text of the same data. Tokens are counted with OpenAI's o200k encoding. The time is p50,
both encoders in turns; orjson is compiled code, toon-format is Python, so the ratio is what the smaller text costs. A turn
encodes a handful of results, in a thread when they are large.
"""
ROWS = 100
QUICK, FULL = Budget(5, 1.0), Budget(200, 3.0)


def make_shapes() -> Mapping[str, Json]:
    """One value of each shape by its name."""
    return {
        "uniform rows": [make_row(number) for number in range(ROWS)],
        "a key missing in every other row": [
            drop(make_row(number), "city") if number % 2 else make_row(number) for number in range(ROWS)
        ],
        "null beside an object": [
            make_row(number) | {"owner": {"name": "Ada", "team": "blue"} if number % 2 else None} for number in range(ROWS)
        ],
        "nested uniform objects": [
            make_row(number) | {"owner": {"name": f"N{number}", "team": "blue"}} for number in range(ROWS)
        ],
        "lists in cells": [make_row(number) | {"tags": ["new", "red"][: number % 3]} for number in range(ROWS)],
        "keys with dots, pipes and newlines": [
            {"a.b": number, "c|d": "x", "e\nf": f"line {number}\nnext"} for number in range(ROWS)
        ],
        "one object": make_row(7),
        "an empty list": [],
        "a long text": {"title": "Page", "text": "One sentence after the other, as pages have them. " * 40},
    }


def make_row(number: int) -> dict[str, Json]:
    return {"id": number, "title": f"Result number {number}", "price": 12.5 + number, "city": "Oslo", "open": number % 3 == 0}


def drop(row: dict[str, Json], key: str) -> dict[str, Json]:
    return {name: value for name, value in row.items() if name != key}


async def measure(*, quick: bool) -> Section:
    """The whole benchmark."""
    rows = [await measure_shape(name, value, QUICK if quick else FULL) for name, value in make_shapes().items()]
    header = (
        "shape",
        "JSON bytes",
        "TOON bytes",
        "TOON : JSON",
        "JSON tokens",
        "TOON tokens",
        "TOON : JSON",
        "JSON ms",
        "TOON ms",
    )
    return Section("TOON beside compact JSON", READING, [Table(header, rows)])


async def measure_shape(name: str, value: Json, budget: Budget) -> tuple[str, ...]:
    json_text, toon_text = orjson.dumps(value).decode(), encode(align_rows(value))
    works: Mapping[str, Callable[[], object]] = {"json": partial(orjson.dumps, value), "toon": lambda: encode(align_rows(value))}
    samples = await interleave({key: partial(time_call, partial(call, work)) for key, work in works.items()}, budget)
    sizes = [len(text.encode()) for text in (json_text, toon_text)]
    tokens = [count_tokens(text) for text in (json_text, toon_text)]
    return (
        name,
        *(f"{size:,}" for size in sizes),
        show_ratio(sizes[1], sizes[0]),
        *(f"{count:,}" for count in tokens),
        show_ratio(tokens[1], tokens[0]),
        *(show_ms(percentile(samples[key], 0.5)) for key in works),
    )


async def call(work: Callable[[], object]) -> None:
    work()
