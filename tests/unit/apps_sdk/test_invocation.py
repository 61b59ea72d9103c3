"""Requests as what a skill's method is annotated with."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from pydantic import BaseModel

from apps.sdk.invocation import BadRequest, RequestReader
from apps.sdk.jsontypes import Json, JsonObject


class Query(BaseModel):
    query: str
    limit: int = 3


@dataclass
class Pair:
    first: int
    second: int


class Methods:
    def model(self, request: Query) -> None: ...
    def records(self, request: Pair) -> None: ...
    def many(self, requests: list[Query]) -> None: ...
    def plain(self, request: JsonObject) -> None: ...
    def nothing(self) -> None: ...
    def unknown(self, request: NotThere) -> None: ...  # type: ignore[name-defined] # noqa: F821 - as an author may leave it


@pytest.mark.parametrize(
    ("method", "request_", "expected"),
    [
        (Methods().model, {"query": "x"}, Query(query="x")),
        (Methods().records, {"first": 1, "second": 2}, Pair(1, 2)),
        (Methods().many, {"query": "x"}, Query(query="x")),
        (Methods().plain, {"query": "x"}, {"query": "x"}),
        (Methods().nothing, {"query": "x"}, {"query": "x"}),
        (Methods().unknown, {"query": "x"}, {"query": "x"}),
        (lambda request: None, {"query": "x"}, {"query": "x"}),
    ],
)
def test_the_annotation_decides(method: Json, request_: JsonObject, expected: Json) -> None:
    """Models, dataclasses and lists of them are read; everything else gets the request as it is."""
    assert RequestReader().read(method, request_) == expected


def test_a_refusal_names_the_fields() -> None:
    """Five at most, and never what came."""
    with pytest.raises(BadRequest, match="query: Field required; limit: Input should be") as caught:
        RequestReader().read(Methods().model, {"limit": "s3cret"})
    assert "s3cret" not in str(caught.value)


async def test_those_that_fit_are_called_together() -> None:
    """One that does not fit gets its refusal in its place; when none fits nobody is called."""
    called: list[Json] = []

    async def call(typed: list[Json]) -> Json:
        called.append(typed)
        return [item.query.upper() for item in typed]

    reader, method = RequestReader(), Methods().many
    first, second, third = await reader.call_together(method, [{"query": "a"}, {}, {"query": "b"}], call)
    assert (first, third) == ("A", "B")
    assert isinstance(second, BadRequest)
    await reader.call_together(method, [{}], call)
    assert len(called) == 1


async def test_answers_must_be_as_many_as_requests() -> None:
    """Else nobody could tell whose they are."""

    async def call(typed: list[Json]) -> Json:
        return []

    with pytest.raises(TypeError, match="a list of 1 results"):
        await RequestReader().call_together(Methods().many, [{"query": "a"}], call)
