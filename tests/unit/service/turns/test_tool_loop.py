"""The loop itself, with real skills and a scripted `ChatModel`: what is left when it is cut off at any moment."""

from __future__ import annotations

import asyncio
import json
import time
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeAlias

import pytest

from apps.sdk.chat import (
    ChatRequest,
    ContextWindowExceeded,
    Message,
    ModelReply,
    ModelUnavailable,
    TextDelta,
    ToolCall,
    ToolDefinition,
    Usage,
)
from apps.sdk.contract import Contract
from apps.sdk.skill import Skill, SkillContext
from apps.sdk.testing import make_context
from executor.engine.local import LocalEngine
from executor.policy import Limits
from executor.validation import SkillSchemas
from service.instructions import AnswerTexts
from service.models.history import PromptWindow
from service.turns.answers import conclude
from service.turns.errors import BudgetSpent
from service.turns.events import Event, discard
from service.turns.request import TurnLimits
from service.turns.tool_calls import ToolCalls
from service.turns.tool_loop import SHORTENED, ToolLoop
from tests.e2e.lab import wait_until
from tests.support.catalogs import make_skill
from tests.support.wire_rules import find_fault

ANSWERS = AnswerTexts("late", "dear", "gone", "silent", "found:")
HISTORY = (Message("system", "Help."), Message("user", "go"))


class Script:
    """Gives its replies one after the other; an exception is raised."""

    name = "scripted"

    def __init__(self, replies: Iterable[ModelReply | Exception]) -> None:
        self.replies = deque(replies)
        self.requests: list[ChatRequest] = []

    async def complete(self, request: ChatRequest) -> ModelReply:
        self.requests.append(request)
        reply = self.replies.popleft()
        if isinstance(reply, Exception):
            raise reply
        return reply

    async def stream(self, request: ChatRequest) -> AsyncGenerator[TextDelta | ModelReply, None]:
        reply = await self.complete(request)
        for word in reply.text.split():
            yield TextDelta(word)
        yield reply


class SlowSkill(Skill):
    """Notes who starts and who is cancelled; ends only when it is told to."""

    def __init__(self) -> None:
        self.started: list[str] = []
        self.cancelled: list[str] = []
        self.release = asyncio.Event()

    async def execute(self, request: Any, context: SkillContext) -> Any:
        self.started.append(request["query"])
        try:
            await self.release.wait()
        except asyncio.CancelledError:
            self.cancelled.append(request["query"])
            raise
        return {"done": request["query"]}


def calls(*ids: str, each: int = 1) -> ModelReply:
    """A reply with one call for each id, each of so many requests."""
    requests = {call_id: ", ".join(f'{{"query": "{call_id}{number}"}}' for number in range(each)) for call_id in ids}
    written = (ToolCall(call_id, "lab-slow", f'{{"requests": [{text}]}}') for call_id, text in requests.items())
    return ModelReply("", tuple(written), "tool_calls", "scripted", Usage(10, 5))


def says(text: str) -> ModelReply:
    return ModelReply(text, (), "stop", "scripted", Usage(10, 5))


@pytest.fixture
async def context() -> AsyncIterator[SkillContext]:
    async with make_context() as made:
        yield made


MakeLoop: TypeAlias = Callable[..., ToolLoop]


@pytest.fixture
def make_loop(context: SkillContext) -> MakeLoop:
    """Makes the loop of one turn over a model and a skill."""
    return partial(build_loop, context)


def build_loop(
    context: SkillContext,
    model: Script,
    skill: Skill,
    *,
    budget: int = 10_000,
    used: int = 0,
    stream: bool = False,
    prompt_limit: int | None = None,
) -> ToolLoop:
    spec = make_skill("lab-slow", implementation=skill, arguments={"query": {"type": "string"}})
    tool_calls = ToolCalls(
        contract=Contract("x", {"lab-slow": spec}),
        engine=LocalEngine(),
        limits=Limits(cancel_grace=0.2),
        schemas=SkillSchemas(),
        make_context=lambda spec, call_id, deadline, cancellation: context,
        emit=discard,
        renderers=ThreadPoolExecutor(1),
    )
    return ToolLoop(
        model=model,
        window=PromptWindow(prompt_limit),
        calls=tool_calls,
        limits=TurnLimits(timeout=30, deadline=time.monotonic() + 30, token_budget=budget, max_rounds=4),
        tokens_used=used,
        last_call="Answer now.",
        emit=discard,
        stream=stream,
    )


