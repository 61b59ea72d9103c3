"""Skills that do as told, and a turn to run them in."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

import aiohttp

from apps.sdk.catalog import SkillSpec
from apps.sdk.chat import ToolCall
from apps.sdk.contract import Contract
from apps.sdk.findings import Position
from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.skill import Cancellation, Effect, Skill, SkillContext
from executor.calls import Call, CallBatch, parse_calls
from executor.engine.local import LocalEngine
from executor.policy import Limits
from executor.results import CallResult, EntryResult, ResultBatch
from executor.run import TurnExecution

QUERY: JsonObject = {
    "type": "object",
    "properties": {"query": {"type": "string"}, "limit": {"type": "integer", "minimum": 1, "maximum": 50}},
    "required": ["query"],
    "additionalProperties": False,
}
REQUESTS: JsonObject = {
    "type": "object",
    "properties": {"requests": {"type": "array", "items": QUERY}},
    "required": ["requests"],
}

Work = Callable[[JsonObject, SkillContext], Awaitable[Json]]


class ScriptedSkill(Skill):
    """Counts what it is asked and hands it to `work`."""

    def __init__(self, work: Work | None = None) -> None:
        self.work = work
        self.requests: list[JsonObject] = []
        self.running = 0
        self.most_running = 0

    async def execute(self, request: JsonObject, context: SkillContext) -> Json:
        self.requests.append(request)
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        try:
            await asyncio.sleep(0)
            return await self.work(request, context) if self.work else {"echo": request}
        finally:
            self.running -= 1


def make_spec(
    implementation: Skill | None = None,
    *,
    name: str = "web-search",
    parameters: JsonObject = REQUESTS,
    effect: Effect = "read",
    idempotent: bool = False,
    timeout: float | None = None,
    exclude_fields: tuple[str, ...] = (),
) -> SkillSpec:
    app_id, skill_id = name.split("-", 1)
    return SkillSpec(
        tool_name=name,
        app_id=app_id,
        skill_id=skill_id,
        name=name,
        description="",
        hint="",
        parameters=parameters,
        implementation=implementation or ScriptedSkill(),
        content_hash=json.dumps(parameters, sort_keys=True),
        position=Position("app.yml"),
        effect=effect,
        idempotent=idempotent,
        timeout=timeout,
        exclude_fields=exclude_fields,
    )


def make_contract(*skills: SkillSpec) -> Contract:
    return Contract("digest", {skill.tool_name: skill for skill in skills})


def parse(arguments: Json, skill: SkillSpec, limits: Limits | None = None, *, name: str | None = None) -> Call:
    """One call parsed; `arguments` that are no text are written as JSON."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    batch = parse_calls([ToolCall("c1", name or skill.tool_name, text)], make_contract(skill), limits or Limits())
    return batch.calls[0]


class NoStorage:
    async def get(self, key: str) -> Json | None:
        return None

    async def put(self, key: str, value: Json) -> None: ...

    async def delete(self, key: str) -> bool:
        return False

    async def keys(self, prefix: str = "") -> list[str]:
        return []

    async def items(self, prefix: str = "") -> dict[str, Json]:
        return {}


class NoLogger:
    def debug(self, event: str, **fields: object) -> object: ...
    def info(self, event: str, **fields: object) -> object: ...
    def warning(self, event: str, **fields: object) -> object: ...
    def error(self, event: str, **fields: object) -> object: ...


@dataclass
class Recorder:
    """An observer that keeps what it is told."""

    started: list[str] = field(default_factory=list)
    finished: list[CallResult] = field(default_factory=list)

    async def call_started(self, call: Call) -> None:
        self.started.append(call.id)

    async def call_finished(self, result: CallResult) -> None:
        self.finished.append(result)


@dataclass
class Turn:
    """One turn on the local engine."""

    contract: Contract
    limits: Limits
    execution: TurnExecution
    observer: Recorder
    seconds: float

    def parse(self, *calls: tuple[str, Json]) -> CallBatch:
        written = [ToolCall(f"c{n}", name, json.dumps(arguments)) for n, (name, arguments) in enumerate(calls, 1)]
        return parse_calls(written, self.contract, self.limits)

    async def run_batch(self, batch: CallBatch) -> ResultBatch:
        return await self.execution.run(batch, time.monotonic() + self.seconds)

    async def run(self, *calls: tuple[str, Json]) -> tuple[CallResult, ...]:
        return (await self.run_batch(self.parse(*calls))).results

    async def ask(self, name: str, *queries: str) -> tuple[EntryResult, ...]:
        (result,) = await self.run((name, {"requests": [{"query": query} for query in queries]}))
        return result.entries


FAST = Limits(timeout=5.0, cancel_grace=0.05, retry_wait=0.001, retry_wait_max=0.01)


@contextlib.asynccontextmanager
async def open_turn(
    *skills: SkillSpec,
    limits: Limits = FAST,
    secrets: dict[str, str] | None = None,
    seconds: float = 20.0,
    engine: LocalEngine | None = None,
) -> AsyncIterator[Turn]:
    async with aiohttp.ClientSession() as http:

        def make_context(skill: SkillSpec, call_id: str, deadline: float, cancellation: Cancellation) -> SkillContext:
            return SkillContext(
                tenant="t",
                user="u",
                conversation=None,
                source="chat",
                call_id=call_id,
                deadline=deadline,
                open_http=lambda: http,
                secrets=secrets or {},
                storage=NoStorage(),
                logger=NoLogger(),
                cancellation=cancellation,
            )

        contract, observer = make_contract(*skills), Recorder()
        execution = TurnExecution(engine or LocalEngine(), contract, limits, make_context, observer)
        yield Turn(contract, limits, execution, observer, seconds)
