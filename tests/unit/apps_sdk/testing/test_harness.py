"""A skill run by the harness: what is checked, what comes out, and that it is what the executor would show."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from pathlib import Path
from textwrap import dedent

import pytest
import toon_format
from hypothesis import given

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.loading.app import MANIFEST
from apps.sdk.schemas.parameters import request_items
from apps.sdk.skill import MissingSecret, SkillFailed, SkillRetry
from apps.sdk.testing import (
    Cancel,
    ContextOptions,
    MemoryStorage,
    NoSuchSkill,
    OutOfTime,
    RecordingLogger,
    RequestMismatch,
    ResultMismatch,
    SkillHarness,
    load_skill,
)
from apps.sdk.testing.skill_run import describe_run
from executor.policy import Limits
from executor.render import render_result
from executor.results import CallResult, EntryResult
from tests.support.apps import REQUESTS_SCHEMA, skill_manifest, write_app
from tests.support.json_values import JSON, ROWS
from tests.unit.executor.scripted import make_spec

BUNDLED = Path(__file__).parents[4] / "apps"

MODULE = """
from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from dataclasses import dataclass

from pydantic import BaseModel, Field

from apps.sdk.skill import BatchSkill, Skill, SkillContext, SkillFailed, SkillResult, SkillRetry


class Query(BaseModel):
    query: str = Field(pattern="^[a-z ]+$")


class Typed(Skill):
    async def execute(self, request: Query, context: SkillContext):
        if request.query == "again":
            raise SkillRetry("try another", hint="cats")
        if request.query == "never":
            raise SkillFailed("no")
        return SkillResult([{"title": request.query.upper(), "hash": "f00"}], note="one row")

    def from_message(self, text):
        return {"query": text.removeprefix("find ")} if text.startswith("find ") else None


class Plain(Skill):
    def execute(self, request, context):
        while request["query"] == "hang" and not context.cancellation.cancelled:
            time.sleep(0.001)
        request["query"] = "changed"
        return {"thread": threading.current_thread() is not threading.main_thread()}


class Slow(Skill):
    async def execute(self, request, context):
        if request["query"] == "own":
            raise TimeoutError("its own")
        with contextlib.suppress(asyncio.CancelledError if request["query"] in {"late", "fail"} else ()):
            await asyncio.sleep(30)
        if request["query"] == "fail":
            raise ValueError("too late")
        return "too late"


class Batch(BatchSkill):
    async def execute_batch(self, requests: list[Query], context: SkillContext):
        return [SkillFailed("no b") if item.query == "b" else {"of": len(requests)} for item in requests]


class Context(Skill):
    async def execute(self, request, context):
        await context.storage.put("seen", request["query"])
        context.logger.info("seen", query=request["query"])
        return [context.secret("Brave"), str(context.now()), context.source, context.tenant, context.user]


class Blocks(Skill):
    async def execute(self, request, context):
        return [{"type": "text", "text": "A ca\\u200bt"}, {"type": "image_url", "image_url": {"url": "data:,x"}}]


class Odd(Skill):
    async def execute(self, request, context):
        return object()


class Lazy(Skill):
    async def execute(self, request, context):
        from apps.zoo.skills.names import NAME

        return NAME
