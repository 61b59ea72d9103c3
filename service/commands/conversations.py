"""`shortlist conversations`: list, show and export what is stored."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from apps.sdk.shown import spell_out
from service.access.keys import TENANT_FORM
from service.commands.failures import CommandFailed, UsageError
from service.commands.output import print_json, print_lines
from service.store.errors import ConversationMissing, StoreError

if TYPE_CHECKING:
    from apps.sdk.chat import Message
    from service.settings import Settings
    from service.store.conversations import Conversation, Conversations, Owner, StoredMessage

PAGE = 200
"""Messages and conversations that are read at once."""


async def list_conversations(settings: Settings, tenant: str, user: str, limit: int) -> int:
    """Print a line for each of a user's conversations, the one used last first."""
    owner = make_owner(tenant, user)
    async with open_conversations(settings) as conversations:
        found = await conversations.list(owner, limit=limit)
    print_lines([describe_line(conversation) for conversation in found] or ["no conversations"])
    return 0


async def show_conversation(settings: Settings, tenant: str, user: str, conversation_id: str) -> int:
    """Print what was said, for people."""
    owner = make_owner(tenant, user)
    async with open_conversations(settings) as conversations:
        conversation = await find(conversations, owner, conversation_id)
        print_lines([describe_line(conversation), ""])
        async for stored in read_all(conversations, owner, conversation_id):
            print_lines(describe_message(stored.message))
    return 0


async def export_conversation(settings: Settings, tenant: str, user: str, conversation_id: str) -> int:
    """Print one JSON object: the conversation and its messages, as HTTP gives them."""
    from service.views.conversations import describe_conversation  # noqa: PLC0415 - needs the store's own imports
    from service.views.conversations import describe_message as describe  # noqa: PLC0415

    owner = make_owner(tenant, user)
    async with open_conversations(settings) as conversations:
        conversation = await find(conversations, owner, conversation_id)
        messages = [describe(stored) async for stored in read_all(conversations, owner, conversation_id)]
    whole = {**describe_conversation(conversation).model_dump(mode="json"), "messages": [item.model_dump() for item in messages]}
    print_json(whole)
    return 0


def make_owner(tenant: str, user: str) -> Owner:
    """Whose conversations are meant. Raises `UsageError`."""
    from service.store.conversations import Owner  # noqa: PLC0415 - SQLAlchemy takes a third of a second

    for option, text in (("--tenant", tenant), ("--user", user)):
        if not TENANT_FORM.fullmatch(text):
            raise UsageError(f"{option}: 1 to 128 letters, digits or any of _ . @ : + -")
    return Owner(tenant, user)


async def find(conversations: Conversations, owner: Owner, conversation_id: str) -> Conversation:
    """The conversation. Raises `CommandFailed` when the owner has none of this id."""
    try:
        return await conversations.get(owner, conversation_id)
    except ConversationMissing:
        text = f"{owner.user} has no conversation {spell_out(conversation_id)}; `shortlist conversations list` has them"
        raise CommandFailed(text) from None


async def read_all(conversations: Conversations, owner: Owner, conversation_id: str) -> AsyncIterator[StoredMessage]:
    """Every message, page by page."""
    after, is_last = 0, False
    while not is_last:
        page = await conversations.read_messages(owner, conversation_id, after_seq=after, limit=PAGE)
        for stored in page.messages:
            yield stored
            after = stored.seq
        is_last = page.is_last


def describe_line(conversation: Conversation) -> str:
    """The conversation on one line."""
    state = "  a turn runs" if conversation.running_turn else ""
    title = f"  {spell_out(conversation.title)}" if conversation.title else ""
    return f"{conversation.id}  {conversation.updated_at:%Y-%m-%d %H:%M}{state}{title}"


def describe_message(message: Message) -> list[str]:
    """The message as lines: who, then what."""
    said = [f"    {spell_out(line, keep=chr(9))}" for line in message.text.splitlines()]
    calls = [f"    called {spell_out(call.name)} {spell_out(call.arguments)}" for call in message.tool_calls]
    return [f"{message.role}:", *said, *calls]


@asynccontextmanager
async def open_conversations(settings: Settings) -> AsyncIterator[Conversations]:
    """The conversations in the settings' database. Raises `CommandFailed` for what somebody can mend."""
    from service.store.conversations import Conversations  # noqa: PLC0415 - SQLAlchemy takes a third of a second
    from service.store.database import Database  # noqa: PLC0415

    try:
        async with await Database.open(settings.database_url) as database:
            yield Conversations(database)
    except StoreError as error:
        raise CommandFailed(str(error)) from error
