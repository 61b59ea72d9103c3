"""Conversations: whose they are, what they want of their tools, and what was said in them.

Everything is found by tenant and user as well as by id: somebody else's conversation is missing. A row that is damaged or of
a newer version is an error where it is asked for, and is left out where several are listed; nothing changes it, though its
owner may delete it.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa
import structlog
from pydantic import ValidationError

from preprocessor.intent import Intent
from service.store.connection import StoreConnection
from service.store.database import Database
from service.store.errors import ConversationExists, ConversationMissing, RowTooNew, RowUnreadable
from service.store.forks import copy_turns
from service.store.json_text import read_json, write_json
from service.store.messages import MessagePage, StoredMessage, read_after, read_latest
from service.store.tables import conversations, utc_now
from service.store.upsert import insert_missing

__all__ = ["FORMAT", "Conversation", "Conversations", "MessagePage", "Owner", "StoredMessage", "find_row", "read_intent"]

FORMAT: Final = 1
"""The version of what a conversation's rows hold. To be raised when an older version of the program would misread them."""
PURGE_BATCH: Final = 100
"""Conversations deleted in one transaction, so that other writes get their turn between two."""


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose something is; the same user id of another tenant is another user."""

    tenant: str
    user: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation without its messages. `intent` None = follow. `last_event` is the id of its newest event, 0 = none.

    `running_turn` is the turn that took it last and has not ended, also when its lease is over.
    """

    id: str
    owner: Owner
    title: str | None
    intent: Intent | None
    forked_from: str | None
    forked_at: str | None
    created_at: datetime
    updated_at: datetime
    running_turn: str | None
    last_event: int


class Conversations:
    """The conversations of every user. Each method raises `StoreUnavailable`."""

    def __init__(self, database: Database, *, clock: Callable[[], datetime] = utc_now) -> None:
        self._database = database
        self._clock = clock

    async def create(
        self,
        owner: Owner,
        *,
        title: str | None = None,
        intent: Intent | None = None,
        id: str | None = None,  # noqa: A002
    ) -> Conversation:
        """Make an empty one. Raises `ConversationExists` when anybody's has the id."""
        now = self._clock()
        made = Conversation(id or uuid.uuid4().hex, owner, title, intent, None, None, now, now, None, 0)

        async def work(connection: StoreConnection) -> Conversation:
            if not await insert_missing(connection, conversations, _write_row(made)):
                raise ConversationExists(made.id)
            return made

        return await self._database.write(work)

    async def get(self, owner: Owner, id: str) -> Conversation:  # noqa: A002
        """One. Raises `ConversationMissing`, `RowUnreadable`, `RowTooNew`."""

        async def work(connection: StoreConnection) -> Conversation:
            return _read_row(await find_row(connection, owner, id))

        return await self._database.read(work)

    async def list(self, owner: Owner, *, limit: int, before: tuple[datetime, str] | None = None) -> tuple[Conversation, ...]:
        """At most `limit`, the latest first by `(updated_at, id)`, from behind `before`; unreadable ones are left out."""

        async def work(connection: StoreConnection) -> tuple[Conversation, ...]:
            found: list[Conversation] = []
            place = before
            while len(found) < limit:
                wanted = limit - len(found)
                rows = (await connection.execute(_list_query(owner, wanted, place))).all()
                found += [conversation for row in rows if (conversation := _read_if_readable(row)) is not None]
                if len(rows) < wanted:
                    break
                place = (rows[-1].updated_at, rows[-1].id)
            return tuple(found)

        return await self._database.read(work)

    async def change(self, owner: Owner, id: str, apply: Callable[[Conversation], Conversation]) -> Conversation:  # noqa: A002
        """Keep the title and the intent of what `apply` makes of the conversation; what it raises leaves all as it was.

        `apply` may be called again when the database wants the transaction repeated. Raises `ConversationMissing`,
        `RowUnreadable`, `RowTooNew`.
        """

        async def work(connection: StoreConnection) -> Conversation:
            before = _read_row(await find_row(connection, owner, id, lock=True))
            wanted = apply(before)
            if (wanted.title, wanted.intent) == (before.title, before.intent):
                return before
            changes = {"title": wanted.title, "intent": _write_intent(wanted.intent), "updated_at": self._clock()}
            await connection.execute(sa.update(conversations).where(conversations.c.id == id).values(changes))
            return _read_row(await find_row(connection, owner, id))

        return await self._database.write(work)

    async def delete(self, owner: Owner, id: str) -> bool:  # noqa: A002
        """Delete one with all that was said in it, readable or not; whether there was one. A turn that holds it loses it."""
        return await self._delete(*_is_of(owner), conversations.c.id == id) > 0

    async def fork(self, owner: Owner, id: str, message_id: str | None = None) -> Conversation:  # noqa: A002
        """A new conversation that begins like this one: its title, intent, turns and messages, but not its events.

        At a turn's final answer: up to and with it. At a user's message: everything before it. None: all turns that have
        ended. Raises `ForkPointInvalid` for any other message, `ConversationMissing`, `RowUnreadable`, `RowTooNew`.
        """
        fork_id, now = uuid.uuid4().hex, self._clock()

        async def work(connection: StoreConnection) -> Conversation:
            source = _read_row(await find_row(connection, owner, id, lock=True))
            fork = Conversation(fork_id, owner, source.title, source.intent, id, message_id, now, now, None, 0)
            await connection.execute(sa.insert(conversations).values(_write_row(fork)))
            last_seq = await copy_turns(connection, id, fork_id, message_id, now)
            await connection.execute(sa.update(conversations).where(conversations.c.id == fork_id).values(last_seq=last_seq))
            return fork

        return await self._database.write(work)

    async def read_messages(
        self,
        owner: Owner,
        id: str,  # noqa: A002
        *,
        after_seq: int = 0,
        limit: int,
    ) -> MessagePage:
        """At most `limit` messages behind `after_seq`, oldest first; fewer, but one at least, of long ones.

        Raises `ConversationMissing`, `RowUnreadable`, `RowTooNew`.
        """

        async def work(connection: StoreConnection) -> MessagePage:
            await find_row(connection, owner, id)
            return await read_after(connection, id, after_seq, limit)

        return await self._database.read(work)

    async def read_latest_messages(self, owner: Owner, id: str, limit: int) -> tuple[StoredMessage, ...]:  # noqa: A002
        """The latest messages, at most `limit`, oldest first; fewer of long ones.

        Raises `ConversationMissing`, `RowUnreadable`, `RowTooNew`.
        """

        async def work(connection: StoreConnection) -> tuple[StoredMessage, ...]:
            await find_row(connection, owner, id)
            return (await read_latest(connection, id, limit)).messages

        return await self._database.read(work)

    async def purge(self, unused_since: datetime) -> int:
        """Delete those that nothing has happened in since then; how many. One that a turn holds is never among them.

        Neither is one of a newer format: this version cannot know what it is kept for.
        """
        unused = (
            conversations.c.updated_at < unused_since,
            sa.or_(conversations.c.lease_expires_at.is_(None), conversations.c.lease_expires_at <= self._clock()),
            conversations.c.format <= FORMAT,
        )
        total = 0
        # The conditions stand outside too: PostgreSQL checks those again for a row that was changed meanwhile.
        while deleted := await self._delete(
            conversations.c.id.in_(sa.select(conversations.c.id).where(*unused).limit(PURGE_BATCH)), *unused
        ):
            total += deleted
        return total

    async def erase_user(self, owner: Owner) -> int:
        """Delete all conversations of a user, readable or not; how many."""
        return await self._delete(*_is_of(owner))

    async def _delete(self, *conditions: sa.ColumnElement[bool]) -> int:
        async def work(connection: StoreConnection) -> int:
            return (await connection.execute(sa.delete(conversations).where(*conditions))).rowcount

        return await self._database.write(work)