"""


def nest(levels: int) -> Json:
    value: Json = {}
    for _ in range(levels):
        value = {"a": value}
    return value


def write_zoo(directory: Path, name: str = "lion") -> Path:
    def skill(skill_id: str, class_name: str, **changes: Json) -> JsonObject:
        return skill_manifest("zoo", skill_id, class_path=f"apps.zoo.skills.animals.{class_name}", **changes)

    skills = [
        skill(
            "typed",
            "Typed",
            examples=["find cats", "find CATS", "cats, please"],
            output_example=[{"title": "CATS", "hash": "0"}],
            exclude_fields_for_llm=["hash"],
        ),
        skill("plain", "Plain", timeout=0.05),
        skill("slow", "Slow", timeout=0.02),
        skill("batch", "Batch"),
        skill("context", "Context", providers=[{"name": "Brave"}]),
        skill("undeclared", "Context"),
        skill("blocks", "Blocks", output_example={"never": "looked at"}),
        skill("odd", "Odd"),
        skill("lazy", "Lazy"),
        skill("lost", "Nowhere"),
    ]
    modules = {"animals": MODULE, "names": f"NAME = {name!r}"}
    return write_app(directory, "zoo", {"name": "Zoo", "description": "Animals.", "skills": skills}, modules)


@pytest.fixture(scope="module")
def zoo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_zoo(tmp_path_factory.mktemp("apps"))


async def test_a_run_is_read_converted_and_shown(zoo: Path) -> None:
    """Typed request in, the whole data out; the model's text lacks what is excluded and says what it costs."""
    run = await load_skill(zoo / "tests" / "test_x.py", "typed").run({"query": "cats"})
    assert (run.data, run.note) == ([{"title": "CATS", "hash": "f00"}], "one row")
    assert toon_format.decode(run.toon) == [{"title": "CATS"}]
    assert (run.tokens, run.json_tokens) == (5, 5)
    assert str(run).splitlines() == [
        "[1]{title}:",
        "  CATS",
        "",
        "note: one row",
        "about 5 tokens as TOON, 5 as compact JSON: 0 % saved",
    ]


@pytest.mark.parametrize(("query", "error"), [("again", SkillRetry), ("never", SkillFailed), ("CATS", SkillRetry)])
async def test_what_a_skill_raises_comes_out_as_it_is(zoo: Path, query: str, error: type[Exception]) -> None:
    """Its own errors, and the refusal of its request model, as in the service."""
    with pytest.raises(error):
        await load_skill(zoo, "typed").run({"query": query})


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ({"query": 5}, "requests[0].query must be of type string; 5 (integer) came"),
        ({}, "requests[0].query is missing"),
        (["cats"], "is no JSON object"),
        ({"query": "cats", "at": datetime(2026, 1, 1, tzinfo=UTC)}, "holds what JSON cannot hold"),
        ({"query": "cats", "at": (1, 2)}, "holds what JSON cannot hold"),
        ({"query": "cats", "at": math.nan}, "holds what JSON cannot hold"),
        ({"query": "cats", 5: "at"}, "holds what JSON cannot hold"),
        ({"query": "cats", "at": nest(5_000)}, "holds what JSON cannot hold"),
    ],
)
async def test_a_request_that_no_model_could_send_is_refused(zoo: Path, request_: Json, words: str) -> None:
    """With its path, what came, what is allowed, and where the schema stands."""
    with pytest.raises(RequestMismatch) as caught:
        await load_skill(zoo, "typed").run(request_)
    assert words in str(caught.value)
    assert "zoo-typed: the request" in str(caught.value)


async def test_a_plain_function_runs_in_a_thread_and_cannot_change_the_test_s_request(zoo: Path) -> None:
    """As the executor runs it; out of time it finds itself cancelled."""
    plain, request_, cancellation = load_skill(zoo, "zoo-plain"), {"query": "x"}, Cancel()
    assert (await plain.run(request_)).data == {"thread": True}
    assert request_ == {"query": "x"}
    with pytest.raises(OutOfTime, match=r"zoo-plain did not end within 0\.05 s"):
        await plain.run({"query": "hang"}, cancellation=cancellation)
    assert cancellation.cancelled


async def test_time_is_the_skill_s_own_unless_given(zoo: Path) -> None:
    """A timeout of the skill's own making is not taken for the harness's."""
    slow = load_skill(zoo, "slow")
    with pytest.raises(OutOfTime, match=r"0\.02 s"):
        await slow.run({"query": "x"})
    with pytest.raises(OutOfTime, match=r"0\.01 s"):
        await slow.run({"query": "x"}, timeout=0.01)
    with pytest.raises(TimeoutError, match="its own"):
        await slow.run({"query": "own"})


@pytest.mark.parametrize("answer", ["late", "fail"])
async def test_an_answer_after_the_time_is_none(zoo: Path, answer: str) -> None:
    """Also of a skill that catches its cancellation: the service has told the model by then that there is none."""
    with pytest.raises(OutOfTime, match=r"0\.02 s"):
        await load_skill(zoo, "slow").run({"query": answer})


