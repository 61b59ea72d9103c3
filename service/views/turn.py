"""A turn's answer, as callers are told. `trace` is for people: its fields may grow."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from apps.sdk.chat import Message
from apps.sdk.jsontypes import JsonObject
from service.turns.tool_calls import ExecutedCall
from service.turns.tool_loop import Round
from service.turns.turn import TurnOutcome
from service.views.preparation import (
    ExpansionView,
    ExposureView,
    PreselectionView,
    UsageView,
    describe_preparation,
    describe_usage,
)
from service.views.results import ExecutionView, describe_result
from service.views.view import View


class NoticeView(View):
    """Something the caller should know about the answer."""

    code: str
    message: str


class RoundView(View):
    """One call of the main model."""

    model: str
    finish_reason: str
    calls: tuple[str, ...]
    usage: UsageView
    prompt_tokens_estimated: int


class CallView(View):
    """One tool call of the turn: what the model wrote, and what came back."""

    arguments: str
    execution: ExecutionView


class LeftOutView(View):
    """What the main model was not shown of the history, since its window is smaller; tokens by the documented estimate."""

    turns: int
    messages: int
    tokens: int


class TraceView(View):
    """How the answer came about."""

    expansion: ExpansionView
    preselection: PreselectionView
    exposure: ExposureView
    rounds: tuple[RoundView, ...]
    calls: tuple[CallView, ...]
    repairs: tuple[str, ...]
    left_out: LeftOutView
    seconds: float


class AnswerView(View):
    """The final message."""

    role: Literal["assistant"] = "assistant"
    content: str


class TurnView(View):
    """A turn's answer. Append `messages` to the history to go on."""

    id: str
    conversation_id: str | None = Field(description="The stored conversation; null when the caller keeps the history.")
    status: Literal["done"] = "done"
    answer: AnswerView
    model: str | None = Field(description="The model that served the answer; offline stand-ins name themselves.")
    notices: tuple[NoticeView, ...]
    messages: tuple[JsonObject, ...]
    usage: UsageView
    trace: TraceView


def describe_turn(outcome: TurnOutcome) -> TurnView:
    """The whole answer."""
    answer = outcome.answer
    messages = (*outcome.state.messages, Message("assistant", answer.text))
    return TurnView(
        id=outcome.request.id,
        conversation_id=outcome.request.caller.conversation,
        answer=AnswerView(content=answer.text),
        model=answer.model,
        notices=tuple(NoticeView(code=notice.code, message=notice.message) for notice in answer.notices),
        messages=tuple(message.to_wire() for message in messages),
        usage=describe_usage(outcome.usage),
        trace=_describe_trace(outcome),
    )


def describe_finished(outcome: TurnOutcome) -> JsonObject:
    """What a conversation's events keep of it: all but the trace, and the messages, which are kept as such."""
    return describe_turn(outcome).model_dump(mode="json", exclude={"trace", "messages"})


def _describe_trace(outcome: TurnOutcome) -> TraceView:
    prepared = describe_preparation(outcome.prepared)
    left_out = outcome.state.left_out
    return TraceView(
        expansion=prepared.expansion,
        preselection=prepared.preselection,
        exposure=prepared.exposure,
        rounds=tuple(map(_describe_round, outcome.state.rounds)),
        calls=tuple(map(_describe_call, outcome.state.executed)),
        repairs=outcome.repairs,
        left_out=LeftOutView(turns=left_out.turns, messages=left_out.messages, tokens=left_out.tokens),
        seconds=round(outcome.seconds, 4),
    )


def _describe_round(round_: Round) -> RoundView:
    return RoundView(
        model=round_.model,
        finish_reason=round_.finish_reason,
        calls=round_.calls,
        usage=describe_usage(round_.usage),
        prompt_tokens_estimated=round_.prompt_tokens_estimated,
    )


def _describe_call(executed: ExecutedCall) -> CallView:
    return CallView(arguments=executed.call.arguments, execution=describe_result(executed.result, executed.rendered))
