"""A `ChatModel` that does what it is told and keeps what it was asked; for tests that need no wire."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator

from apps.sdk.chat import ChatRequest, FinishReason, ModelReply, TextDelta, ToolCall, Usage
from apps.sdk.jsontypes import Json


class ScriptedModel:
    """Answers every request with `answer`: a reply to give, or an exception to raise; after `delay` seconds."""

    def __init__(self, answer: ModelReply | BaseException, delay: float = 0.0) -> None:
        self.answer = answer
        self.delay = delay
        self.requests: list[ChatRequest] = []

    @property
    def name(self) -> str:
        return "scripted"

    async def complete(self, request: ChatRequest) -> ModelReply:
        self.requests.append(request)
        await asyncio.sleep(self.delay)
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer

    async def stream(self, request: ChatRequest) -> AsyncGenerator[TextDelta | ModelReply, None]:
        yield await self.complete(request)


def make_reply(*calls: ToolCall, text: str = "", finish: FinishReason = "tool_calls") -> ModelReply:
    return ModelReply(text, calls, finish, "scripted-1", Usage(100, 20))


def make_call(name: str, arguments: Json) -> ToolCall:
    """A call with `arguments` as JSON, or as they are when they are text."""
    return ToolCall("call_1", name, arguments if isinstance(arguments, str) else json.dumps(arguments))