async def test_a_batch_skill_gets_its_requests_together(zoo: Path) -> None:
    """One by `run`, many by `run_batch`: a run, the skill's error or its model's refusal for each."""
    batch = load_skill(zoo, "batch")
    assert (await batch.run({"query": "a"})).data == {"of": 1}
    with pytest.raises(SkillFailed, match="no b"):
        await batch.run({"query": "b"})
    first, second, third = await batch.run_batch([{"query": "a"}, {"query": "b"}, {"query": "C"}])
    assert not isinstance(first, Exception)
    assert first.data == {"of": 2}
    assert [type(item).__name__ for item in (second, third)] == ["SkillFailed", "BadRequest"]
    with pytest.raises(AssertionError, match="no BatchSkill"):
        await load_skill(zoo, "typed").run_batch([])


async def test_the_context_is_the_test_s(zoo: Path) -> None:
    """Storage, clock, caller and logger as given; of the secrets only those of declared providers."""
    storage, logger = MemoryStorage(), RecordingLogger()
    options: ContextOptions = {"storage": storage, "logger": logger, "source": "api", "tenant": "t", "user": "u"}
    options["secrets"] = {"BRAVE": "k", "Other": "o"}
    run = await load_skill(zoo, "context").run({"query": "x"}, **options)
    assert [run.data[0], *run.data[2:]] == ["k", "api", "t", "u"]
    assert await storage.get("seen") == "x"
    assert logger.entries[0].fields == {"query": "x"}
    with pytest.raises(MissingSecret):
        await load_skill(zoo, "undeclared").run({"query": "x"}, secrets={"Brave": "k"})


async def test_content_blocks_pass(zoo: Path) -> None:
    """They are not compared with the example, and their text is what costs."""
    run = await load_skill(zoo, "blocks").run({"query": "x"})
    assert run.is_blocks
    assert run.toon == "A cat\n(image)"
    assert "2 content blocks" in str(run)


async def test_what_json_cannot_hold_is_no_result(zoo: Path) -> None:
    """The executor would refuse it too."""
    with pytest.raises(ResultMismatch, match="zoo-odd: the result holds a value of type object"):
        await load_skill(zoo, "odd").run({"query": "x"})


def test_requests_found_in_messages_fit(zoo: Path) -> None:
    """The examples' requests are listed; one that does not fit names the message."""
    typed = load_skill(zoo, "typed")
    assert typed.check_examples() == {"find cats": {"query": "cats"}, "find CATS": {"query": "CATS"}}
    assert typed.check_from_message("hello") is None


def test_a_request_found_in_a_message_that_does_not_fit(tmp_path: Path) -> None:
    """The error names the message."""
    source = "from apps.sdk.skill import Skill\nclass EchoSkill(Skill):\n    async def execute(self, request, context): ...\n"
    source += "    def from_message(self, text): return {'qery': text}\n"
    folder = write_app(tmp_path, "aviary", {"skills": [skill_manifest("aviary", "sing")]}, {"echo": source})
    with pytest.raises(RequestMismatch, match="what from_message finds in 'please sing this' does not fit"):
        load_skill(folder, "sing").check_examples()


@pytest.mark.parametrize(
    ("skill_id", "words"),
    [
        ("typd", "the app zoo has no skill 'typd'; close: typed"),
        ("nothing-like-it", "there are: typed, plain"),
        ("lost", "has no class Nowhere"),
        ("zoo-lost", "zoo-lost is set aside"),
    ],
)
def test_a_skill_that_is_not_there_says_why(zoo: Path, skill_id: str, words: str) -> None:
    """Close names, or the reason why the loader set it aside, with the app's findings."""
    with pytest.raises(NoSuchSkill) as caught:
        load_skill(zoo, skill_id)
    assert words in str(caught.value)
    assert f"{MANIFEST}:" in str(caught.value)


def test_a_folder_that_is_no_app_s(tmp_path: Path) -> None:
    """No app.yml up to the root."""
    with pytest.raises(NoSuchSkill, match=r"no app\.yml in"):
        load_skill(tmp_path, "hello")


