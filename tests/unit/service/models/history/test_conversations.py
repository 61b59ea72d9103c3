"""Conversations at random: whatever happens in a turn and wherever the process ends, the next request is a valid one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from apps.sdk.chat import ChatRequest, Message, ModelError, ModelReply, ModelTimeout, TextDelta, ToolCall, ToolDefinition, Usage
from apps.sdk.skill import Skill, SkillContext, SkillFailed, SkillRetry
from apps.sdk.testing import make_context
from service.models.history import repair_history
from service.models.llm import repair_messages
from service.models.replies import repair_ids, taken_ids
from service.turns.errors import BudgetSpent
from tests.support.wire_rules import find_fault
from tests.unit.service.turns.test_tool_loop import build_loop

TOOLS = (ToolDefinition("lab-slow", "Slow.", {"type": "object"}),)
PURPOSES = st.sampled_from(["ok", "retry", "fail", "crash", "cancel", "silent"])
ARGUMENTS = PURPOSES.map(lambda word: json.dumps({"requests": [{"query": word}]})) | st.sampled_from(
    ["", "{", "null", "[]", '"x"']
)
CALLS = st.builds(
    ToolCall,
    st.sampled_from(["", "call_1", "call_2", "dup", "a.b:0"]),
    st.sampled_from(["lab-slow", "lab.slow", "gone", ""]),
    ARGUMENTS,
)
REPLIES = st.builds(
    ModelReply,
    st.sampled_from(["", "Let me see."]),
    st.lists(CALLS, max_size=4).map(tuple),
    st.sampled_from(["stop", "tool_calls", "length"]),
    st.just("scripted"),
    st.just(Usage(1, 1)),
)
STEPS = REPLIES | st.sampled_from(["error", "hang", "crash"])


@dataclass(frozen=True, slots=True)
class Turn:
    """What a model does in it, and how many of its messages are kept where the process ends."""

    steps: Sequence[ModelReply | str]
    kept: int | None


TURNS = st.builds(Turn, st.lists(STEPS, max_size=4), st.none() | st.integers(0, 5))


class StrictModel:
    """Answers from its steps, and holds each request to what a strict provider takes, as the adapter would send it."""

    name = "scripted"

    def __init__(self, steps: Sequence[ModelReply | str]) -> None:
        self.steps = list(steps)

    async def complete(self, request: ChatRequest) -> ModelReply:
        assert find_fault({"messages": [message.to_wire() for message in repair_messages(request.messages)]}) is None
        step = self.steps.pop(0) if self.steps else ModelReply("Done.", (), "stop", self.name)
        if isinstance(step, ModelReply):
            calls = repair_ids(step.tool_calls, taken_ids(request)) if request.tools else ()
            return ModelReply(step.text, calls, step.finish_reason, step.model, step.usage)
        if step == "hang":
            raise asyncio.CancelledError  # whoever asked has gone
        raise ModelTimeout(self.name, "late") if step == "error" else ModelError(self.name, "broken")

    async def stream(self, request: ChatRequest) -> AsyncGenerator[TextDelta | ModelReply, None]:
        yield await self.complete(request)


@dataclass(slots=True)
class MoodySkill(Skill):
    """Does what it is asked for; `cancel` cancels the whole turn."""

    turn: asyncio.Task[Any] | None = None
    ran: list[str] = field(default_factory=list)

    async def execute(self, request: Any, context: SkillContext) -> Any:
        self.ran.append(request["query"])
        match request["query"]:
            case "retry":
                raise SkillRetry("Otherwise, please.")
            case "fail":
                raise SkillFailed("No.")
            case "crash":
                raise Exception  # one without a message
            case "cancel":
                assert self.turn is not None
                self.turn.cancel()
                await asyncio.Event().wait()
            case "silent":
                return None
        return {"done": len(self.ran)}


async def hold(turns: Sequence[Turn]) -> list[Message]:
    """The history that is left of all turns; every request in between was checked."""
    history: list[Message] = [Message("system", "Help.")]
    async with make_context() as context:
        for number, turn in enumerate(turns):
            skill = MoodySkill()
            loop = build_loop(context, StrictModel(turn.steps), skill)  # type: ignore[arg-type]  # a model like any other
            history.append(Message("user", f"question {number}"))
            begun = repair_history(history)
            skill.turn = asyncio.create_task(loop.run(begun.messages, TOOLS))
            outcome = (await asyncio.gather(skill.turn, return_exceptions=True))[0]
            assert outcome is None or isinstance(outcome, ModelError | BudgetSpent | asyncio.CancelledError), repr(outcome)
            said = [*loop.state.messages, *([Message("assistant", loop.state.text)] if loop.state.answered else [])]
            history = [*begun.messages, *said[: turn.kept]]
    return history


@settings(max_examples=60)
@given(st.lists(TURNS, min_size=1, max_size=4))
def test_any_conversation_can_go_on(turns: list[Turn]) -> None:
    """Replies, failures, cancels and restarts in any order: each request and what is left at the end is a valid history."""
    history = asyncio.run(hold(turns))
    going_on = repair_history([*history, Message("user", "and now?")])
    wire = [message.to_wire() for message in going_on.messages]
    assert find_fault({"messages": wire}) is None
    assert repair_history(going_on.messages).messages == going_on.messages
    questions = "\n".join(message.content for message in going_on.messages if message.role == "user")
    assert all(f"question {number}" in questions for number in range(len(turns)))
