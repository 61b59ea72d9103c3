"""Conversations, their messages and events, and what users switched off, as callers are told."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from apps.sdk.jsontypes import Json, JsonObject
from preprocessor.availability import OverrideKind
from service.store.conversations import Conversation, StoredMessage
from service.store.deactivations import StoredDeactivation
from service.store.turn_records import StoredEvent
from service.views.view import View


class ForkView(View):
    """Where a conversation branched off."""

    conversation_id: str
    message_id: str | None = Field(description="The message that was named; null: the whole conversation was copied.")


class ConversationView(View):
    """A stored conversation."""

    id: str
    title: str | None
    intent: JsonObject | None = Field(description="What it wants of its tools, the keys that were set; null follows the default.")
    forked_from: ForkView | None
    running_turn: str | None = Field(description="The turn that has it now.")
    last_event_id: int = Field(description="0 before the first event.")
    created_at: str
    updated_at: str


class ConversationsView(View):
    """One page, the one used last first."""

    conversations: tuple[ConversationView, ...]
    next: str | None = Field(description="The `cursor` of the next page; null: this was the last.")


class MessageView(View):
    """One message of the history."""

    id: str
    turn_id: str
    seq: int = Field(description="Its place in the conversation, rising from 1.")
    role: Literal["system", "user", "assistant", "tool"]
    content: Json
    tool_calls: tuple[JsonObject, ...] | None
    tool_call_id: str | None
    created_at: str


class MessagesView(View):
    """One page, oldest first."""

    messages: tuple[MessageView, ...]
    next: int | None = Field(description="The `after` of the next page; null: this was the last.")


class EventView(View):
    """One thing that a turn told."""

    id: int
    turn_id: str
    event: str
    data: JsonObject
    created_at: str


class EventsView(View):
    """One page, oldest first."""

    events: tuple[EventView, ...]
    next: int = Field(description="The `after` with which to ask for what comes next.")


class DeactivationView(View):
    """Something that a user switched off."""

    kind: OverrideKind
    id: str
    created_at: str


class DeactivationsView(View):
    """Everything that a user switched off."""

    deactivations: tuple[DeactivationView, ...]


class ErasureView(View):
    """How much was erased of a user, by what it was."""

    erased: dict[str, int]


def describe_conversation(conversation: Conversation) -> ConversationView:
    """The whole record but for its owner, who asks."""
    forked = conversation.forked_from
    return ConversationView(
        id=conversation.id,
        title=conversation.title,
        intent=None if conversation.intent is None else conversation.intent.dump(),
        forked_from=None if forked is None else ForkView(conversation_id=forked, message_id=conversation.forked_at),
        running_turn=conversation.running_turn,
        last_event_id=conversation.last_event,
        created_at=conversation.created_at.isoformat(),
        updated_at=conversation.updated_at.isoformat(),
    )


def describe_message(stored: StoredMessage) -> MessageView:
    """The message as a history has it, and where it stands."""
    message = stored.message
    return MessageView(
        id=stored.id,
        turn_id=stored.turn_id,
        seq=stored.seq,
        role=message.role,
        content=message.content,
        tool_calls=tuple(call.to_wire() for call in message.tool_calls) or None,
        tool_call_id=message.tool_call_id,
        created_at=stored.created_at.isoformat(),
    )


def describe_event(stored: StoredEvent) -> EventView:
    """The event with its id."""
    return EventView(
        id=stored.id,
        turn_id=stored.turn_id,
        event=stored.name,
        data=stored.data,
        created_at=stored.created_at.isoformat(),
    )


def describe_deactivation(stored: StoredDeactivation) -> DeactivationView:
    """What is off, and since when."""
    return DeactivationView(kind=stored.kind, id=stored.id, created_at=stored.created_at.isoformat())
