from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections import UserDict
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from typing import NoReturn

import aiohttp
import pytest

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.skill import MissingSecret, SkillContext, SkillError, SkillFailed, SkillResult, SkillRetry
from executor.calls import CallError
from executor.policy import Limits
from executor.render import render_result
from executor.results import EntryResult
from tests.unit.executor.scripted import FAST, REQUESTS, ScriptedSkill, Turn, Work, make_spec, open_turn


def fails_with(error: BaseException) -> Work:
    async def work(request: JsonObject, context: SkillContext) -> Json:
        raise error

    return work


async def hang(request: JsonObject, context: SkillContext) -> Json:
    await asyncio.Event().wait()


async def ask_once(work: Work, **options: Json) -> EntryResult:
    async with open_turn(make_spec(ScriptedSkill(work)), **options) as turn:
        (entry,) = await turn.ask("web-search", "x")
        return entry


def code_of(entry: EntryResult) -> str:
    assert entry.error is not None
    return entry.error.code


async def test_five_requests_run_at_once_and_results_keep_request_order() -> None:
    """case 22, 23: five at once, counted inside the skill; ids and order are the requests'."""
    together = asyncio.Barrier(5)

    async def work(request: JsonObject, context: SkillContext) -> Json:
        await together.wait()
        await asyncio.sleep(0.01 if request["query"] == "q0" else 0)
        return request["query"]

    async with open_turn(make_spec(ScriptedSkill(work))) as turn:
        entries = await turn.ask("web-search", *(f"q{n}" for n in range(5)))
    assert [entry.data for entry in entries] == ["q0", "q1", "q2", "q3", "q4"]
    assert [entry.id for entry in entries] == [1, 2, 3, 4, 5]


async def test_never_more_than_five_at_once_in_a_turn() -> None:
    """case 23: three calls with five requests each share one semaphore."""
    skill = ScriptedSkill()
    skill.work = _pause
    async with open_turn(make_spec(skill)) as turn:
        calls = [("web-search", {"requests": [{"query": f"{call}.{n}"} for n in range(5)]}) for call in range(3)]
        results = await turn.run(*calls)
    assert [result.outcome for result in results] == ["ok"] * 3
    assert (len(skill.requests), skill.most_running) == (15, 5)


async def _pause(request: JsonObject, context: SkillContext) -> Json:
    await asyncio.sleep(0.002)


async def test_two_calls_of_one_reply_run_concurrently_and_come_in_call_order() -> None:
    """case 33: each waits for the other to have started."""
    together = asyncio.Barrier(2)

    async def work(request: JsonObject, context: SkillContext) -> Json:
        await together.wait()
        return context.call_id

    first, second = make_spec(ScriptedSkill(work), name="a-b"), make_spec(ScriptedSkill(work), name="c-d")
    async with open_turn(first, second) as turn:
        results = await turn.run(("c-d", {"query": "x"}), ("a-b", {"query": "x"}))
    assert [(result.call_id, result.name, result.entries[0].data) for result in results] == [
        ("c1", "c-d", "c1"),
        ("c2", "a-b", "c2"),
    ]
    assert turn.observer.started == ["c1", "c2"]
    assert {result.call_id for result in turn.observer.finished} == {"c1", "c2"}


async def test_eight_requests_run_five_and_three_are_told_not_executed() -> None:
    """case 24."""
    skill = ScriptedSkill()
    async with open_turn(make_spec(skill)) as turn:
        (result,) = await turn.run(("web-search", {"requests": [{"query": str(n)} for n in range(8)]}))
    assert [entry.status for entry in result.entries] == ["ok"] * 5 + ["not_executed"] * 3
    assert result.outcome == "partial"
    assert len(skill.requests) == 5


