from __future__ import annotations

import asyncio

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.skill import SkillContext, SkillFailed
from executor.reuse import Follow, Outcome, Run, TurnMemory, make_key
from tests.unit.executor.scripted import ScriptedSkill, Turn, make_spec, open_turn


class App:
    """A read and a write skill of one app, and a write skill of another."""

    def __init__(self) -> None:
        self.broken: set[str] = set()
        self.reader, self.writer, self.stranger = (ScriptedSkill(self.work) for _ in range(3))
        self.specs = (
            make_spec(self.reader, name="notes-read"),
            make_spec(self.writer, name="notes-write", effect="write"),
            make_spec(self.stranger, name="mail-send", effect="write"),
        )

    async def work(self, request: JsonObject, context: SkillContext) -> Json:
        if request["query"] in self.broken:
            raise SkillFailed("not now")
        await asyncio.sleep(0.001)
        return {"run": len(self.reader.requests) + len(self.writer.requests)}


async def status(turn: Turn, name: str, query: str = "x") -> str:
    (entry,) = await turn.ask(name, query)
    return entry.error.code if entry.error else entry.status


async def test_a_read_is_reused_until_its_app_is_written_to() -> None:
    """case 31: the first result is reused and marked; after a write of that app it runs again; another app's write is nothing."""
    app = App()
    async with open_turn(*app.specs) as turn:
        (first,) = await turn.ask("notes-read", "x")
        (again,) = await turn.ask("notes-read", "x")
        assert (again.status, again.data, again.seconds) == ("reused", first.data, 0.0)
        assert again.note is not None
        assert await status(turn, "notes-read", "other") == "ok"
        assert await status(turn, "mail-send") == "ok"
        assert await status(turn, "notes-read") == "reused"
        assert await status(turn, "notes-write") == "ok"
        assert await status(turn, "notes-read") == "ok"
    assert [request["query"] for request in app.reader.requests] == ["x", "other", "x"]


async def test_an_identical_successful_write_is_already_done() -> None:
    """case 31: with the first result's data, whatever came in between."""
    app = App()
    async with open_turn(*app.specs) as turn:
        assert await status(turn, "notes-write") == "ok"
        assert await status(turn, "notes-write", "other") == "ok"
        (again,) = await turn.ask("notes-write", "x")
    assert again.status == "already_done"
    assert again.data == {"run": 1}
    assert len(app.writer.requests) == 2


async def test_after_a_failure_a_call_runs_again_and_the_third_failing_one_is_refused() -> None:
    """case 31: read and write alike; other arguments are another call."""
    app = App()
    app.broken = {"x"}
    async with open_turn(*app.specs) as turn:
        for name in ["notes-read", "notes-write"]:
            assert [await status(turn, name) for _ in range(4)] == ["skill_failed"] * 2 + ["repeated_failure"] * 2
            assert await status(turn, name, "other") == "ok"
    assert len(app.reader.requests) == 3


async def test_a_success_or_a_write_in_between_makes_failures_count_anew() -> None:
    app = App()
    app.broken = {"x"}
    async with open_turn(*app.specs) as turn:
        assert [await status(turn, "notes-read") for _ in range(2)] == ["skill_failed"] * 2
        assert await status(turn, "notes-write", "mends it") == "ok"
        app.broken = set()
        assert await status(turn, "notes-read") == "ok"


async def test_a_write_that_may_have_happened_ends_reuse() -> None:
    """A write that timed out may have taken effect: what was read before it is not reused."""

    async def hang(request: JsonObject, context: SkillContext) -> Json:
        await asyncio.Event().wait()

    reader = ScriptedSkill()
    read = make_spec(reader, name="notes-read")
    write = make_spec(ScriptedSkill(hang), name="notes-write", effect="write", timeout=0.02)
    async with open_turn(read, write) as turn:
        assert [await status(turn, name) for name in ["notes-read", "notes-write", "notes-read"]] == ["ok", "timeout", "ok"]


async def test_identical_calls_of_one_reply_run_once() -> None:
    """case 31 for calls at the same time: single flight, for reads and writes, within a call and across calls."""
    app = App()
    async with open_turn(*app.specs) as turn:
        two = {"requests": [{"query": "x"}, {"query": "x"}]}
        results = await turn.run(("notes-read", two), ("notes-read", {"query": "x"}), ("notes-write", two))
    assert [[entry.status for entry in result.entries] for result in results] == [
        ["ok", "reused"],
        ["reused"],
        ["ok", "already_done"],
    ]
    assert (len(app.reader.requests), len(app.writer.requests)) == (1, 1)


async def test_those_that_wait_for_the_same_call_share_its_failure_and_hold_no_place() -> None:
    """Five identical entries with one place: no deadlock, one run, one counted failure."""
    app = App()
    app.broken = {"x"}
    async with open_turn(*app.specs) as turn:
        entries = await turn.ask("notes-read", *"xxxxx")
        assert [entry.error.code if entry.error else None for entry in entries] == ["skill_failed"] * 5
        assert await status(turn, "notes-read") == "skill_failed"
        assert await status(turn, "notes-read") == "repeated_failure"


async def test_a_read_under_way_is_not_joined_once_a_write_has_succeeded_since_it_started() -> None:
    """case 31 where calls overlap: the later read must see the write."""
    read, write = make_spec(name="notes-read"), make_spec(name="notes-write", effect="write")
    memory = TurnMemory()
    first = memory.consult(read, make_key(read, {}))
    assert isinstance(first, Run)
    assert isinstance(memory.consult(read, make_key(read, {})), Follow)
    memory.start(read, first.flight)
    assert isinstance(memory.consult(read, make_key(read, {})), Follow)

    written = memory.consult(write, make_key(write, {}))
    assert isinstance(written, Run)
    memory.start(write, written.flight)
    memory.land(write, make_key(write, {}), written.flight, Outcome("written"))
    assert isinstance(memory.consult(read, make_key(read, {})), Run)
    memory.land(read, make_key(read, {}), first.flight, Outcome("old"))
    assert first.flight.landed.result() == Outcome("old")


async def test_turns_share_nothing() -> None:
    app = App()
    for _ in range(2):
        async with open_turn(*app.specs) as turn:
            assert await status(turn, "notes-read") == "ok"
    assert len(app.reader.requests) == 2


async def test_the_id_and_the_order_of_keys_make_no_other_call() -> None:
    app = App()
    async with open_turn(*app.specs) as turn:
        await turn.run(("notes-read", {"requests": [{"id": 1, "query": "x", "limit": 2}]}))
        (result,) = await turn.run(("notes-read", {"requests": [{"limit": 2, "query": "x", "id": "z"}]}))
    assert (result.entries[0].status, result.entries[0].id) == ("reused", "z")