def test_an_app_that_cannot_be_read(tmp_path: Path) -> None:
    """The YAML error with its place."""
    folder = write_app(tmp_path, "torn", "skills: [")
    with pytest.raises(NoSuchSkill, match=r"app\.yml:2:1: .*\n.*yaml-syntax"):
        load_skill(folder, "x")


async def test_two_folders_may_hold_an_app_of_one_id(tmp_path: Path) -> None:
    """Each harness runs its own code, what it imports as it runs included."""
    first = load_skill(write_zoo(tmp_path / "one", "lynx"), "lazy")
    second = load_skill(write_zoo(tmp_path / "two", "puma"), "lazy")
    for harness, name in [(first, "lynx"), (second, "puma"), (first, "lynx")]:
        assert (await harness.run({"query": "x"})).data == name


MIRROR = """
from apps.sdk.skill import Skill


class EchoSkill(Skill):
    async def execute(self, request, context):
        return request
"""


def make_harness(schema: JsonObject, tmp_path: Path) -> SkillHarness:
    folder = write_app(tmp_path, "mirror", {"skills": [skill_manifest("mirror", "look", tool_schema=schema)]}, {"echo": MIRROR})
    return load_skill(folder, "look")


async def test_arguments_beside_requests_go_to_the_skill_with_each(tmp_path: Path) -> None:
    """As the executor hands them on; they are checked where the author declared them."""
    language = {"language": {"enum": ["de", "en"]}}
    harness = make_harness({**REQUESTS_SCHEMA, "properties": {**REQUESTS_SCHEMA["properties"], **language}}, tmp_path)
    assert (await harness.run({"query": "x", "language": "de"})).data == {"query": "x", "language": "de"}
    with pytest.raises(RequestMismatch, match="language must be one of"):
        await harness.run({"query": "x", "language": "fr"})


async def test_a_flat_schema_is_checked_as_it_is(tmp_path: Path) -> None:
    """A skill without `requests` takes all arguments as its one request."""
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "additionalProperties": False}
    harness = make_harness(schema, tmp_path)
    assert (await harness.run({"city": "Rome"})).data == {"city": "Rome"}
    with pytest.raises(RequestMismatch, match="ctiy is not known; did you mean 'city'"):
        await harness.run({"ctiy": "Rome"})


def executor_part(data: Json, excluded: tuple[str, ...] = (), *, batched: bool = True) -> str:
    """The part of the executor's tool message that shows the data, as if it stood alone."""
    entry = EntryResult(1, "ok", {}, data)
    spec = make_spec(exclude_fields=excluded)
    rendered = render_result(CallResult("c", "a-b", "ok", (entry,), batched=batched), spec, Limits(result_bytes_for_llm=10**9))
    assert isinstance(rendered.content, str)
    lines = rendered.content.split("\n")
    start = next(index for index, line in enumerate(lines) if line.lstrip().startswith("data"))
    part = dedent("\n".join(lines[start:])).removeprefix("data")
    return dedent(part.removeprefix(":").removeprefix("\n")).removeprefix(" ")


@given(JSON | ROWS)
def test_the_text_is_the_executor_s(data: Json) -> None:
    """For any JSON, in a call with `requests` and in one without, the executor shows the very same data."""
    run = describe_run(data, None, make_spec())
    if not run.is_blocks and data != {}:
        assert executor_part(data) == executor_part(data, batched=False) == run.toon


@pytest.mark.parametrize(
    ("app_id", "skill_id", "request_"),
    [
        ("math", "calculate", {"expression": "1/3 + 1/3"}),
        ("math", "convert_units", {"value": 26.2, "from": "miles", "to": "km"}),
        ("time", "now", {"place": "Tokyo"}),
        ("time", "difference", {"from": "2024-03-03", "to": "2026-12-24"}),
    ],
)
async def test_bundled_skills_read_alike_in_the_harness_and_in_the_executor(
    app_id: str, skill_id: str, request_: JsonObject
) -> None:
    """Nobody has to start a service to see what a model will see."""
    harness = load_skill(BUNDLED / app_id, skill_id)
    run = await harness.run(request_)
    assert request_items(harness.spec.parameters) is not None
    assert executor_part(run.data, harness.spec.exclude_fields) == run.toon