def tools() -> tuple[ToolDefinition, ...]:
    return (ToolDefinition("lab-slow", "Slow.", {"type": "object"}),)


def find_history_fault(messages: Iterable[Message]) -> str | None:
    return find_fault({"messages": [message.to_wire() for message in (*HISTORY, *messages)]})


async def test_a_cancelled_turn_leaves_a_valid_history(make_loop: MakeLoop) -> None:
    """case 34: five run and five wait; running ones are cancelled, waiting ones never start, all have results, it goes on."""
    skill = SlowSkill()
    loop = make_loop(Script([calls("a", "b", each=5)]), skill)
    turn = asyncio.create_task(loop.run(HISTORY, tools()))
    await wait_until(lambda: len(skill.started) == 5 or turn.done())
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    assert skill.started == sorted(skill.cancelled) == [f"a{number}" for number in range(5)]
    assert [message.role for message in loop.state.messages] == ["assistant", "tool", "tool"]
    assert find_history_fault(loop.state.messages) is None
    outcomes = [entry.error.code for item in loop.state.executed for entry in item.result.entries if entry.error]
    assert outcomes == ["cancelled"] * 10
    skill.release.set()
    following = make_loop(Script([calls("c"), says("Done.")]), skill)
    so_far = [*loop.state.messages, Message("assistant", "Stopped."), Message("user", "again")]
    await following.run((*HISTORY, *so_far), tools())
    assert following.state.answered
    assert find_history_fault([*so_far, *following.state.messages]) is None


async def test_a_turn_cancelled_between_its_rounds_keeps_the_results(make_loop: MakeLoop) -> None:
    """What was done before the cancel stays done, with its results."""
    skill = SlowSkill()
    skill.release.set()
    waiting = asyncio.Event()

    class Waits(Script):
        async def complete(self, request: ChatRequest) -> ModelReply:
            if self.requests:
                waiting.set()
                await asyncio.Event().wait()
            return await super().complete(request)

    loop = make_loop(Waits([calls("a")]), skill)
    turn = asyncio.create_task(loop.run(HISTORY, tools()))
    await waiting.wait()
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    assert [item.result.outcome for item in loop.state.executed] == ["ok"]
    assert find_history_fault(loop.state.messages) is None


async def test_arguments_of_megabytes_do_not_keep_others_waiting(make_loop: MakeLoop) -> None:
    """Reading them takes seconds; the event loop goes on meanwhile, and each call is answered."""
    many = json.dumps({"requests": [{"query": "a", **{f"k{number}": number for number in range(100_000)}}]})
    written = ModelReply("", (ToolCall("a", "lab-slow", many),), "tool_calls", "scripted", Usage(10, 5))
    skill = SlowSkill()
    skill.release.set()
    loop = make_loop(Script([written, says("Done.")]), skill, budget=10_000_000)
    turns = 0

    async def tick() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0.001)
            turns += 1

    ticking = asyncio.create_task(tick())
    await loop._calls.parse(written.tool_calls)
    ticking.cancel()
    assert turns > 5
    await loop.run(HISTORY, tools())
    assert loop.state.answered
    assert [item.result.outcome for item in loop.state.executed] == ["ok"]
    assert find_history_fault(loop.state.messages) is None


async def test_a_turn_cancelled_while_arguments_are_read_leaves_a_valid_history(make_loop: MakeLoop) -> None:
    """Nothing of that reply has begun, and nothing of it is kept."""
    many = json.dumps({"requests": [{"query": "a", **{f"k{number}": number for number in range(50_000)}}]})
    written = ModelReply("", (ToolCall("b", "lab-slow", many),), "tool_calls", "scripted", Usage(10, 5))
    skill = SlowSkill()
    skill.release.set()
    loop = make_loop(Script([calls("a"), written]), skill, budget=10_000_000)
    turn = asyncio.create_task(loop.run(HISTORY, tools()))
    await wait_until(lambda: len(loop.state.rounds) == 2)
    await asyncio.sleep(0.005)
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    assert [item.call.id for item in loop.state.executed] == ["a"]
    assert find_history_fault(loop.state.messages) is None


async def test_what_streamed_before_a_break_is_kept(make_loop: MakeLoop) -> None:
    """The answer quotes it, with the results and the reason."""

    class Breaks(Script):
        async def stream(self, request: ChatRequest) -> AsyncGenerator[TextDelta | ModelReply, None]:
            if not self.requests:
                async for part in super().stream(request):
                    yield part
                return
            yield TextDelta("It is")
            raise ModelUnavailable("scripted", "broke")

    skill = SlowSkill()
    skill.release.set()
    loop = make_loop(Breaks([calls("a")]), skill, stream=True)
    with pytest.raises(ModelUnavailable) as raised:
        await loop.run(HISTORY, tools())
    answer = conclude(loop.state, raised.value, ANSWERS)
    assert answer.text.startswith("It is\n\ngone\n\nfound:\n\nlab-slow\n")
    assert [notice.code for notice in answer.notices] == ["model_unavailable"]