@pytest.mark.parametrize(
    ("misdeed", "code"),
    [
        (fails_with(ValueError("boom")), "skill_crashed"),
        (hang, "timeout"),
        (fails_with(SkillFailed("no such city")), "skill_failed"),
        (fails_with(SystemExit(3)), "skill_crashed"),
        (fails_with(KeyboardInterrupt()), "skill_crashed"),
        (fails_with(GeneratorExit()), "skill_crashed"),
        (fails_with(asyncio.CancelledError()), "skill_crashed"),
        (fails_with(ExceptionGroup("many", [ValueError("x")])), "skill_crashed"),
        (fails_with(StopIteration()), "skill_crashed"),
        (fails_with(RecursionError()), "skill_crashed"),
    ],
)
async def test_the_second_of_three_fails_alone(misdeed: Work, code: str) -> None:
    """case 25, hostile F: whatever the second does, one and three have results and the second its error and its query."""

    async def work(request: JsonObject, context: SkillContext) -> Json:
        return await misdeed(request, context) if request["query"] == "two" else request["query"]

    spec = make_spec(ScriptedSkill(work), timeout=0.05)
    async with open_turn(spec) as turn:
        (result,) = await turn.run(("web-search", {"requests": [{"query": q, "id": q} for q in ["one", "two", "three"]]}))
    assert [(entry.id, entry.status, entry.data) for entry in result.entries] == [
        ("one", "ok", "one"),
        ("two", "error", None),
        ("three", "ok", "three"),
    ]
    assert code_of(result.entries[1]) == code
    assert result.outcome == "partial"
    text = str(render_result(result, spec, FAST).content)
    assert all(word in text for word in ["id: two", "query: two", f"code: {code}", "retryable:", "message:"]), text


async def test_garbage_and_too_large_results_are_errors() -> None:
    """case 25, 38: `bad_result` and `result_too_large` name what came and the limit."""

    async def garbage(request: JsonObject, context: SkillContext) -> Json:
        return object()

    async def flood(request: JsonObject, context: SkillContext) -> Json:
        return "x" * 2_000

    class Hostile(UserDict[str, Json]):
        def __getattribute__(self, name: str) -> NoReturn:
            raise SystemExit(3)

        def __len__(self) -> NoReturn:
            raise SystemExit(3)

    async def hostile(request: JsonObject, context: SkillContext) -> Json:
        return Hostile()

    async def noted(request: JsonObject, context: SkillContext) -> Json:
        note: Json = Hostile()
        return SkillResult([], note=note)

    assert code_of(await ask_once(garbage)) == "bad_result"
    assert code_of(await ask_once(hostile)) == "bad_result"
    assert ((await ask_once(noted)).status, (await ask_once(noted)).note) == ("ok", None)
    error = (await ask_once(flood, limits=Limits(result_bytes=1_000))).error
    assert error is not None
    assert (error.code, "1000 (limit result_bytes)" in error.message) == ("result_too_large", True)


async def test_when_all_requests_fail_the_call_is_an_error() -> None:
    """case 26: never an empty success."""
    async with open_turn(make_spec(ScriptedSkill(fails_with(SkillFailed("no"))))) as turn:
        (result,) = await turn.run(("web-search", {"requests": [{"query": "a"}, {"query": "b"}]}))
    assert (result.outcome, len(result.entries)) == ("error", 2)


async def test_no_hits_are_a_success_with_the_skills_reason() -> None:
    """case 27."""

    async def work(request: JsonObject, context: SkillContext) -> Json:
        return SkillResult([], note="no match in this year")

    entry = await ask_once(work)
    assert (entry.status, entry.data, entry.note) == ("ok", [], "no match in this year")


async def test_an_invalid_entry_is_not_executed_and_its_sibling_is() -> None:
    """case 29."""
    skill = ScriptedSkill()
    async with open_turn(make_spec(skill)) as turn:
        (result,) = await turn.run(("web-search", {"requests": [{"limit": 0}, {"query": "x"}]}))
    assert [entry.status for entry in result.entries] == ["error", "ok"]
    assert skill.requests == [{"query": "x"}]


class Flaky:
    """Fails `times` times, in its own way, then answers."""

    def __init__(self, times: int, failure: Work) -> None:
        self.left, self.failure, self.tries = times, failure, 0

    async def __call__(self, request: JsonObject, context: SkillContext) -> Json:
        self.tries += 1
        self.left -= 1
        return await self.failure(request, context) if self.left >= 0 else "at last"


@pytest.mark.parametrize("failure", [hang, fails_with(aiohttp.ClientError("reset")), fails_with(ValueError())])
async def test_an_idempotent_skill_is_tried_again_after_a_timeout_or_a_crash(failure: Work) -> None:
    """case 30: retried with jitter, three tries in all."""
    flaky = Flaky(2, failure)
    async with open_turn(make_spec(ScriptedSkill(flaky), idempotent=True, timeout=0.03)) as turn:
        (entry,) = await turn.ask("web-search", "x")
    assert (entry.data, flaky.tries) == ("at last", 3)

    hopeless = Flaky(9, failure)
    async with open_turn(make_spec(ScriptedSkill(hopeless), idempotent=True, timeout=0.03)) as turn:
        (entry,) = await turn.ask("web-search", "x")
    assert (entry.status, hopeless.tries) == ("error", 3)


