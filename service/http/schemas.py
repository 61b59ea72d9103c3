"""The bodies that HTTP takes: closed, strict about types, every limit named."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
)

from apps.sdk.chat import Message, ToolCall
from apps.sdk.jsontypes import JsonObject
from apps.sdk.skill import Source
from preprocessor.intent import Intent
from service.http.content_blocks import AssistantBlock, ResultBlock, UserBlock
from service.models.replies import write_arguments

ToolName = Annotated[str, StringConstraints(min_length=1, max_length=64)]


class Body(BaseModel):
    """Unknown fields and wrong types are refused with a pointer."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class FunctionCall(Body):
    """What an earlier reply called; whatever a model wrote is taken, since an answer's messages must be."""

    name: str = Field(description="As the model wrote it.")
    arguments: str | JsonObject | None = Field(description="JSON text, as the model wrote it; an object or null is taken too.")


class WireToolCall(Body):
    """A tool call of an earlier assistant message."""

    id: str
    type: Literal["function"] = "function"
    function: FunctionCall


class SystemMessage(Body):
    """The caller's own instructions; they follow the service's."""

    role: Literal["system"]
    content: str


class UserMessage(Body):
    """Text, or content blocks."""

    role: Literal["user"]
    content: str | list[UserBlock]


class AssistantMessage(Body):
    """An earlier answer or an earlier message with calls."""

    role: Literal["assistant"]
    content: str | list[AssistantBlock] | None = None
    tool_calls: list[WireToolCall] | None = Field(None, max_length=128)


class ToolMessage(Body):
    """The result of an earlier call."""

    role: Literal["tool"]
    content: str | list[ResultBlock]
    tool_call_id: str


WireMessage = Annotated[SystemMessage | UserMessage | AssistantMessage | ToolMessage, Field(discriminator="role")]


def to_message(wire: SystemMessage | UserMessage | AssistantMessage | ToolMessage) -> Message:
    """The message as the service holds it."""
    match wire:
        case AssistantMessage():
            calls = tuple(map(_to_call, wire.tool_calls or ()))
            return Message("assistant", wire.content or "", calls)
        case ToolMessage():
            return Message("tool", wire.content, tool_call_id=wire.tool_call_id)
        case SystemMessage() | UserMessage():
            return Message(wire.role, wire.content)


def _to_call(wire: WireToolCall) -> ToolCall:
    return ToolCall(wire.id, wire.function.name, write_arguments(wire.function.arguments))


def _end_with_user(messages: list[WireMessage]) -> list[WireMessage]:
    if messages[-1].role != "user":
        raise ValueError("the last message must be the user's")
    return messages


class ExpandBody(Body):
    """What a conversation wants of its tools."""

    intent: Intent | None = Field(None, description="null or missing: as usual, the standard set.")
    source: Source = "chat"

    @property
    def wanted(self) -> Intent:
        return self.intent or Intent()


class MessagesBody(ExpandBody):
    """A history whose last message is the user's."""

    messages: Annotated[list[WireMessage], Field(min_length=1, max_length=2_000), AfterValidator(_end_with_user)]


class PreprocessBody(MessagesBody):
    """A message to shortlist for."""


class TurnBody(MessagesBody):
    """A message to answer, in a history that the caller keeps or in a stored conversation."""

    intent: Intent | None = Field(
        None,
        description="null or missing: the conversation's own; without a `conversation_id`: as usual, the standard set. In a"
        " conversation a key that is given changes it for this turn, a key that is null resets it for this turn.",
    )
    conversation_id: Annotated[str, StringConstraints(min_length=1, max_length=64)] | None = Field(
        None,
        description="A stored conversation; `messages` are then the user's new ones alone, and `intent` changes the stored one"
        " for this turn, key by key.",
    )
    stream: bool = Field(False, description="Server-sent events instead of one JSON answer.")
    max_rounds: int | None = Field(None, ge=1, description="Rounds of tool calls; at most the service's own setting.")
    token_budget: int | None = Field(None, ge=1, description="Tokens over both models; at most the service's own setting.")

    @field_validator("conversation_id")
    @classmethod
    def _take_new_messages_only(cls, conversation_id: str | None, info: ValidationInfo) -> str | None:
        messages: Sequence[WireMessage] = info.data.get("messages", ())
        if conversation_id is not None and any(message.role != "user" for message in messages):
            raise ValueError("a stored conversation has its history: send only the user's new messages")
        return conversation_id


class ExecuteBody(ExpandBody):
    """One call."""

    name: ToolName
    arguments: JsonObject = Field(
        {},
        description="As the author's schema wants them, which GET /v1/skills shows as `parameters`. What models are sent in its"
        " place differs, and what is written for that is not undone here.",
    )
    id: Annotated[str, StringConstraints(min_length=1, max_length=200)] = "call_1"


WithoutNul = WithJsonSchema({"type": "string", "maxLength": 500, "pattern": "^[^\\u0000]*$"})


def refuse_nul(text: str) -> str:
    """Which not every database keeps."""
    if "\0" in text:
        raise ValueError("a NUL character cannot be kept")
    return text


class OverrideBody(Body):
    """An administrator's word about an app, a skill or a focus mode."""

    enabled: bool
    reason: Annotated[str, StringConstraints(max_length=500), AfterValidator(refuse_nul), WithoutNul] | None = None