@pytest.mark.parametrize(("budget", "used", "asked"), [(10_000, 0, 2), (10_000, 9_990, 0), (60, 0, 1)])
async def test_the_budget_is_the_turns_whole_one(make_loop: MakeLoop, budget: int, used: int, asked: int) -> None:
    """What was used before counts, and the error names the budget that the caller knows."""
    skill = SlowSkill()
    skill.release.set()
    model = Script([calls("a"), says("Done.")])
    loop = make_loop(model, skill, budget=budget, used=used)
    if asked == 2:
        await loop.run(HISTORY, tools())
    else:
        with pytest.raises(BudgetSpent) as raised:
            await loop.run(HISTORY, tools())
        assert raised.value.tokens == budget
    assert len(model.requests) == asked


async def test_a_history_beyond_the_budget_is_shortened(make_loop: MakeLoop) -> None:
    """Only the caller's own message can be too dear: a conversation that has grown goes on, with room for another round."""
    skill = SlowSkill()
    skill.release.set()
    earlier = [Message("user", "first " * 100), Message("assistant", "yes " * 100)] * 10
    model = Script([calls("a"), says("Done.")])
    loop = make_loop(model, skill, budget=1_000)
    await loop.run((HISTORY[0], *earlier, HISTORY[1]), tools())
    assert loop.state.answered
    assert (len(model.requests), loop.state.notices) == (2, [SHORTENED, SHORTENED])
    assert 0 < loop.state.left_out.turns < 10
    model = Script([])
    dear = (HISTORY[0], *earlier, Message("user", "word " * 2_000))
    with pytest.raises(BudgetSpent):
        await make_loop(model, skill, budget=1_000).run(dear, tools())
    assert not model.requests


async def test_each_request_knows_the_time_that_is_left(make_loop: MakeLoop) -> None:
    """So that fallbacks share the turn's deadline."""
    model = Script([says("Done.")])
    await make_loop(model, SlowSkill()).run(HISTORY, tools())
    assert model.requests[0].timeout is not None
    assert 0 < model.requests[0].timeout <= 30


async def test_events_are_told_in_the_order_of_things(make_loop: MakeLoop) -> None:
    """Started, finished; in between nothing of others' texts is lost."""
    told: list[Event] = []
    skill = SlowSkill()
    skill.release.set()
    loop = make_loop(Script([calls("a"), says("All done.")]), skill, stream=True)
    loop._emit = told.append
    loop._calls._emit = told.append
    await loop.run(HISTORY, tools())
    assert [event.name for event in told] == ["tool.started", "tool.finished", "text.delta", "text.delta"]


async def test_a_stream_that_was_heard_is_not_asked_again(make_loop: MakeLoop) -> None:
    """What was told cannot be taken back, so the refusal that comes after it ends the turn."""

    class RefusesLate(Script):
        async def stream(self, request: ChatRequest) -> AsyncGenerator[TextDelta | ModelReply, None]:
            self.requests.append(request)
            yield TextDelta("It is")
            raise ContextWindowExceeded("scripted", "too long")

    model = RefusesLate([])
    loop = make_loop(model, SlowSkill(), stream=True)
    with pytest.raises(ContextWindowExceeded):
        await loop.run((HISTORY[0], Message("user", "first"), Message("assistant", "yes"), HISTORY[1]), tools())
    assert len(model.requests) == 1
    assert loop.state.text == "It is"


async def test_what_is_asked_again_is_measured_against_the_budget(make_loop: MakeLoop) -> None:
    """A refused prompt cost nothing; the shorter one may pass where the whole history would have."""
    earlier = [Message("user", "first " * 100), Message("assistant", "yes " * 100)] * 3
    history = (HISTORY[0], *earlier, HISTORY[1])
    model = Script([ContextWindowExceeded("scripted", "too long"), says("Done.")])
    loop = make_loop(model, SlowSkill(), budget=900)
    await loop.run(history, tools())
    assert loop.state.left_out.turns == 2
    assert len(model.requests) == 2
    assert model.requests[1].messages == (HISTORY[0], *earlier[:2], HISTORY[1])