async def test_a_skill_that_changes_its_request_disturbs_neither_the_next_try_nor_the_result() -> None:
    seen: list[JsonObject] = []

    async def work(request: JsonObject, context: SkillContext) -> Json:
        seen.append(dict(request))
        request.clear()
        if len(seen) == 1:
            raise ValueError
        return "ok"

    async with open_turn(make_spec(ScriptedSkill(work), idempotent=True)) as turn:
        (entry,) = await turn.ask("web-search", "x")
    assert (entry.data, entry.request) == ("ok", {"query": "x"})
    assert seen == [{"query": "x"}] * 2


@pytest.mark.parametrize(
    ("failure", "idempotent"),
    [(hang, False), (fails_with(ValueError()), False), (fails_with(SkillRetry("x")), True), (fails_with(SkillFailed("x")), True)],
)
async def test_others_are_never_tried_again_by_us(failure: Work, idempotent: bool) -> None:
    """case 30: not declared idempotent, or the skill's own word."""
    flaky = Flaky(1, failure)
    async with open_turn(make_spec(ScriptedSkill(flaky), idempotent=idempotent, timeout=0.03)) as turn:
        (entry,) = await turn.ask("web-search", "x")
    assert (entry.status, flaky.tries) == ("error", 1)


async def test_retries_stay_inside_the_deadline() -> None:
    """case 30: with no time left for a wait there is no further try."""
    flaky = Flaky(9, hang)
    async with open_turn(make_spec(ScriptedSkill(flaky), idempotent=True), seconds=0.05) as turn:
        (entry,) = await turn.ask("web-search", "x")
    assert (code_of(entry), flaky.tries) == ("timeout", 1)


async def test_skill_retry_lets_the_model_try_other_arguments_and_skill_failed_does_not() -> None:
    """DESIGN rule 8."""
    retry = (await ask_once(fails_with(SkillRetry("which Paris?", hint="add a country")))).error
    assert retry == CallError("skill_retry", "which Paris?", retryable=True, hint="add a country")
    failed = (await ask_once(fails_with(SkillFailed("closed")))).error
    assert failed == CallError("skill_failed", "closed", retryable=False)
    plain = (await ask_once(fails_with(SkillError("")))).error
    assert plain == CallError("skill_failed", "The skill gave no reason.", retryable=False)
    assert code_of(await ask_once(fails_with(MissingSecret("Brave")))) == "missing_credential"


async def test_an_exception_tells_the_model_its_kind_only_and_the_log_the_rest(caplog: pytest.LogCaptureFixture) -> None:
    """case 32: empty texts, tokens and paths; the details are in the log under the call's id, without the secret."""
    assert (await ask_once(fails_with(Exception()))).error == CallError(
        "skill_crashed", "The skill failed unexpectedly (Exception).", retryable=True
    )
    caplog.clear()
    with caplog.at_level(logging.DEBUG, "executor"):
        entry = await ask_once(fails_with(ValueError("/etc/app.yml: key sk-12345 refused")), secrets={"brave": "sk-12345"})
    assert "sk-12345" not in repr(entry)
    assert "/etc" not in repr(entry)
    logged = {record.message: vars(record) for record in caplog.records}
    failed, details = logged["skill_failed"], logged["skill_error"]
    assert (failed["call_id"], failed["error_type"], failed["levelname"]) == ("c1", "ValueError", "WARNING")
    assert "test_run.py" in failed["frames"][-1]
    assert "refused" not in repr(failed)
    assert (details["call_id"], details["levelname"]) == ("c1", "DEBUG")
    assert "/etc/app.yml: key *** refused" in details["traceback"]
    assert "sk-12345" not in repr(logged)


async def test_what_a_skill_says_itself_is_logged_without_its_words(caplog: pytest.LogCaptureFixture) -> None:
    """case 20: its words may quote the message."""
    with caplog.at_level(logging.DEBUG, "executor"):
        await ask_once(fails_with(SkillRetry("The place 'Secret Street 5' is not known.")))
    assert "skill_refused" in caplog.messages
    assert all("Secret" not in repr(vars(record)) for record in caplog.records if record.levelno > logging.DEBUG)


async def test_secrets_and_length_are_taken_out_of_a_skills_own_words() -> None:
    """case 32, DESIGN rule 6: also percent-encoded ones."""
    words = SkillFailed("GET /?key=top%2Fsecret with top/secret " + "x" * 5_000, hint="top/secret")
    error = (await ask_once(fails_with(words), secrets={"a": "top/secret"})).error
    assert error is not None
    assert error.message.startswith("GET /?key=*** with *** xxx")
    assert len(error.message) == 500
    assert error.hint == "***"


