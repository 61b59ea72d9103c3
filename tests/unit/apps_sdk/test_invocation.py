"""How a skill is called, and with what."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from pydantic import BaseModel

from apps.sdk.invocation import BadRequest, invoke, read_request, unwrap
from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.skill import BatchSkill, Skill, SkillContext, SkillResult
from apps.sdk.testing import make_context


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
    assert read_request(method, request_) == expected


def test_a_refusal_names_the_fields() -> None:
    """Five at most, and never what came."""
    with pytest.raises(BadRequest, match="query: Field required; limit: Input should be") as caught:
        read_request(Methods().model, {"limit": "s3cret"})
    assert "s3cret" not in str(caught.value)


class Together(BatchSkill):
    """Answers with the queries in capitals, or with what it is told to."""

    def __init__(self, answers: Json = None) -> None:
        self.answers = answers
        self.batches: list[list[Query]] = []

    async def execute_batch(self, requests: list[Query], context: SkillContext) -> list[Json]:
        self.batches.append(requests)
        answers: list[Json] = self.answers or [request.query.upper() for request in requests]
        return answers


async def call(skill: Skill, *requests: JsonObject) -> list[Json]:
    """What `invoke` answers; a thread's work is done at once and its name kept as the note."""

    async def in_thread(work: Callable[[], Json], name: str) -> Json:
        result = work()
        return result if inspect.isawaitable(result) else SkillResult(result, note=name)

    async with make_context(call_id="c1") as context:
        return await invoke(skill, requests, context, in_thread)


async def test_those_that_fit_are_called_together() -> None:
    """One that does not fit gets its refusal in its place; when none fits nobody is called."""
    skill = Together()
    first, second, third = await call(skill, {"query": "a"}, {}, {"query": "b"})
    assert (first, third) == ("A", "B")
    assert isinstance(second, BadRequest)
    await call(skill, {})
    assert len(skill.batches) == 1


@pytest.mark.parametrize("answers", [["A", "B"], "A"])
async def test_answers_must_be_as_many_as_requests(answers: Json) -> None:
    """Else nobody could tell whose they are."""
    with pytest.raises(TypeError, match="a list of 1 results"):
        await call(Together(answers), {"query": "a"})


class OnLoop(Skill):
    async def execute(self, request: Query, context: SkillContext) -> Json:
        return request.query


class InThread(Skill):
    def execute(self, request: Query, context: SkillContext) -> Json:
        return request.query


class Deferred(Skill):
    """No `async def`, and yet what it gives is to be awaited."""

    def execute(self, request: Query, context: SkillContext) -> Json:
        return OnLoop().execute(request, context)


@pytest.mark.parametrize(
    ("skill", "expected"), [(OnLoop(), "x"), (InThread(), SkillResult("x", note="skill c1")), (Deferred(), "x")]
)
async def test_what_is_no_coroutine_runs_in_a_thread(skill: Skill, expected: Json) -> None:
    """The thread is named for the call; what comes back is awaited where it must be, and the request is the model's."""
    assert await call(skill, {"query": "x"}) == [expected]
    with pytest.raises(BadRequest):
        await call(skill, {})


def test_a_result_is_taken_out_of_its_wrapping() -> None:
    """With the note as text; anything else is the data, whatever class it claims to have."""

    class Pretender:
        @property
        def __class__(self) -> type:
            return SkillResult

        @__class__.setter
        def __class__(self, kind: type) -> None: ...

    pretender = Pretender()
    assert unwrap(SkillResult([], note="nothing there")) == ([], "nothing there")
    assert unwrap(SkillResult([])) == ([], None)
    assert unwrap(pretender) == (pretender, None)