async def find_row(
    connection: StoreConnection,
    owner: Owner,
    id: str,  # noqa: A002
    *,
    lock: bool = False,
) -> sa.Row[tuple[object, ...]]:
    """The row of a conversation; `lock` keeps other writers from it until the transaction ends.

    Raises `ConversationMissing`, `RowTooNew`.
    """
    query = sa.select(conversations).where(*_is_of(owner), conversations.c.id == id)
    row = (await connection.execute(query.with_for_update(key_share=True) if lock else query)).one_or_none()
    if row is None:
        raise ConversationMissing(id)
    if row.format > FORMAT:
        raise RowTooNew("conversations", id, row.format)
    return row


def read_intent(text: str | None, id: str) -> Intent | None:  # noqa: A002
    """The intent of a conversation. Raises `RowUnreadable`."""
    if text is None:
        return None
    try:
        return Intent.model_validate(read_json(text, "conversations", id))
    except ValidationError:
        raise RowUnreadable("conversations", id) from None


def _write_intent(intent: Intent | None) -> str | None:
    # At rest a key that is null says what a missing one says.
    return None if intent is None else write_json(intent.model_dump(mode="json", exclude_none=True))


def _is_of(owner: Owner) -> tuple[sa.ColumnElement[bool], ...]:
    return (conversations.c.tenant == owner.tenant, conversations.c.user_id == owner.user)


def _list_query(owner: Owner, limit: int, before: tuple[datetime, str] | None) -> sa.Select[tuple[object, ...]]:
    order = (conversations.c.updated_at, conversations.c.id)
    query = sa.select(conversations).where(*_is_of(owner))
    if before is not None:
        moment, id_ = (sa.literal(value, column.type) for value, column in zip(before, order, strict=True))
        query = query.where(sa.tuple_(*order) < sa.tuple_(moment, id_))
    return query.order_by(*(column.desc() for column in order)).limit(limit)


def _write_row(conversation: Conversation) -> dict[str, object]:
    return {
        "id": conversation.id,
        "tenant": conversation.owner.tenant,
        "user_id": conversation.owner.user,
        "title": conversation.title,
        "intent": _write_intent(conversation.intent),
        "format": FORMAT,
        "forked_from": conversation.forked_from,
        "forked_at": conversation.forked_at,
        "created_at": conversation.created_at,
        "updated_at": conversation.updated_at,
        "epoch": 0,
        "last_event": 0,
        "last_seq": 0,
    }


def _read_row(row: sa.Row[tuple[object, ...]]) -> Conversation:
    return Conversation(
        row.id,
        Owner(row.tenant, row.user_id),
        row.title,
        read_intent(row.intent, row.id),
        row.forked_from,
        row.forked_at,
        row.created_at,
        row.updated_at,
        row.running_turn,
        row.last_event,
    )


def _read_if_readable(row: sa.Row[tuple[object, ...]]) -> Conversation | None:
    try:
        if row.format > FORMAT:
            raise RowTooNew("conversations", row.id, row.format)
        return _read_row(row)
    except RowUnreadable as error:
        structlog.get_logger(__name__).warning("conversation_unreadable", conversation=row.id, error_type=type(error).__name__)
        return None