async def test_a_write_that_timed_out_says_that_it_may_have_taken_effect() -> None:
    async with open_turn(make_spec(ScriptedSkill(hang), effect="write", timeout=0.02)) as turn:
        (entry,) = await turn.ask("web-search", "x")
    assert entry.error is not None
    assert (entry.error.code, entry.error.retryable) == ("timeout", False)
    assert "may have taken effect" in (entry.error.hint or "")


async def cancel_when(turn: Turn, condition: asyncio.Event, *calls: tuple[str, Json]) -> list[EntryResult]:
    """Start a batch, cancel it on `condition`, and give the results of all entries."""
    batch = turn.parse(*calls)
    task = asyncio.create_task(turn.run_batch(batch))
    await condition.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    return [entry for result in turn.execution.results_after_cancel(batch).results for entry in result.entries]


async def test_cancelling_ends_running_entries_never_starts_waiting_ones_and_leaves_results_for_all() -> None:
    """case 34: one has finished, five run, four wait."""
    five_run, cancelled = asyncio.Event(), list[str]()

    async def work(request: JsonObject, context: SkillContext) -> Json:
        if request["query"] == "0.0":
            return "done"
        if skill.running == 5:
            five_run.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            assert context.cancellation.cancelled
            cancelled.append(request["query"])
            raise

    skill = ScriptedSkill(work)
    async with open_turn(make_spec(skill)) as turn:
        calls = [("web-search", {"requests": [{"query": f"{call}.{n}"} for n in range(5)]}) for call in range(2)]
        first, *others = await cancel_when(turn, five_run, *calls)
    assert len(cancelled) == 5
    assert len(skill.requests) == 6
    assert (first.status, first.data) == ("ok", "done")
    assert [entry.status for entry in others] == ["error"] * 5 + ["not_executed"] * 4
    ran, waited = (CallError("cancelled", f"Cancelled {when} it ran.", retryable=True) for when in ["while", "before"])
    assert [entry.error for entry in others] == [ran] * 5 + [waited] * 4


async def test_a_batch_that_never_ran_has_results_too() -> None:
    """DESIGN rule 2: also when the cancel came before the run."""
    async with open_turn(make_spec()) as turn:
        (result,) = turn.execution.results_after_cancel(turn.parse(("web-search", {"query": "x"}))).results
    assert (result.outcome, code_of(result.entries[0])) == ("error", "cancelled")


@pytest.fixture
async def stubborn() -> AsyncIterator[tuple[Work, asyncio.Event]]:
    """A skill that swallows its cancellation until the test is over."""
    release, tasks = asyncio.Event(), list[asyncio.Task[Json]]()

    async def work(request: JsonObject, context: SkillContext) -> Json:
        task = asyncio.current_task()
        assert task is not None
        tasks.append(task)
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue

    yield work, release
    release.set()
    await asyncio.gather(*tasks)


async def test_a_skill_that_swallows_its_cancellation_is_abandoned(
    stubborn: tuple[Work, asyncio.Event], caplog: pytest.LogCaptureFixture
) -> None:
    """A timeout is kept although the skill will not stop; the log says so and the place is free for others."""
    async with open_turn(make_spec(ScriptedSkill(stubborn[0]), timeout=0.02)) as turn:
        entries = await turn.ask("web-search", *"abcde")
        assert [code_of(entry) for entry in entries] == ["timeout"] * 5
    assert caplog.messages.count("skill_abandoned") == 5


async def test_cancelling_is_not_held_up_by_a_skill_that_swallows_it(stubborn: tuple[Work, asyncio.Event]) -> None:
    """case 34 with a hostile skill."""
    runs = asyncio.Event()

    async def work(request: JsonObject, context: SkillContext) -> Json:
        runs.set()
        return await stubborn[0](request, context)

    async with open_turn(make_spec(ScriptedSkill(work))) as turn:
        (entry,) = await cancel_when(turn, runs, ("web-search", {"query": "x"}))
    assert (entry.status, code_of(entry)) == ("error", "cancelled")


async def test_entries_that_find_no_place_before_the_deadline_are_not_executed() -> None:
    """The deadline bounds the waiting too."""
    skill = ScriptedSkill(hang)
    async with open_turn(make_spec(skill), limits=Limits(parallel=1, cancel_grace=0.05), seconds=0.05) as turn:
        first, second = await turn.ask("web-search", "a", "b")
    assert (code_of(first), code_of(second)) == ("timeout", "deadline")
    assert second.status == "not_executed"
    assert len(skill.requests) == 1


