from __future__ import annotations

import asyncio
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import BaseModel

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.skill import BatchSkill, Skill, SkillContext, SkillFailed
from executor.engine.local import LocalEngine
from tests.unit.executor.scripted import QUERY, REQUESTS, make_spec, open_turn

if TYPE_CHECKING:
    from apps.sdk.skill import SkillContext as OnlyForTypeCheckers


class Query(BaseModel):
    query: str
    limit: int = 3


class TypedSkill(Skill):
    async def execute(self, request: Query, context: SkillContext) -> Query:
        return Query(query=request.query.upper(), limit=request.limit)


@dataclass
class PlainQuery:
    query: str


class DataclassSkill(Skill):
    async def execute(self, request: PlainQuery, context: OnlyForTypeCheckers) -> Json:
        return request.query


async def test_a_request_model_is_filled_from_the_annotation() -> None:
    """Typed request models, pydantic or dataclass, also where another annotation cannot be imported."""
    async with open_turn(make_spec(TypedSkill()), make_spec(DataclassSkill(), name="a-b")) as turn:
        assert (await turn.ask("web-search", "x"))[0].data == {"query": "X", "limit": 3}
        assert (await turn.ask("a-b", "x"))[0].data == "x"


async def test_what_the_model_refuses_is_an_argument_error_with_the_path() -> None:
    """case 29 for what only the model knows; never tried again by us (case 30)."""
    loose = make_spec(TypedSkill(), parameters={"type": "object", "properties": {}}, idempotent=True)
    async with open_turn(loose) as turn:
        (result,) = await turn.run(("web-search", {"limit": "many"}))
    error = result.entries[0].error
    assert error is not None
    assert (error.code, error.retryable) == ("invalid_arguments", True)
    assert "query: Field required; limit:" in error.message


class ThreadSkill(Skill):
    def __init__(self) -> None:
        self.saw_cancel = threading.Event()

    def execute(self, request: JsonObject, context: SkillContext) -> Json:
        if request["query"] == "hang":
            while not context.cancellation.cancelled:
                time.sleep(0.001)
            self.saw_cancel.set()
        if request["query"] == "raise":
            raise SystemExit(1)
        return threading.current_thread() is not threading.main_thread()


async def test_a_plain_function_runs_in_a_thread_and_sees_its_cancellation() -> None:
    """Sync `execute` blocks nobody; a hung one finds the flag set."""
    skill = ThreadSkill()
    async with open_turn(make_spec(skill, timeout=0.05)) as turn:
        fine, hung, raised = await turn.ask("web-search", "x", "hang", "raise")
        assert fine.data is True
        assert [entry.error and entry.error.code for entry in (hung, raised)] == ["timeout", "skill_crashed"]
    assert await asyncio.get_running_loop().run_in_executor(None, skill.saw_cancel.wait, 5.0)


async def test_threads_are_bounded_and_the_excess_is_told_busy() -> None:
    """Hung threads cannot take the process down."""
    skill = ThreadSkill()
    async with open_turn(make_spec(skill, timeout=0.05), engine=LocalEngine(threads=1)) as turn:
        hung, busy = await turn.ask("web-search", "hang", "x")
    assert [entry.error and entry.error.code for entry in (hung, busy)] == ["timeout", "overloaded"]


class StuckSkill(Skill):
    """Heeds no cancellation, only `release`."""

    def __init__(self) -> None:
        self.release = threading.Event()

    def execute(self, request: JsonObject, context: SkillContext) -> Json:
        return self.release.wait(10.0)


async def test_a_skill_that_hangs_leaves_the_others_their_threads() -> None:
    """Over its share a skill is told busy, and only that skill; it gets its share back when its threads end."""
    stuck = StuckSkill()
    specs = make_spec(stuck, timeout=0.05), make_spec(ThreadSkill(), name="web-read")
    async with open_turn(*specs, engine=LocalEngine(threads=8, threads_per_skill=2)) as turn:
        entries = await turn.ask("web-search", "a", "b", "c")
        assert [entry.error and entry.error.code for entry in entries] == ["timeout", "timeout", "overloaded"]
        (other,) = await turn.ask("web-read", "x")
        assert other.data is True
        stuck.release.set()
        (again,) = await turn.ask("web-search", "d")
        while again.error is not None and again.error.code == "overloaded":
            await asyncio.sleep(0.001)
            (again,) = await turn.ask("web-search", "d")
        assert again.data is True


async def test_a_thread_that_ended_gives_its_place_back() -> None:
    async with open_turn(make_spec(ThreadSkill()), engine=LocalEngine(threads=1)) as turn:
        for query in ["a", "raise", "b"]:
            (entry,) = await turn.ask("web-search", query)
    assert entry.data is True


class Together(BatchSkill):
    def __init__(self, answers: list[Json] | None = None) -> None:
        self.batches: list[list[Json]] = []
        self.answers = answers

    async def execute_batch(self, requests: list[Query], context: SkillContext) -> list[Json]:
        self.batches.append(list(requests))
        return [request.query for request in requests] if self.answers is None else self.answers


async def test_a_batch_skill_gets_all_entries_of_a_call_at_once() -> None:
    """DESIGN 10: in request order, valid ones only, a result or an error for each."""
    skill = Together(["a", SkillFailed("no b"), {"c": 1}])
    async with open_turn(make_spec(skill)) as turn:
        entries = {"requests": [{"query": "a"}, {"query": "b"}, {"limit": 1}, {"query": "c"}]}
        (result,) = await turn.run(("web-search", entries))
    assert [entry.status for entry in result.entries] == ["ok", "error", "error", "ok"]
    assert [entry.data for entry in result.entries] == ["a", None, None, {"c": 1}]
    assert [[query.query for query in batch] for batch in skill.batches] == [["a", "b", "c"]]


async def test_a_batch_of_the_wrong_length_is_an_error_for_each() -> None:
    async with open_turn(make_spec(Together(["a"]))) as turn:
        entries = await turn.ask("web-search", "a", "b")
    assert [entry.error and entry.error.code for entry in entries] == ["skill_crashed"] * 2


async def test_in_a_batch_only_the_entry_that_its_model_refuses_fails() -> None:
    items = {**QUERY, "properties": {"query": {}}}
    skill = Together()
    spec = make_spec(skill, parameters={**REQUESTS, "properties": {"requests": {"type": "array", "items": items}}})
    async with open_turn(spec) as turn:
        (result,) = await turn.run(("web-search", {"requests": [{"query": 1}, {"query": "x"}]}))
    assert [entry.error and entry.error.code for entry in result.entries] == ["invalid_arguments", None]
    assert result.entries[1].data == "x"


async def test_what_was_answered_is_not_sent_in_a_batch_again() -> None:
    skill = Together()
    async with open_turn(make_spec(skill)) as turn:
        await turn.ask("web-search", "a")
        entries = await turn.ask("web-search", "a", "b")
    assert [entry.status for entry in entries] == ["reused", "ok"]
    assert [len(batch) for batch in skill.batches] == [1, 1]