async def test_after_the_deadline_nothing_starts() -> None:
    skill = ScriptedSkill()
    async with open_turn(make_spec(skill), seconds=-1.0) as turn:
        (entry,) = await turn.ask("web-search", "a")
    assert (entry.status, code_of(entry)) == ("not_executed", "deadline")
    assert skill.requests == []


async def test_an_unknown_call_beside_a_known_one_is_answered_and_the_known_one_runs() -> None:
    """case 43."""
    async with open_turn(make_spec()) as turn:
        unknown, known = await turn.run(("web-teleport", {}), ("web-search", {"query": "x"}))
    assert (unknown.outcome, unknown.error and unknown.error.code) == ("error", "unknown_tool")
    assert known.outcome == "ok"


async def test_a_skill_out_of_the_contract_is_refused_at_dispatch() -> None:
    """DESIGN rule 7: what runs is what was shown, whoever built the batch."""
    skill = ScriptedSkill()
    async with open_turn(make_spec()) as turn, open_turn(make_spec(skill)) as other:
        (result,) = (await turn.run_batch(other.parse(("web-search", {"query": "x"})))).results
    assert code_of(result.entries[0]) == "unknown_tool"
    assert skill.requests == []


async def test_an_observer_that_raises_disturbs_nothing() -> None:
    async with open_turn(make_spec()) as turn:
        turn.observer.started = None  # type: ignore[assignment]
        (result,) = await turn.run(("web-search", {"query": "x"}))
    assert result.outcome == "ok"


async def test_a_context_that_cannot_be_made_costs_the_entry_only() -> None:
    async with open_turn(make_spec(), secrets=7) as turn:  # type: ignore[arg-type]
        (entry,) = await turn.ask("web-search", "x")
    assert entry.status == "error"


async def test_a_turn_leaves_no_task_behind() -> None:
    """STYLE 8: every task has an owner that awaits it."""
    async with open_turn(make_spec(ScriptedSkill(hang), timeout=0.02)) as turn:
        await turn.ask("web-search", "a", "b")
        assert asyncio.all_tasks() == {asyncio.current_task()}
    assert threading.active_count() >= 1


async def test_results_can_be_written_as_json_by_the_caller() -> None:
    """case 41: the same records serve `/v1/execute`."""
    from executor.render import full_json

    async with open_turn(make_spec(parameters=REQUESTS)) as turn:
        (result,) = await turn.run(("web-search", {"requests": [{"query": "x"}, {}]}))
    written = json.loads(json.dumps(full_json(result)))
    assert written["outcome"] == "partial"
    assert written["results"][0]["data"] == {"echo": {"query": "x"}}
    assert written["results"][1]["error"]["code"] == "invalid_arguments"


async def test_a_large_result_is_converted_beside_the_loop() -> None:
    """Half a surrogate in megabytes means the slow way: meanwhile the loop goes on, whatever its default executor does."""
    rows: list[Json] = [{"n": n, "text": "x" * 20} for n in range(100_000)]

    async def work(request: JsonObject, context: SkillContext) -> Json:
        return [*rows, "\ud800"]

    free, turns = threading.Event(), 0
    with ThreadPoolExecutor(1) as busy:
        asyncio.get_running_loop().set_default_executor(busy)
        blocked = asyncio.get_running_loop().run_in_executor(None, free.wait, 20.0)
        asking = asyncio.create_task(ask_once(work))
        while not asking.done():
            turns += 1
            await asyncio.sleep(0.001)
        free.set()
        assert await blocked
    entry = asking.result()
    assert entry.data == [*rows, "\ufffd"]
    assert turns > 10


async def test_a_note_holds_no_half_surrogate() -> None:
    async def work(request: JsonObject, context: SkillContext) -> Json:
        return SkillResult(1, note="a\ud800b")

    assert (await ask_once(work)).note == "a\ufffdb"


async def test_skills_of_one_id_in_two_apps_each_run_their_own() -> None:
    """hostile A: `execute_sql` in two apps: each call reaches the app that it names, in one reply and in either order."""

    def works(database: str) -> Work:
        async def work(request: JsonObject, context: SkillContext) -> Json:
            return database

        return work

    skills = [make_spec(ScriptedSkill(works(app_id)), name=f"{app_id}-execute_sql") for app_id in ("production", "staging")]
    query = {"requests": [{"query": "select 1"}]}
    written = ["staging-execute_sql", "production-execute_sql", "staging.execute_sql"]
    async with open_turn(*skills) as turn:
        results = await turn.run(*((name, query) for name in written))
    assert [result.entries[0].data for result in results] == ["staging", "production", "staging"]
